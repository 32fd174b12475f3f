// A copy of instructions beside themselves. Used by the studio's Duplicate.
#pragma once

#include <span>

#include "core/edit/edit.h"

namespace tessera {

// Wires between them are copied, wires from outside shared. Control predecessors are not copied, nor operations that
// are not known. No actions: there is nothing to copy.
Edit duplicating(const Module& module, std::span<const InstructionId> ids);

}  // namespace tessera
