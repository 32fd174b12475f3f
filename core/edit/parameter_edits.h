// The two edits of a parameter's shape: sizes and type, which everything downstream is inferred from again, and the
// layout. Used by the inspector, the layout panel and scripts.
#pragma once

#include "core/edit/edit.h"

namespace tessera {

// Layouts that `shape` does not say are the default ones.
Edit settingShape(const Module& module, InstructionId parameter, Shape shape);
// `shape`: the parameter's own, with another layout.
Edit settingLayout(const Module& module, InstructionId parameter, Shape shape);

}  // namespace tessera
