// Scalar constants that may mean a size: a mean's divisor, a scale, a loop's end. Nothing proves it, so they are only
// offered. Used by sizes.cpp.
#pragma once

#include <span>
#include <utility>

#include "core/edit/sizes/sizes.h"

namespace tessera {

// By pairs of an old and a new size.
std::vector<Resizing::Number> numbersLike(const Module& module, std::span<const std::pair<int64_t, int64_t>> changes);

}  // namespace tessera
