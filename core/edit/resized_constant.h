// A constant's value at another size, if its pattern can be continued. Used by performer.cpp and sizes.cpp.
#pragma once

#include <optional>

#include "core/hlo/literal.h"

namespace tessera {

// Along every dimension that changes the elements are equal and stay so, or (rank 1, integers or floats) they count in
// steps and go on counting. nullopt: the value does not say how it goes on, or it would be too large.
std::optional<Literal> regrown(const Literal& literal, const Shape& shape);

}  // namespace tessera
