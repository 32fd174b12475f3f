// Matrices in the last two dimensions of arrays, for rules of factorizations and solutions.
#pragma once

#include <string_view>

#include "core/gradient/emitter.h"

namespace tessera::gradient {

Value product(Value a, Value b);
Value transposed(Value a);
// Row DIRECTION column, of the size of a.
Value rowsAgainstColumns(std::string_view direction, Value a);
// Zeros outside of the triangle.
Value triangle(Value a, bool lower, bool withDiagonal);
// a with these numbers on its diagonal; `numbers` has a dimension less, or none.
Value withDiagonal(Value a, Value numbers);
// The cotangent of the triangle that an op reads of a symmetric matrix, from that of the whole: its diagonal once.
Value readTriangle(Value whole, bool lower);

// op(a) x = b, or x op(a) = b; op(a) is a or its transpose. Of a its triangle is read, without its diagonal where that
// is of ones.
struct TriangularForm {
  bool left, lower, isTransposed, hasUnitDiagonal = false;
};
Value solve(Value a, Value b, const TriangularForm& form);

}  // namespace tessera::gradient
