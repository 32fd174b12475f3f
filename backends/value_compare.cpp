// The values of a module are what a copy of it gives whose result is a tuple of them, some at a time.
#include "backends/value_compare.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "backends/backend.h"
#include "backends/more_results.h"
#include "backends/precision.h"
#include "core/evaluate/evaluate.h"
#include "core/hlo/numbers.h"
#include "core/memory/memory_report.h"

namespace tessera {
namespace {

constexpr int64_t kBytesAtOnce = 512ll << 20;  // of values that one run gives

struct Specials {
  int64_t nans = 0, infinities = 0;
};
Specials specialsOf(const Literal& literal) {
  Specials out;
  const ElementType type = literal.shape().type;
  if (!isFloat(type)) return out;
  const auto bytes = literal.bytes();
  const auto width = static_cast<size_t>(byteWidth(type));
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    const double value = loadDouble(type, bytes.data() + at);
    out.nans += std::isnan(value);
    out.infinities += std::isinf(value);
  }
  return out;
}

Tolerance looser(ElementType one, ElementType other, const ComparedTolerance& given) {
  const Tolerance a = defaultTolerance(one), b = defaultTolerance(other);
  return {given.rtol.value_or(std::max(a.rtol, b.rtol)), given.atol.value_or(std::max(a.atol, b.atol)),
          given.floor.value_or(std::max(a.floor, b.floor))};
}

// In the wider of both types, where both are floats.
Result<Comparison> compared(const Literal& left, const Literal& right, const std::string& name,
                            const ComparedTolerance& given) {
  const ElementType a = left.shape().type, b = right.shape().type;
  const Tolerance tolerance = looser(a, b, given);
  if (a == b || !isFloat(a) || !isFloat(b)) return compareLiterals(left, right, tolerance, name);
  TESSERA_ASSIGN_OR_RETURN(const Literal one, inType(left, ElementType::F64));
  TESSERA_ASSIGN_OR_RETURN(const Literal other, inType(right, ElementType::F64));
  return compareLiterals(one, other, tolerance, name);
}

bool mayCompare(const Shape& a, const Shape& b) {
  return a.isArray() && b.isArray() && a.dimensions == b.dimensions &&
         (a.type == b.type || (isFloat(a.type) && isFloat(b.type)));
}

class ValueComparer {
 public:
  ValueComparer(const ComparedSide& left, const ComparedSide& right, const DiffResult& pairs,
                const ComparedTolerance& tolerance)
      : left_(left), right_(right), pairs_(pairs), tolerance_(tolerance) {}

  Result<ValueComparison> run() {
    collect();
    const std::vector<std::vector<size_t>> parts = inParts();
    for (const std::vector<size_t>& part : parts) TESSERA_TRY(compare(part));
    for (size_t i = 0; i < out_.values.size(); ++i) rows_[out_.values[i].left] = i;
    judge();
    findPath();
    return std::move(out_);
  }

 private:
  const Module& left() const { return *left_.module; }
  bool differs(size_t i) const { return !out_.values[i].comparison.equal; }

  void collect() {
    for (InstructionId id : left().entryComputation().instructions) {
      const InstructionDiff& found = pairs_.left[id.value];
      if (!found.partner.valid() || !right_.module->contains(found.partner)) continue;
      if (right_.module->at(found.partner).computation != right_.module->entry()) continue;
      if (mayCompare(left().shapeOf(id), right_.module->shapeOf(found.partner)))
        out_.values.push_back({id, found.partner, {}, 0, 0, 0, 0});
    }
  }

  std::vector<std::vector<size_t>> inParts() const {
    std::vector<std::vector<size_t>> out;
    int64_t bytes = 0;
    for (size_t i = 0; i < out_.values.size(); ++i) {
      const int64_t more = left().shapeOf(out_.values[i].left).denseBytes().value_or(kBytesAtOnce);
      if (out.empty() || bytes + more > kBytesAtOnce) out.emplace_back(), bytes = 0;
      bytes += more;
      out.back().push_back(i);
    }
    return out;
  }

  Status compare(const std::vector<size_t>& part) {
    std::vector<InstructionId> ones, others;
    for (size_t i : part) ones.push_back(out_.values[i].left), others.push_back(out_.values[i].right);
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> a, valuesOf(left_, ones));
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> b, valuesOf(right_, others));
    for (size_t k = 0; k < part.size(); ++k) {
      ComparedValue& row = out_.values[part[k]];
      TESSERA_ASSIGN_OR_RETURN(row.comparison, compared(a[k], b[k], std::string(left().at(row.left).name), tolerance_));
      const Specials one = specialsOf(a[k]), other = specialsOf(b[k]);
      row.leftNans = one.nans, row.leftInfinities = one.infinities;
      row.rightNans = other.nans, row.rightInfinities = other.infinities;
      out_.differing += !row.comparison.equal;
    }
    return {};
  }

  // Rows of what an instruction is computed from: of tuples their elements, of what is not compared what that needs.
  std::vector<size_t> sourcesOf(InstructionId id) const {
    std::vector<size_t> out;
    std::vector<InstructionId> open(left().at(id).operands.begin(), left().at(id).operands.end()), seen;
    while (!open.empty()) {
      const InstructionId next = open.back();
      open.pop_back();
      if (std::ranges::find(seen, next) != seen.end()) continue;
      seen.push_back(next);
      if (const auto row = rows_.find(next); row != rows_.end())
        out.push_back(row->second);
      else
        open.insert(open.end(), left().at(next).operands.begin(), left().at(next).operands.end());
    }
    return out;
  }

  bool isConstant(size_t i) const { return left().at(out_.values[i].left).opcode == Opcode::Constant; }

  template <class Has>
  std::optional<size_t> firstWithout(const Has& has, bool mayBeConstant = true) const {
    for (size_t i = 0; i < out_.values.size(); ++i) {
      if (!has(i) || (!mayBeConstant && isConstant(i))) continue;
      if (std::ranges::none_of(sourcesOf(out_.values[i].left), has)) return i;
    }
    return std::nullopt;
  }

  void judge() {
    out_.first = firstWithout([this](size_t i) { return differs(i); });
    out_.firstNan = firstWithout([this](size_t i) { return out_.values[i].leftNans + out_.values[i].rightNans > 0; });
    out_.firstInfinity = firstWithout(
        [this](size_t i) { return out_.values[i].leftInfinities + out_.values[i].rightInfinities > 0; }, false);
    const InstructionId root = left().entryComputation().root;
    std::vector<size_t> results = sourcesOf(root);
    if (const auto row = rows_.find(root); row != rows_.end()) results = {row->second};
    out_.resultsEqual = std::ranges::none_of(results, [this](size_t i) { return differs(i); });
  }

  double errorOf(size_t i) const {
    const double share = out_.values[i].comparison.worstShare;
    return std::isnan(share) ? INFINITY : share;
  }

  // Each time to the user on the way to the largest error: in between it may be within the tolerance.
  void findPath() {
    if (!out_.first) return;
    const size_t count = out_.values.size();
    std::vector<std::optional<size_t>> next(count);
    std::vector<double> reached(count);  // the largest error from a value on
    for (size_t i = 0; i < count; ++i) reached[i] = errorOf(i);
    for (size_t user = count; user-- > 0;)
      for (size_t source : sourcesOf(out_.values[user].left)) {
        if (source >= user || (next[source] && reached[*next[source]] >= reached[user])) continue;
        next[source] = user;
        reached[source] = std::max(reached[source], reached[user]);
      }
    for (std::optional<size_t> at = out_.first; at; at = next[*at]) out_.path.push_back(*at);
  }

  const ComparedSide &left_, &right_;
  const DiffResult& pairs_;
  const ComparedTolerance& tolerance_;
  ValueComparison out_;
  std::unordered_map<InstructionId, size_t> rows_;
};

}  // namespace

Result<std::vector<Literal>> valuesOf(const ComparedSide& side, std::span<const InstructionId> wanted) {
  TESSERA_ASSIGN_OR_RETURN(const auto executable, compileOn(side.backend, withResults(*side.module, wanted)));
  return executable->run(side.arguments);
}

Result<ValueComparison> compareValues(const ComparedSide& left, const ComparedSide& right, const DiffResult& pairs,
                                      const ComparedTolerance& tolerance) {
  return ValueComparer(left, right, pairs, tolerance).run();
}

Result<std::vector<Literal>> argumentsFor(const Module& right, const Module& left, std::span<const Literal> arguments,
                                          const DiffResult& pairs) {
  std::unordered_map<InstructionId, size_t> firstLeaf;
  size_t leaf = 0;
  for (InstructionId id : left.entryComputation().parameters) {
    firstLeaf[id] = leaf;
    for (const ShapeLeaf& one : leavesOf(left.shapeOf(id))) leaf += !one.shape->isToken();
  }
  std::vector<Literal> out;
  for (InstructionId id : right.entryComputation().parameters) {
    const auto found = firstLeaf.find(pairs.right[id.value].partner);
    if (found == firstLeaf.end())
      return fail(placedAt(right.at(id), {.message = fmt::format("no parameter of %{} stands for %{} of %{}",
                                                                 left.entryComputation().name, right.at(id).name,
                                                                 right.entryComputation().name)}));
    size_t from = found->second;
    for (const ShapeLeaf& one : leavesOf(right.shapeOf(id))) {
      if (one.shape->isToken()) continue;
      TESSERA_ASSIGN_OR_RETURN(Literal value, inType(arguments[from++], one.shape->type));
      if (value.shape().dimensions != one.shape->dimensions)
        return fail(
            placedAt(right.at(id), {.message = fmt::format("%{} has other sizes than its partner", right.at(id).name),
                                    .expected = toString(value.shape(), false),
                                    .found = toString(*one.shape, false)}));
      out.push_back(std::move(value));
    }
  }
  return out;
}

Result<std::unique_ptr<ComparedPair>> comparedPair(Module left, std::optional<Module> right,
                                                   std::optional<ElementType> precision,
                                                   std::pair<std::string, std::string> backends,
                                                   std::vector<Literal> arguments) {
  auto out = std::make_unique<ComparedPair>(ComparedPair{std::move(left), Module(), {}, {}, {}});
  if (right) {
    out->rightModule = *std::move(right);
  } else if (precision) {
    TESSERA_ASSIGN_OR_RETURN(out->rightModule, inPrecision(out->leftModule, *precision));
  } else {
    out->rightModule = out->leftModule;
  }
  out->pairs = diff(out->leftModule, out->rightModule);
  out->left = {&out->leftModule, std::move(backends.first), std::move(arguments)};
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> others,
                           argumentsFor(out->rightModule, out->leftModule, out->left.arguments, out->pairs));
  out->right = {&out->rightModule, std::move(backends.second), std::move(others)};
  return out;
}

}  // namespace tessera
