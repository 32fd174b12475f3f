// See index_algebra.h.
#include "core/element/index_algebra.h"

#include <algorithm>
#include <numeric>

#include "core/base/checked_math.h"

namespace tessera {
namespace {

// Ranges beyond this are dropped, so that sums of a few of them cannot overflow.
constexpr int64_t kLargestBound = int64_t{1} << 61;

int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

int64_t floorMod(int64_t a, int64_t b) {
  const int64_t r = a % b;
  return r < 0 ? r + b : r;
}

std::optional<IndexRange> rangeOfType(ElementType type) {
  const int bits = info(type).bits;
  if (type == ElementType::Pred) return IndexRange{0, 1};
  if (bits > 32 || !isInteger(type)) return std::nullopt;
  if (isSigned(type)) return IndexRange{-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  return IndexRange{0, (int64_t{1} << bits) - 1};
}

}  // namespace

void LinearForm::addTerm(NodeId atom, int64_t coefficient) {
  auto at =
      std::lower_bound(terms.begin(), terms.end(), atom, [](const auto& term, NodeId id) { return term.first < id; });
  if (at == terms.end() || at->first != atom) {
    if (coefficient) terms.insert(at, {atom, coefficient});
    return;
  }
  at->second = wrapAdd(at->second, coefficient);
  if (at->second == 0) terms.erase(at);
}

void LinearForm::add(const LinearForm& other, int64_t scale) {
  constant = wrapAdd(constant, wrapMul(other.constant, scale));
  for (const auto& [atom, coefficient] : other.terms) addTerm(atom, wrapMul(coefficient, scale));
}

SplitForm splitBy(const LinearForm& form, int64_t divisor) {
  SplitForm out;
  out.rest.constant = floorMod(form.constant, divisor);
  out.quotient.constant = (form.constant - out.rest.constant) / divisor;
  for (const auto& [atom, coefficient] : form.terms) {
    if (coefficient % divisor == 0)
      out.quotient.terms.emplace_back(atom, coefficient / divisor);
    else
      out.rest.terms.emplace_back(atom, coefficient);
  }
  return out;
}

int64_t commonFactor(const LinearForm& form, int64_t start) {
  for (const auto& [atom, coefficient] : form.terms) start = std::gcd(start, coefficient);
  return start;
}

std::optional<int64_t> constantIndex(const ElementProgram& program, NodeId id) {
  const Node& node = program.at(id);
  if (node.op != NodeOp::Constant || node.type != ElementType::S64) return std::nullopt;
  return static_cast<int64_t>(node.bits0);
}

const IndexAlgebra::Facts* IndexAlgebra::factsOf(NodeId id) const {
  return id.value < facts_.size() ? &facts_[id.value] : nullptr;
}

IndexAlgebra::Facts& IndexAlgebra::edit(NodeId id) {
  if (facts_.size() <= id.value) facts_.resize(program_.nodes.size());
  return facts_[id.value];
}

void IndexAlgebra::setForm(NodeId id, LinearForm form) { edit(id).form = std::move(form); }

void IndexAlgebra::setRange(NodeId id, IndexRange range) {
  if (range.low < -kLargestBound || range.high > kLargestBound || range.low > range.high) return;
  edit(id).range = range;
}

LinearForm IndexAlgebra::formOf(NodeId id) const {
  if (auto value = constantIndex(program_, id)) return {*value, {}};
  if (const Facts* facts = factsOf(id); facts && facts->form) return *facts->form;
  return {0, {{id, 1}}};
}

std::optional<IndexRange> IndexAlgebra::rangeOf(NodeId id) const {
  if (auto value = constantIndex(program_, id)) {
    if (*value < -kLargestBound || *value > kLargestBound) return std::nullopt;
    return IndexRange{*value, *value};
  }
  if (const Facts* facts = factsOf(id); facts && facts->range) return facts->range;
  return rangeOfType(program_.at(id).type);
}

std::optional<IndexRange> IndexAlgebra::rangeOf(const LinearForm& form) const {
  IndexRange sum{form.constant, form.constant};
  for (const auto& [atom, coefficient] : form.terms) {
    auto range = rangeOf(atom);
    if (!range) return std::nullopt;
    auto a = checkedMul(range->low, coefficient), b = checkedMul(range->high, coefficient);
    if (!a || !b) return std::nullopt;
    auto low = checkedAdd(sum.low, std::min(*a, *b)), high = checkedAdd(sum.high, std::max(*a, *b));
    if (!low || !high) return std::nullopt;
    sum = {*low, *high};
  }
  if (sum.low < -kLargestBound || sum.high > kLargestBound) return std::nullopt;
  return sum;
}

// Is `id` the quotient dividend / divisor? (y / d) / c is kept as y / (d·c), which counts too.
bool IndexAlgebra::isQuotientOf(NodeId id, NodeId dividend, int64_t divisor) const {
  if (program_.at(id).op != NodeOp::Divide) return false;
  const auto in = program_.inputsOf(id);
  const auto by = constantIndex(program_, in[1]);
  if (!by) return false;
  if (in[0] == dividend) return *by == divisor;
  if (program_.at(dividend).op != NodeOp::Divide) return false;
  const auto inner = program_.inputsOf(dividend);
  const auto innerBy = constantIndex(program_, inner[1]);
  return innerBy && inner[0] == in[0] && checkedMul(*innerBy, divisor) == by;
}

LinearForm IndexAlgebra::recombined(LinearForm form) const {
  for (size_t i = 0; i < form.terms.size(); ++i) {
    const auto [rest, scale] = form.terms[i];
    if (program_.at(rest).op != NodeOp::Remainder) continue;
    const auto in = program_.inputsOf(rest);
    const auto divisor = constantIndex(program_, in[1]);
    if (!divisor || *divisor <= 0) continue;
    for (const auto& [other, coefficient] : form.terms) {
      if (coefficient != wrapMul(scale, *divisor) || !isQuotientOf(other, in[0], *divisor)) continue;
      LinearForm out = form;
      out.addTerm(rest, wrapMul(scale, -1));
      out.addTerm(other, wrapMul(coefficient, -1));
      out.add(formOf(in[0]), scale);
      return recombined(std::move(out));
    }
  }
  return form;
}

}  // namespace tessera
