// See factors.h.
#include "core/evaluate/factors.h"

#include <algorithm>
#include <complex>
#include <map>
#include <optional>

#include "core/hlo/numbers.h"

namespace tessera {
namespace {

using Kind = FactoredOutputs::Kind;
using Complex = std::complex<double>;

// --- which outputs

// Where a value comes from: a result of a decomposition.
struct Origin {
  InstructionId decomposition;
  int64_t result = 0;
  bool transposed = false;
  bool reflectors = false;  // Q, multiplied out of the packed result 0 of a QR
};

// Calls that are entered, innermost last: a parameter is an operand of the call.
using Frames = std::vector<InstructionId>;

class Tracer {
 public:
  explicit Tracer(const Module& module) : module_(module) {}

  // The part `path` of the value of an instruction.
  std::optional<Origin> trace(InstructionId id, std::vector<int64_t> path, Frames frames) {
    if (++steps_ > kMaxSteps || !id.valid() || !module_.contains(id)) return std::nullopt;
    const Instruction& in = module_.at(id);
    switch (in.opcode) {
      // A slice or pad gives leading rows and columns: products take as many as both sides have.
      case Opcode::Copy:
      case Opcode::OptBarrier:
      case Opcode::Slice:
      case Opcode::Pad: return traceOperand(in, 0, std::move(path), std::move(frames));
      case Opcode::Bitcast:
      case Opcode::Transpose: return traceMove(in, std::move(path), std::move(frames));
      case Opcode::Select: return traceSelect(in, path, frames);
      case Opcode::GetTupleElement:
        path.push_back(in.attributes->intOr(Attr::index, 0));
        return traceOperand(in, 0, std::move(path), std::move(frames));
      case Opcode::Tuple: {
        if (path.empty()) return std::nullopt;
        const auto element = static_cast<size_t>(path.back());
        path.pop_back();
        return traceOperand(in, element, std::move(path), std::move(frames));
      }
      case Opcode::Call:
      case Opcode::Fusion: {
        const std::vector<ComputationId> callees = module_.callees(in);
        if (callees.empty() || !module_.contains(callees[0])) return std::nullopt;
        frames.push_back(id);
        return trace(module_.at(callees[0]).root, std::move(path), std::move(frames));
      }
      case Opcode::Parameter: {
        if (frames.empty()) return std::nullopt;
        const Instruction& call = module_.at(frames.back());
        frames.pop_back();
        return traceOperand(call, static_cast<size_t>(in.parameterNumber), std::move(path), std::move(frames));
      }
      case Opcode::CustomCall: return traceTarget(in, path, frames);
      default: return std::nullopt;
    }
  }

 private:
  static constexpr int kMaxSteps = 10000;

  std::optional<Origin> traceOperand(const Instruction& in, size_t operand, std::vector<int64_t> path, Frames frames) {
    if (operand >= in.operands.size()) return std::nullopt;
    return trace(in.operands[operand], std::move(path), std::move(frames));
  }

  // A transpose of the last two dimensions, or a bitcast that is one or none.
  std::optional<Origin> traceMove(const Instruction& in, std::vector<int64_t> path, Frames frames) {
    if (in.operands.size() != 1 || !path.empty() || in.shape->rank() < 1) return std::nullopt;
    const auto swapped = isSwapped(in);
    if (!swapped) return std::nullopt;
    auto origin = traceOperand(in, 0, std::move(path), std::move(frames));
    if (origin && *swapped) origin->transposed = !origin->transposed;
    return origin;
  }

  std::optional<bool> isSwapped(const Instruction& in) const {
    const Shape &to = *in.shape, &from = module_.shapeOf(in.operands[0]);
    if (to.rank() != from.rank()) return std::nullopt;
    std::vector<int64_t> order(static_cast<size_t>(to.rank()));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    if (in.opcode == Opcode::Transpose) {
      const auto* dimensions = in.attributes->get<std::vector<int64_t>>(Attr::dimensions);
      if (!dimensions) return std::nullopt;
      if (*dimensions == order) return false;
      if (order.size() < 2) return std::nullopt;
      std::swap(order[order.size() - 1], order[order.size() - 2]);
      return *dimensions == order ? std::optional(true) : std::nullopt;
    }
    if (!to.layout || !from.layout || to.layout->minorToMajor == from.layout->minorToMajor)
      return to.dimensions == from.dimensions ? std::optional(false) : std::nullopt;
    std::vector<int64_t> swapped = from.dimensions, minor = from.layout->minorToMajor;
    if (swapped.size() < 2) return std::nullopt;
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    std::ranges::replace(minor, static_cast<int64_t>(swapped.size()) - 1, int64_t{-1});
    std::ranges::replace(minor, static_cast<int64_t>(swapped.size()) - 2, static_cast<int64_t>(swapped.size()) - 1);
    std::ranges::replace(minor, int64_t{-1}, static_cast<int64_t>(swapped.size()) - 2);
    return swapped == to.dimensions && minor == to.layout->minorToMajor ? std::optional(true) : std::nullopt;
  }

  // A guard: one side is the value, the other is not.
  std::optional<Origin> traceSelect(const Instruction& in, const std::vector<int64_t>& path, const Frames& frames) {
    const auto whenTrue = traceOperand(in, 1, path, frames), whenFalse = traceOperand(in, 2, path, frames);
    return whenTrue && whenFalse ? std::nullopt : whenTrue ? whenTrue : whenFalse;
  }

  std::optional<Origin> traceTarget(const Instruction& in, const std::vector<int64_t>& path, const Frames& frames) {
    const std::string_view target = in.attributes->textOr(Attr::custom_call_target, "");
    const bool multiplies = target == "ProductOfElementaryHouseholderReflectors" ||
                            (target.starts_with("lapack_") && target.find("gqr_ffi") == target.size() - 7);
    if (multiplies && path.empty()) {
      auto origin = traceOperand(in, 0, {}, frames);
      if (!origin || origin->result != 0 || origin->transposed) return std::nullopt;
      origin->reflectors = true;
      return origin;
    }
    if (target == "xla.sdy.FuncResultSharding" || target == "Sharding") return traceOperand(in, 0, path, frames);
    if (path.size() != 1) return std::nullopt;
    return Origin{in.id, path[0], false, false};
  }

  const Module& module_;
  int steps_ = 0;
};

// The role of a decomposition's result among FactoredOutputs::factors.
std::optional<std::pair<Kind, int>> roleOf(std::string_view target, const Origin& origin) {
  const auto is = [&](std::string_view routine) {
    return target.size() > 8 && target.starts_with("lapack_") && target.substr(8) == std::string(routine) + "_ffi";
  };
  if (target == "Qr" || is("geqrf"))
    return origin.reflectors    ? std::pair(Kind::Qr, 0)
           : origin.result == 0 ? std::optional(std::pair(Kind::Qr, 1))
                                : std::nullopt;
  if (origin.reflectors) return std::nullopt;
  if ((is("gesdd") || is("gesvd")) && origin.result >= 1 && origin.result <= 3)
    return std::pair(Kind::Singular, origin.result == 1 ? 1 : origin.result == 2 ? 0 : 2);
  if ((target == "Eigh" || is("syevd") || is("heevd")) && origin.result <= 1)
    return std::pair(Kind::Symmetric, static_cast<int>(origin.result));
  if (is("gees") && origin.result <= 1) return std::pair(Kind::Schur, origin.result == 1 ? 0 : 1);
  return std::nullopt;
}

// --- products

struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<Complex> data;
  Complex& at(int64_t i, int64_t j) { return data[static_cast<size_t>(i * columns + j)]; }
  Complex at(int64_t i, int64_t j) const { return data[static_cast<size_t>(i * columns + j)]; }
};

Matrix product(const Matrix& a, const Matrix& b, int64_t inner) {
  Matrix out{a.rows, b.columns, std::vector<Complex>(static_cast<size_t>(a.rows * b.columns))};
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < inner; ++k)
      for (int64_t j = 0; j < b.columns; ++j) out.at(i, j) += a.at(i, k) * b.at(k, j);
  return out;
}

Matrix adjoint(const Matrix& a) {
  Matrix out{a.columns, a.rows, std::vector<Complex>(a.data.size())};
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) out.at(j, i) = std::conj(a.at(i, j));
  return out;
}

// Item of a batch of matrices, or of vectors (as one row).
Matrix matrixOf(const Literal& literal, int64_t item, bool vector, bool transposed) {
  const std::vector<int64_t>& dims = literal.shape().dimensions;
  const ElementType type = literal.shape().type;
  Matrix out{vector ? 1 : dims[dims.size() - 2], dims.back(), {}};
  const int64_t count = out.rows * out.columns;
  for (int64_t i = 0; i < count; ++i) {
    const std::byte* at = literal.bytes().data() + (item * count + i) * byteWidth(type);
    out.data.push_back(isComplex(type) ? loadComplex(type, at) : Complex(loadDouble(type, at)));
  }
  if (!transposed) return out;
  Matrix conjugated = adjoint(out);
  for (Complex& value : conjugated.data) value = std::conj(value);
  return conjugated;
}

// a · diag(values) · b, over as many columns as all of them have.
Matrix scaledProduct(Matrix a, const Matrix& values, const Matrix& b) {
  const int64_t inner = std::min({a.columns, values.columns, b.rows});
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < inner; ++k) a.at(i, k) *= values.at(0, k);
  return product(a, b, inner);
}

// The matrices that have to agree between two answers; phases are gone from them.
std::vector<Matrix> invariants(Kind kind, const std::array<std::optional<Matrix>, 3>& factors) {
  std::vector<Matrix> out;
  const auto& [first, second, third] = factors;
  if (kind == Kind::Singular) {
    if (first) out.push_back(product(adjoint(*first), *first, first->rows));
    if (third) out.push_back(product(*third, adjoint(*third), third->columns));
    if (second) out.push_back(*second);
    if (first && second && third) out.push_back(scaledProduct(*first, *second, *third));
    return out;
  }
  if (first) out.push_back(product(adjoint(*first), *first, first->rows));
  if (kind == Kind::Symmetric && second) out.push_back(*second);
  if (!first || !second) return out;
  if (kind == Kind::Symmetric) out.push_back(scaledProduct(*first, *second, adjoint(*first)));
  if (kind == Kind::Qr) out.push_back(product(*first, *second, std::min(first->columns, second->rows)));
  if (kind == Kind::Schur)
    out.push_back(product(product(*first, *second, first->columns), adjoint(*first), first->columns));
  return out;
}

// Factors that only phases can tell apart: columns (rows of Vᴴ, R) times the phase that makes the largest element
// positive.
Matrix withoutPhases(Matrix a, bool byRows) {
  if (byRows) a = adjoint(a);
  for (int64_t j = 0; j < a.columns; ++j) {
    Complex largest = 0;
    for (int64_t i = 0; i < a.rows; ++i)
      if (std::abs(a.at(i, j)) > std::abs(largest) * (1 + 1e-6)) largest = a.at(i, j);
    if (largest == 0.0) continue;
    const Complex phase = std::conj(largest) / std::abs(largest);
    for (int64_t i = 0; i < a.rows; ++i) a.at(i, j) *= phase;
  }
  return a;
}

bool isComplete(const FactoredOutputs& outputs) {
  const int wanted = outputs.kind == Kind::Singular ? 3 : 2;
  return std::ranges::all_of(std::span(outputs.factors).first(static_cast<size_t>(wanted)),
                             [](const FactorOutput& f) { return f.output >= 0; });
}

std::vector<Matrix> comparableParts(const FactoredOutputs& outputs, std::span<const Literal> values, int64_t item) {
  std::array<std::optional<Matrix>, 3> factors;
  for (size_t f = 0; f < 3; ++f) {
    const FactorOutput& factor = outputs.factors[f];
    if (factor.output < 0) continue;
    const bool vector = f == 1 && (outputs.kind == Kind::Singular || outputs.kind == Kind::Symmetric);
    factors[f] = matrixOf(values[static_cast<size_t>(factor.output)], item, vector, factor.transposed);
  }
  std::vector<Matrix> out = invariants(outputs.kind, factors);
  if (isComplete(outputs)) return out;
  for (size_t f : {size_t{0}, size_t{2}})
    if (factors[f]) out.push_back(withoutPhases(*factors[f], f == 2));
  if (outputs.kind == Kind::Qr && factors[1]) out.push_back(withoutPhases(*factors[1], true));
  return out;
}

// Batches of all given factors; 0 when they have none in common.
int64_t itemsOf(const FactoredOutputs& outputs, std::span<const Literal> values) {
  std::optional<int64_t> items;
  for (size_t f = 0; f < 3; ++f) {
    if (outputs.factors[f].output < 0) continue;
    const Shape& shape = values[static_cast<size_t>(outputs.factors[f].output)].shape();
    const bool vector = f == 1 && (outputs.kind == Kind::Singular || outputs.kind == Kind::Symmetric);
    const size_t own = vector ? 1 : 2;
    if (shape.dimensions.size() < own || !(isFloat(shape.type) || isComplex(shape.type))) return 0;
    int64_t count = 1;
    for (size_t d = 0; d + own < shape.dimensions.size(); ++d) count *= shape.dimensions[d];
    if (items && *items != count) return 0;
    items = count;
  }
  return items.value_or(0);
}

// A product's error is that of its largest element.
Comparison compareParts(const Matrix& expected, const Matrix& found, ElementType type, Tolerance tolerance) {
  double largest = 0;
  for (const Complex& value : expected.data)
    if (const double size = std::abs(value); std::isfinite(size)) largest = std::max(largest, size);
  const double allowed = tolerance.rtol * largest + allowedAtScale(type, tolerance, largest);
  Comparison out;
  for (size_t i = 0; i < expected.data.size(); ++i) {
    const bool bothNaN = std::isnan(std::abs(expected.data[i])) && std::isnan(std::abs(found.data[i]));
    const double error = bothNaN ? 0 : std::abs(expected.data[i] - found.data[i]);
    out.maxAbsError = std::isnan(error) ? error : std::max(out.maxAbsError, error);
    if (!(error <= allowed)) ++out.mismatches;
  }
  out.equal = out.mismatches == 0;
  return out;
}

}  // namespace

bool FactoredOutputs::has(int output) const {
  return std::ranges::find(factors, output, &FactorOutput::output) != factors.end();
}

std::vector<FactoredOutputs> factoredOutputs(const Module& module) {
  std::map<std::pair<InstructionId, Kind>, FactoredOutputs> found;
  const InstructionId root = module.entryComputation().root;
  const std::vector<ShapeLeaf> leaves = leavesOf(module.shapeOf(root));
  int output = -1;
  for (const ShapeLeaf& leaf : leaves) {
    if (!leaf.shape->isArray()) continue;
    ++output;
    const auto origin = Tracer(module).trace(root, {leaf.index.rbegin(), leaf.index.rend()}, {});
    if (!origin) continue;
    const auto role =
        roleOf(module.at(origin->decomposition).attributes->textOr(Attr::custom_call_target, ""), *origin);
    if (!role) continue;
    FactoredOutputs& group = found[{origin->decomposition, role->first}];
    group.kind = role->first;
    group.factors[static_cast<size_t>(role->second)] = {output, origin->transposed};
  }
  std::vector<FactoredOutputs> out;
  for (auto& [key, group] : found) out.push_back(group);
  return out;
}

Comparison compareByReconstruction(const FactoredOutputs& outputs, std::span<const Literal> expected,
                                   std::span<const Literal> found, Tolerance tolerance) {
  Comparison out;
  const int64_t items = itemsOf(outputs, expected);
  out.equal = items > 0 && items == itemsOf(outputs, found);  // then a factor is given
  for (const FactorOutput& factor : outputs.factors)
    if (factor.output >= 0 && !compatible(expected[static_cast<size_t>(factor.output)].shape(),
                                          found[static_cast<size_t>(factor.output)].shape()))
      out.equal = false;
  const auto given = std::ranges::find_if(outputs.factors, [](const FactorOutput& f) { return f.output >= 0; });
  const ElementType type = expected[static_cast<size_t>(given->output)].shape().type;
  for (int64_t item = 0; out.equal && item < items; ++item) {
    const std::vector<Matrix> wanted = comparableParts(outputs, expected, item),
                              parts = comparableParts(outputs, found, item);
    for (size_t i = 0; i < wanted.size(); ++i) out.add(compareParts(wanted[i], parts[i], type, tolerance));
  }
  return out;
}

}  // namespace tessera
