// Zeros of any shape, tuples and tokens included: what a device holds that received nothing, and contexts of operations
// in two halves. Used by async, collective-permute, send and recv.
#pragma once

#include "core/base/result.h"
#include "core/hlo/literal.h"

namespace tessera {

// Fails where memory ends.
Result<Literal> zerosOf(const Shape& shape);

}  // namespace tessera
