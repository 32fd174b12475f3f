// See matrices.h.
#include "core/gradient/matrices.h"

#include <numeric>

namespace tessera::gradient {
namespace {

int64_t lastOf(Value a) { return a.shape().rank() - 1; }

}  // namespace

Value product(Value a, Value b) {
  const int64_t last = lastOf(a);
  Ints batch;
  for (int64_t d = 0; d + 1 < last; ++d) batch.push_back(d);
  AttributeSet attributes;
  if (!batch.empty()) attributes.set(Attr::lhs_batch_dims, batch);
  attributes.set(Attr::lhs_contracting_dims, Ints{last});
  if (!batch.empty()) attributes.set(Attr::rhs_batch_dims, batch);
  attributes.set(Attr::rhs_contracting_dims, Ints{last - 1});
  return a.emitter->make(Opcode::Dot, {a, b}, std::move(attributes));
}

Value transposed(Value a) {
  Ints permutation;
  for (int64_t d = 0; d <= lastOf(a); ++d) permutation.push_back(d);
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return transpose(a, permutation);
}

Value rowsAgainstColumns(std::string_view direction, Value a) {
  return compare(direction, iota(*a.emitter, a.dims(), lastOf(a) - 1), iota(*a.emitter, a.dims(), lastOf(a)));
}

Value triangle(Value a, bool lower, bool withDiagonal) {
  const std::string direction = std::string(lower ? "G" : "L") + (withDiagonal ? "E" : "T");
  return select(rowsAgainstColumns(direction, a), a, zerosOf(a));
}

Value withDiagonal(Value a, Value numbers) {
  Ints to(numbers.dims().size());
  std::iota(to.begin(), to.end(), int64_t{0});
  return select(rowsAgainstColumns("EQ", a), broadcast(numbers, to, a.shape()), a);
}

Value readTriangle(Value whole, bool lower) {
  return triangle(select(rowsAgainstColumns("EQ", whole), whole, whole + transposed(whole)), lower, true);
}

Value solve(Value a, Value b, const TriangularForm& form) {
  AttributeSet attributes;
  attributes.set(Attr::left_side, form.left);
  attributes.set(Attr::lower, form.lower);
  if (form.hasUnitDiagonal) attributes.set(Attr::unit_diagonal, true);
  attributes.set(Attr::transpose_a, std::string(form.isTransposed ? "TRANSPOSE" : "NO_TRANSPOSE"));
  return a.emitter->make(Opcode::TriangularSolve, {a, b}, std::move(attributes));
}

}  // namespace tessera::gradient
