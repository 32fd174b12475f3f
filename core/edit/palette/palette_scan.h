// The scan of the palette: a loop over the rows of an array with a value that goes from row to row. Its body is entered
// and changed like that of the counting loop.
#pragma once

#include <span>

#include "core/edit/palette/palette.h"

namespace tessera {

inline constexpr const char* kScanTitle = "scan over rows";

// The first source is the array, its first dimension the one that is walked; the second, of a row's shape, what is
// carried at first, else zeros. The body gives what is carried on (as it is placed: carried + row), which is also
// stacked; the result are the stacked ones, in the array's shape. Without an array of at least one dimension: of 8 rows
// of 4.
Edit placingScan(const Module& module, ComputationId computation, std::span<const InstructionId> sources);

}  // namespace tessera
