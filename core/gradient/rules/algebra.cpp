// Gradients of factorizations, solutions and transforms, in terms of the results that are there.
#include "core/gradient/rules.h"

namespace tessera::gradient {
namespace {

// --- matrices in the last two dimensions

int64_t lastOf(Value a) { return a.shape().rank() - 1; }

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

// Row DIRECTION column, over the whole array.
Value rowsAgainstColumns(std::string_view direction, Value a) {
  return compare(direction, iota(*a.emitter, a.dims(), lastOf(a) - 1), iota(*a.emitter, a.dims(), lastOf(a)));
}

Value triangle(Value a, bool lower, bool withDiagonal) {
  const std::string direction = std::string(lower ? "G" : "L") + (withDiagonal ? "E" : "T");
  return select(rowsAgainstColumns(direction, a), a, a.emitter->zeros(a.shape()));
}

Value solve(Value a, Value b, bool left, bool lower, bool transposedA, bool unit = false) {
  AttributeSet attributes;
  attributes.set(Attr::left_side, left);
  attributes.set(Attr::lower, lower);
  if (unit) attributes.set(Attr::unit_diagonal, true);
  attributes.set(Attr::transpose_a, std::string(transposedA ? "TRANSPOSE" : "NO_TRANSPOSE"));
  return a.emitter->make(Opcode::TriangularSolve, {a, b}, std::move(attributes));
}

}  // namespace

// With A = L Lᵀ, P the lower triangle of Lᵀ dL with half its diagonal, and S = L⁻ᵀ P L⁻¹, the triangle
// that is read gets S + Sᵀ, its diagonal once. An upper factor is the transpose of a lower one.
Status choleskyRule(Rule& r) {
  if (!r.wants(0)) return {};
  if (isComplex(r.forward.shape->type)) return r.refuse("cholesky of complex numbers has no gradient here");
  const bool lower = r.attributes().boolOr(Attr::lower, false);
  const Value l = lower ? r.result() : transposed(r.result());
  const Value dl = triangle(lower ? r.d() : transposed(r.d()), true, true);
  const Value inner = triangle(product(transposed(l), dl), true, true);
  const Value diagonal = rowsAgainstColumns("EQ", inner);
  const Value half = select(diagonal, 0.5 * inner, inner);
  const Value s = solve(l, solve(l, half, true, true, true), false, true, false);
  const Value both = triangle(select(diagonal, s, s + transposed(s)), true, true);
  r.give(0, lower ? both : transposed(both));
  return {};
}

// With op(a) x = b: d_b solves op(a)ᵀ d_b = d_x, and op(a) gets - d_b xᵀ within its triangle.
Status triangularSolveRule(Rule& r) {
  const bool left = r.attributes().boolOr(Attr::left_side, false), lower = r.attributes().boolOr(Attr::lower, false);
  const bool unit = r.attributes().boolOr(Attr::unit_diagonal, false);
  const std::string_view how = r.attributes().textOr(Attr::transpose_a, "NO_TRANSPOSE");
  const bool flipped = how != "NO_TRANSPOSE", conjugated = how == "ADJOINT";
  const Value a = conjugated ? conjugate(r.operand(0)) : r.operand(0);
  const Value db = solve(a, r.d(), left, lower, !flipped, unit);
  if (r.wants(1)) r.give(1, db);
  if (!r.wants(0)) return {};
  const Value x = r.result();
  const Value ofOp = left ? product(db, transposed(x)) : product(transposed(x), db);
  const Value da = -triangle(flipped ? transposed(ofOp) : ofOp, lower, !unit);
  r.give(0, conjugated ? conjugate(da) : da);
  return {};
}

// The matrix of a transform is symmetric. Of half a spectrum all but its ends stand for two.
Status fftRule(Rule& r) {
  if (!r.wants(0)) return {};
  const std::string_view type = r.attributes().textOr(Attr::fft_type, "");
  const Ints lengths = r.attributes().ints(Attr::fft_length);
  const auto transform = [&](Value a, std::string_view as) {
    AttributeSet attributes;
    attributes.set(Attr::fft_type, std::string(as));
    attributes.set(Attr::fft_length, lengths);
    return r.emit.make(Opcode::Fft, {a}, std::move(attributes));
  };
  const Value g = r.d();
  if (type == "FFT" || type == "IFFT") {
    r.give(0, transform(g, type));
    return {};
  }
  const Ints from = r.operandShape(0).dimensions;
  const int64_t last = static_cast<int64_t>(from.size()) - 1;
  if (type == "RFFT") {
    std::vector<PaddingDimension> padding(from.size());
    padding.back().high = lengths.back() - g.dims().back();
    r.give(0, unary(Opcode::Real, transform(padZeros(g, padding), "FFT")));
    return {};
  }
  const Value spectrum = conjugate(transform(g, "RFFT"));
  double count = 1;
  for (int64_t length : lengths) count *= static_cast<double>(length);
  const Value place = iota(r.emit, from, last);
  const Value first = compare("EQ", place, r.emit.zeros(place.shape()));
  const Value middle = compare("EQ", place + place, r.emit.filled(place.shape(), static_cast<double>(lengths.back())));
  const Value one = r.emit.filled(spectrum.shape(), 1 / count), two = r.emit.filled(spectrum.shape(), 2 / count);
  r.give(0, spectrum * select(binary(Opcode::Or, first, middle), one, two));
  return {};
}

}  // namespace tessera::gradient
