// Gradients of factorizations, solutions and transforms, in terms of the results that are there.
#include "core/gradient/rules.h"

namespace tessera::gradient {

// With A = L Lᵀ, P the lower triangle of Lᵀ dL with half its diagonal, and S = L⁻ᵀ P L⁻¹, the triangle
// that is read gets S + Sᵀ, its diagonal once. An upper factor is the transpose of a lower one.
Value choleskyCotangent(Value factor, Value d, bool lower) {
  const Value l = lower ? factor : transposed(factor);
  const Value dl = triangle(lower ? d : transposed(d), true, true);
  const Value inner = triangle(product(transposed(l), dl), true, true);
  const Value half = select(rowsAgainstColumns("EQ", inner), 0.5 * inner, inner);
  const Value left = solve(l, half, {.left = true, .lower = true, .isTransposed = true});
  const Value both = readTriangle(solve(l, left, {.left = false, .lower = true, .isTransposed = false}), true);
  return lower ? both : transposed(both);
}

// With op(a) x = b: d_b solves op(a)ᵀ d_b = d_x, and op(a) gets - d_b xᵀ within its triangle.
void giveTriangularSolve(Rule& r, TriangularForm form, bool conjugated) {
  const Value a = conjugated ? conjugate(r.operand(0)) : r.operand(0);
  const bool isTransposed = form.isTransposed;
  form.isTransposed = !isTransposed;
  const Value db = solve(a, r.d(), form);
  if (r.wants(1)) r.give(1, db);
  if (!r.wants(0)) return;
  const Value x = r.result();
  const Value ofOp = form.left ? product(db, transposed(x)) : product(transposed(x), db);
  const Value da = -triangle(isTransposed ? transposed(ofOp) : ofOp, form.lower, !form.hasUnitDiagonal);
  r.give(0, conjugated ? conjugate(da) : da);
}

Status choleskyRule(Rule& r) {
  if (!r.wants(0)) return {};
  if (isComplex(r.forward.shape->type)) return r.refuse("cholesky of complex numbers has no gradient here");
  r.give(0, choleskyCotangent(r.result(), r.d(), r.attributes().boolOr(Attr::lower, false)));
  return {};
}

Status triangularSolveRule(Rule& r) {
  const std::string_view how = r.attributes().textOr(Attr::transpose_a, "NO_TRANSPOSE");
  giveTriangularSolve(r,
                      {.left = r.attributes().boolOr(Attr::left_side, false),
                       .lower = r.attributes().boolOr(Attr::lower, false),
                       .isTransposed = how != "NO_TRANSPOSE",
                       .hasUnitDiagonal = r.attributes().boolOr(Attr::unit_diagonal, false)},
                      how == "ADJOINT");
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
