// Gradients of the routines of LAPACK that jax calls on CPUs, in terms of the factors that are there: real numbers, but
// for solutions. Formulas: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
// differentiation" (2008); singular values: Townsend, "Differentiating the singular value decomposition" (2016); LU: de
// Hoog, Anderssen and Lukas, "Differentiation of matrix functionals using triangular factorization" (2011).
#include "core/custom_calls/lapack.h"
#include "core/gradient/counted_loop.h"
#include "core/gradient/rules.h"
#include "core/hlo/index_math.h"

namespace tessera::gradient {
namespace {

char letterOf(const Rule& r, std::string_view key, char otherwise) {
  return static_cast<char>(configNumber(r.forward, key).value_or(otherwise));
}
Ints allBut(int64_t rank, int64_t dimension) { return otherDims(rank, Ints{dimension}); }
bool isLower(const Rule& r) { return letterOf(r, "uplo", 'L') == 'L'; }

Status trsmRule(Rule& r) {
  const char how = letterOf(r, "trans_x", 'N');
  giveTriangularSolve(r,
                      {.left = letterOf(r, "side", 'L') == 'L',
                       .lower = isLower(r),
                       .isTransposed = how != 'N',
                       .hasUnitDiagonal = letterOf(r, "diag", 'N') == 'U'},
                      how == 'C');
  return {};
}

// (factor, info); the factor's other triangle holds what the operand had there.
Status potrfRule(Rule& r) {
  const bool lower = isLower(r);
  if (r.d(0)) r.give(0, choleskyCotangent(triangle(r.emit.leaf(r.result(), 0), lower, true), r.d(0), lower));
  return {};
}

// [i, k] is 1 where row k became row i, from pivots: step i exchanged the rows i and pivots[i] - 1.
Value permutationOf(Value pivots, const std::string& stem, Value like) {
  Emitter& emit = *pivots.emitter;
  const Ints dims = pivots.dims();
  const auto last = static_cast<int64_t>(dims.size()) - 1;
  const Ints batch = allBut(last + 1, last);
  const Value rows = countedLoop(emit, stem, dims.back(), {iota(emit, dims, last), pivots}, [&](LoopProgram& p) {
    const Value order = p.at(1), place = iota(p.emit, dims, last);
    std::vector<Value> starts(dims.size(), stepNumber(p.emit, 0));
    starts.back() = p.step();
    Ints one = dims;
    one.back() = 1;
    const Value other = reshape(dynamicSlice(p.at(2), starts, one), Ints(dims.begin(), dims.end() - 1));
    const Value isThis = compare("EQ", place, broadcastScalar(p.step(), dims));
    const Value isOther = compare("EQ", place, broadcast(other - 1, batch, place.shape()));
    const auto found = [&](Value where) {
      return broadcast(reduce(Opcode::Add, select(where, order, zerosOf(order)), {last}), batch, order.shape());
    };
    return std::vector{select(isThis, found(isOther), select(isOther, found(isThis), order)), p.at(2)};
  });
  const Shape square = arrayLike(pivots.shape(), like.dims());
  const Value came = broadcast(emit.element(rows, 1), allBut(last + 2, last + 1), square);
  return convert(compare("EQ", came, iota(emit, like.dims(), last + 1)), like.type());
}

// (L below U, pivots, info) of P A = L U: with N the lower triangle of Lᵀ dL and the upper one of dU Uᵀ, A gets
// Pᵀ L⁻ᵀ N U⁻ᵀ.
Status getrfRule(Rule& r) {
  if (!r.d(0)) return {};
  const Value both = r.emit.leaf(r.result(), 0), d = r.d(0);
  const size_t rank = both.dims().size();
  if (both.dims()[rank - 1] != both.dims()[rank - 2])
    return r.refuse("the LU factors of a matrix that is not square have no gradient here");
  const Value l = withDiagonal(triangle(both, true, false), r.emit.scalar(both.type(), 1));
  const Value u = triangle(both, false, true);
  const Value inner = triangle(product(transposed(l), triangle(d, true, false)), true, false) +
                      triangle(product(triangle(d, false, true), transposed(u)), false, true);
  const Value half = solve(both, inner, {.left = true, .lower = true, .isTransposed = true, .hasUnitDiagonal = true});
  const Value rows = solve(both, half, {.left = false, .lower = false, .isTransposed = true});
  const Value order = permutationOf(r.emit.leaf(r.result(), 1), std::string(r.forward.name) + ".rows", both);
  r.give(0, product(transposed(order), rows));
  return {};
}

// 1 / (values[j] - values[i]) at [i, j], zeros on the diagonal.
Value inverseGaps(Value values, const Shape& square) {
  const int64_t last = square.rank() - 1;
  const Value columns = broadcast(values, allBut(last + 1, last - 1), square);
  const Value rows = broadcast(values, allBut(last + 1, last), square);
  const Value isDiagonal = rowsAgainstColumns("EQ", columns);
  const Value gaps = select(isDiagonal, values.emitter->filled(square, 1), columns - rows);
  return select(isDiagonal, zerosOf(gaps), 1 / gaps);
}

// (vectors V, values, info): A gets V (gaps ∘ Vᵀ dV + diagonal of the values') Vᵀ.
Status syevdRule(Rule& r) {
  if (letterOf(r, "mode", 'V') != 'V') return r.refuse("eigenvalues without their vectors have no gradient here");
  const Value v = r.emit.leaf(r.result(), 0), w = r.emit.leaf(r.result(), 1);
  Value inner = zerosOf(v);
  if (r.d(0)) inner = inverseGaps(w, v.shape()) * product(transposed(v), r.d(0));
  if (r.d(1)) inner = withDiagonal(inner, r.d(1));
  if (r.d(0) || r.d(1)) r.give(0, readTriangle(product(product(v, inner), transposed(v)), isLower(r)));
  return {};
}

// a - aᵀ
Value skew(Value a) { return a - transposed(a); }

// (the operand's place, values s, U, Vᵀ, info)
Status gesddRule(Rule& r) {
  const Value s = r.emit.leaf(r.result(), 1), u = r.emit.leaf(r.result(), 2), vt = r.emit.leaf(r.result(), 3);
  const int64_t k = s.dims().back(), rank = u.shape().rank();
  const auto last = static_cast<size_t>(rank - 1);
  if (letterOf(r, "mode", 'A') == 'N' || u.dims()[last] != k || vt.dims()[last - 1] != k)
    return r.refuse("singular values have a gradient with the first singular vectors beside them, no more and no less");
  const Ints toRows = allBut(rank, rank - 1), toColumns = allBut(rank, rank - 2);
  Ints sizes = u.dims();
  sizes[last - 1] = k;
  const Value square = r.emit.zeros(arrayLike(u.shape(), sizes));
  const Value gaps = inverseGaps(s * s, square.shape());
  Value inner = square, out;
  const auto add = [&](Value part) { out = out ? out + part : part; };
  if (r.d(2)) {
    const Value uDu = product(transposed(u), r.d(2));
    inner = inner + gaps * skew(uDu) * broadcast(s, toColumns, square.shape());
    const Value outside = r.d(2) - product(u, uDu);
    add(product(outside / broadcast(s, toColumns, u.shape()), vt));
  }
  if (r.d(3)) {
    const Value vDv = product(vt, transposed(r.d(3)));
    inner = inner + broadcast(s, toRows, square.shape()) * (gaps * skew(vDv));
    const Value outside = r.d(3) - product(transposed(vDv), vt);
    add(product(u, outside / broadcast(s, toRows, vt.shape())));
  }
  if (r.d(1)) inner = withDiagonal(inner, r.d(1));
  if (r.d(1) || r.d(2) || r.d(3)) add(product(product(u, inner), vt));
  if (out) r.give(0, out);
  return {};
}

struct Routine {
  std::string_view name;
  RuleFunction rule;
  bool ofComplexToo;
};
constexpr Routine kRoutines[] = {
    {"trsm", trsmRule, true},    {"potrf", potrfRule, false}, {"getrf", getrfRule, false},
    {"syevd", syevdRule, false}, {"gesdd", gesddRule, false}, {"gesvd", gesddRule, false},
};

}  // namespace

std::optional<Status> lapackRule(Rule& r, std::string_view target) {
  constexpr std::string_view kBefore = "lapack_", kBehind = "_ffi";
  if (!target.starts_with(kBefore) || !target.ends_with(kBehind)) return std::nullopt;
  const std::string_view name = target.substr(kBefore.size() + 1, target.size() - kBefore.size() - 1 - kBehind.size());
  for (const Routine& routine : kRoutines) {
    if (name != routine.name) continue;
    if (isComplex(r.operandShape(0).type) && !routine.ofComplexToo)
      return r.refuse(std::string(name) + " of complex numbers has no gradient here");
    return routine.rule(r);
  }
  return std::nullopt;
}

}  // namespace tessera::gradient
