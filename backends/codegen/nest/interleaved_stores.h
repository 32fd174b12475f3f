// Stores of each iteration to a few adjacent elements (the coordinates of a point), so that the lanes of one store are
// at a stride. Interleaved by shuffles they are whole vectors; each alone would be a scatter. Used by kernel_nest,
// which then uses lanes, and by kernel_accesses.
#pragma once

#include <cstddef>
#include <vector>

#include "backends/codegen/nest/program_analysis.h"

namespace tessera::codegen {

// Groups of stores of one output, each in the order of its places; a store is in one group at most.
std::vector<std::vector<size_t>> interleavedStores(const LoopProgram& program, const ProgramAnalysis& analysis,
                                                   int32_t axis);

}  // namespace tessera::codegen
