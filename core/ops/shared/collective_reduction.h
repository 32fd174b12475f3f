// The reducer of all-reduce and reduce-scatter: its check, and its use over the values of several devices.
#pragma once

#include <string_view>

#include "core/devices/communicator.h"
#include "core/ops/op.h"

namespace tessera {

inline constexpr std::string_view kDeviceReducerText =
    "to_apply takes two scalars of one type and gives one; its type is that of the operands";

// The constraint `label` holds: kDeviceReducerText. to_apply: (T[], T[]) -> T[], T the operands' type (floats of any
// width agree).
Status checkDeviceReducer(const InferContext& context, std::string_view label);
// Folds by to_apply; it lives no longer than the context.
DeviceReduction reductionOf(const EvaluateContext& context);

}  // namespace tessera
