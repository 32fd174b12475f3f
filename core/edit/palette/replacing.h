// An instruction replaced by another that takes the same inputs and gives the same shape, so that nothing else of the
// graph has to follow. Used by the canvas.
#pragma once

#include <string>
#include <vector>

#include "core/edit/palette/palette.h"

namespace tessera {

// The entries that a line finds of those by which the instruction can be replaced, each tried on a graph of its
// operands alone; none where it has an open input.
std::vector<FittingEntry> replacementsFor(const Module& module, InstructionId id, const std::string& line,
                                          size_t most = 60);
// The edit: what is new reads what the old one read and feeds what it fed. The instruction that was meant is the last
// one added. Fails with the reason.
Result<Edit> replacing(const Module& module, InstructionId id, const PaletteEntry& entry);

}  // namespace tessera
