// The gradient of a selection, as the edit AddGradient. Used by the studio and the palette.
#pragma once

#include <span>

#include "core/edit/edit.h"

namespace tessera {

// Of the selected value that the others lead to, with respect to the selected parameters and constants; without these,
// to what the selection reads from outside and, where a selected value feeds none of them directly, to it itself; of
// one node alone, to all parameters that it depends on. Fails with the reason where that is no gradient.
Result<AddGradient> gradientOfSelection(const Module& module, std::span<const InstructionId> ids);

}  // namespace tessera
