// The k largest or smallest elements of each line along the last dimension: what topk and the custom call TopK give.
#pragma once

#include "core/ops/op.h"

namespace tessera {

// (values, s32 indices). Floats are ordered totally; of equal elements the one with the lower index comes first. k is
// at most the last dimension. The context is polled for cancellation.
Result<Literal> largestOfLines(const EvaluateContext& context, const Literal& operand, int64_t k, bool largest);

}  // namespace tessera
