// Stores that together fill whole vectors: of each iteration of the axis a few neighbours (the coordinates of a point),
// so that lanes put them step elements apart. Woven into one another they are as many whole vectors, where each alone
// would be scattered. Used by kernel_nest, which then takes lanes, and by kernel_accesses.
#pragma once

#include <cstddef>
#include <vector>

#include "backends/codegen/nest/program_analysis.h"

namespace tessera::codegen {

// Groups of stores of one output, each in the order of its places; a store is in one group at most.
std::vector<std::vector<size_t>> interleavedStores(const LoopProgram& program, const ProgramAnalysis& analysis,
                                                   int32_t axis);

}  // namespace tessera::codegen
