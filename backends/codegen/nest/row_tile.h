// RowTile: a read whose lanes are one row apart inside a loop along the row: sums over short rows,
// distances between all points. Gathers would fetch lane by lane; instead, before the loop, the rows of all lanes are
// loaded vector by vector and transposed in registers, onto the stack: an element of all lanes is then one load.
// Asked by KernelNest; row_tile_emitter makes the code.
#pragma once

#include <optional>

#include "backends/codegen/nest/program_analysis.h"

namespace tessera::codegen {

struct RowTile {
  uint32_t node = 0;
  int32_t along = -1;  // the loop's counter
  int64_t length = 0;  // of a row
  int64_t pitch = 0;   // between the rows of neighbouring lanes
};

// The tile of such a read. lanes: for how many rows the tile must have room.
std::optional<RowTile> rowTileOf(const LoopProgram& program, const ProgramAnalysis& analysis, size_t node, int32_t axis,
                                 unsigned lanes);

}  // namespace tessera::codegen
