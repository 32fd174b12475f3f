// Edits of a shape by hand: sizes and type of a parameter, which everything downstream is inferred from again, and the
// layout of any value. Used by the inspector, the layout panel and scripts.
#pragma once

#include <string>

#include "core/edit/edit.h"

namespace tessera {

// Layouts that `shape` does not say are the default ones.
Edit settingShape(const Module& module, InstructionId parameter, Shape shape);
// Why HLO leaves no choice of the layout: a constant's is that of its literal, an element's that of its tuple. Empty:
// there is one.
std::string whyNoLayout(const Module& module, InstructionId id);
// `shape`: the instruction's own, with another layout.
Edit settingLayout(const Module& module, InstructionId id, Shape shape);

}  // namespace tessera
