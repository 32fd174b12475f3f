// Which element type a product (dot, convolution) of mixed types is computed in. XLA's rule: in the result's type where
// that is the higher one, else in the higher of the operands' types, and the result is converted. Complex is above
// real, a float above an integer, then the larger range, the finer precision, the wider, the signed type. Used by
// mixed_precision.cpp, which makes the converts explicit.
#pragma once

#include <optional>

#include "core/hlo/element_type.h"

namespace tessera {

ElementType higherType(ElementType a, ElementType b);
// Every value of `from` is one of the float type `to`. Never true for integers: they have their own arithmetic.
bool floatHoldsAll(ElementType to, ElementType from);
// The type to compute in. Absent: the operation's own affair, because it multiplies these types as they are (integers,
// summed modulo the result's width, and floats that the result holds all of).
std::optional<ElementType> productType(ElementType lhs, ElementType rhs, ElementType result);

}  // namespace tessera
