// Which programs are attention: finds products of rows and columns, the softmax and the sums of a program's loops. Used
// by grid_attention, which chooses the tiles.
#pragma once

#include <functional>

#include "backends/codegen/grid/grid_attention.h"

namespace tessera::codegen {

// Calls `takes` with each reading of the program as attention, without tiles, until it returns true. tensorCores: those
// of sm_80.
void forAttentionMaps(const LoopProgram& program, const ProgramAnalysis& analysis, bool tensorCores,
                      const std::function<bool(AttentionMap&)>& takes);

}  // namespace tessera::codegen
