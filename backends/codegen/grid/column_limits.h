// ColumnLimits: which columns of a row of attention its mask lets the row see, where these are neighbours and the first
// and the last of them move with the row: causal masks, windows. Tiles of other columns add nothing and are not
// visited. Used by GridAttention.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backends/codegen/nest/program_analysis.h"

namespace tessera::codegen {

struct AttentionMap;

struct ColumnLimits {
  // slope · row + constant, slope -1, 0 or 1.
  struct Limit {
    int64_t slope, constant;
  };
  std::vector<Limit> first, last;  // a row sees the columns from the largest of `first` to the smallest of `last`

  bool areKnown() const { return !first.empty() || !last.empty(); }
  // [begin, end) of the columns that some of these rows may see, of `columns` in all; both within them.
  std::pair<int64_t, int64_t> range(int64_t firstRow, int64_t lastRow, int64_t columns) const;

  // From comparisons of positions on which the map's weights depend such that a hidden column weighs nothing: its
  // weight is zero, or the exponential of kHidden or less behind a row's maximum. A row that its softmax is along must
  // see a column at least. Nothing is known where there are no such comparisons.
  static ColumnLimits of(const LoopProgram& program, const ProgramAnalysis& analysis, const AttentionMap& map);
};

}  // namespace tessera::codegen
