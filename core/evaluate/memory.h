// Asking before taking: whether a value of some size fits into the machine, so that a module which needs more memory
// than there is fails with a message instead of being killed by the system.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/hlo/shape.h"

namespace tessera {

// Fails with Fault::Runtime and both sizes when a value of this shape (tuples: all leaves) cannot be had.
Status requireMemoryFor(const Shape& shape, const std::string& what);

}  // namespace tessera
