// The reducer of all-reduce and reduce-scatter: its check, and its use over the values of several devices.
#pragma once

#include <span>
#include <string_view>

#include "core/ops/op.h"

namespace tessera {

// to_apply: (T[], T[]) -> T[], T the operands' type (floats of any width agree).
Status checkDeviceReducer(const InferContext& context, std::string_view label);
// Each of `values` is one device's operands (joinedValue); the result is the fold in their order.
Result<Literal> reduceOverDevices(const EvaluateContext& context, std::span<const Literal> values);

}  // namespace tessera
