// Index arithmetic of element_builder_state.h: sums, products, quotients and remainders of indices as linear forms, and
// comparisons that their ranges decide.
#include <algorithm>
#include <utility>

#include "core/element/element_builder_state.h"

namespace tessera {
namespace {

// Sums with more terms stay nested as they were written.
constexpr size_t kMaxTerms = 10;

}  // namespace

NodeId ElementBuilder::State::materialize(LinearForm form) {
  form = algebra.recombined(std::move(form));
  NodeId sum;
  for (const auto& [atom, coefficient] : form.terms) {
    NodeId term = atom;
    if (coefficient != 1) {
      NodeId inputs[] = {atom, index(coefficient)};
      term = intern(NodeOp::Multiply, ElementType::S64, inputs);
      algebra.setForm(term, {0, {{atom, coefficient}}});
      if (auto range = algebra.rangeOf(LinearForm{0, {{atom, coefficient}}})) algebra.setRange(term, *range);
    }
    NodeId inputs[] = {sum, term};
    sum = sum.valid() ? intern(NodeOp::Add, ElementType::S64, inputs) : term;
  }
  if (!sum.valid()) return index(form.constant);
  if (form.constant != 0) {
    NodeId inputs[] = {sum, index(form.constant)};
    sum = intern(NodeOp::Add, ElementType::S64, inputs);
  }
  if (auto range = algebra.rangeOf(form)) algebra.setRange(sum, *range);
  if (form.terms.size() != 1 || form.terms[0].first != sum) algebra.setForm(sum, std::move(form));
  return sum;
}

NodeId ElementBuilder::State::multiplyForms(NodeId a, NodeId b) {
  if (!constantIndex(program, b)) std::swap(a, b);
  auto factor = constantIndex(program, b);
  if (!factor) return NodeId{};
  LinearForm form;
  form.add(algebra.formOf(a), *factor);
  return materialize(std::move(form));
}

NodeId ElementBuilder::State::rawQuotient(const LinearForm& form, int64_t divisor) {
  NodeId dividend = materialize(form);
  if (auto value = constantIndex(program, dividend)) return index(*value / divisor);
  const auto range = algebra.rangeOf(form);
  const Node& node = program.at(dividend);
  if (node.op == NodeOp::Divide && range && range->low >= 0) {  // (y / a) / b = y / (a·b), also for y >= 0 only
    const auto in = program.inputsOf(dividend);
    const auto inner = constantIndex(program, in[1]);
    const auto innerRange = algebra.rangeOf(in[0]);
    int64_t product = 0;
    if (inner && *inner > 0 && innerRange && innerRange->low >= 0 && !__builtin_mul_overflow(*inner, divisor, &product))
      return rawQuotient(algebra.formOf(in[0]), product);
  }
  NodeId inputs[] = {dividend, index(divisor)};
  NodeId out = intern(NodeOp::Divide, ElementType::S64, inputs);
  if (range) algebra.setRange(out, {range->low / divisor, range->high / divisor});
  return out;
}

NodeId ElementBuilder::State::rawRemainder(const LinearForm& form, int64_t divisor) {
  NodeId dividend = materialize(form);
  if (auto value = constantIndex(program, dividend)) return index(*value % divisor);
  NodeId inputs[] = {dividend, index(divisor)};
  NodeId out = intern(NodeOp::Remainder, ElementType::S64, inputs);
  const auto range = algebra.rangeOf(form);
  if (range && range->low >= 0)
    algebra.setRange(out, {0, std::min(range->high, divisor - 1)});
  else if (divisor > 0)
    algebra.setRange(out, {1 - divisor, divisor - 1});
  return out;
}

// x / d for d > 0. With x = d·q + r and x, r >= 0 it is q + r / d; a factor common to r's terms and d goes first.
std::optional<NodeId> ElementBuilder::State::quotient(NodeId a, int64_t divisor) {
  if (divisor <= 0) return std::nullopt;
  const LinearForm form = algebra.formOf(a);
  const auto range = algebra.rangeOf(form);
  if (!range || range->low < 0) return divisor == 1 ? std::optional(a) : std::nullopt;
  auto [whole, rest] = splitBy(form, divisor);
  const auto restRange = algebra.rangeOf(rest);
  if (!restRange || restRange->low < 0) return rawQuotient(form, divisor);
  if (restRange->high < divisor) return materialize(std::move(whole));
  const int64_t factor = commonFactor(rest, divisor);
  NodeId reduced = rawQuotient(factor > 1 ? splitBy(rest, factor).quotient : rest, divisor / factor);
  whole.add(algebra.formOf(reduced), 1);
  return materialize(std::move(whole));
}

std::optional<NodeId> ElementBuilder::State::remainder(NodeId a, int64_t divisor) {
  if (divisor <= 0) return std::nullopt;
  if (divisor == 1) return index(0);
  const LinearForm form = algebra.formOf(a);
  const auto range = algebra.rangeOf(form);
  if (!range || range->low < 0) return std::nullopt;
  const LinearForm rest = splitBy(form, divisor).rest;
  const auto restRange = algebra.rangeOf(rest);
  if (!restRange || restRange->low < 0) return rawRemainder(form, divisor);
  if (restRange->high < divisor) return materialize(rest);
  const int64_t factor = commonFactor(rest, divisor);
  if (factor == 1) return rawRemainder(rest, divisor);
  const SplitForm split = splitBy(rest, factor);
  LinearForm out{split.rest.constant, {}};
  out.add(algebra.formOf(rawRemainder(split.quotient, divisor / factor)), factor);
  return materialize(std::move(out));
}

std::optional<NodeId> ElementBuilder::State::extremum(NodeOp op, NodeId a, NodeId b) {
  const auto x = algebra.rangeOf(a), y = algebra.rangeOf(b);
  if (!x || !y) return std::nullopt;
  const bool isMax = op == NodeOp::Maximum;
  if (x->low >= y->high) return isMax ? a : b;
  if (y->low >= x->high) return isMax ? b : a;
  return std::nullopt;
}

std::optional<bool> ElementBuilder::State::provenCompare(CompareDirection direction, NodeId a, NodeId b) {
  if (!algebra.rangeOf(a) || !algebra.rangeOf(b)) return std::nullopt;
  LinearForm difference = algebra.formOf(a);
  difference.add(algebra.formOf(b), -1);
  const auto range = algebra.rangeOf(difference);
  if (!range) return std::nullopt;
  const bool never = range->low > 0 || range->high < 0, always = range->low == 0 && range->high == 0;
  switch (direction) {
    case CompareDirection::Eq: return never ? std::optional(false) : always ? std::optional(true) : std::nullopt;
    case CompareDirection::Ne: return never ? std::optional(true) : always ? std::optional(false) : std::nullopt;
    case CompareDirection::Ge:
      return range->low >= 0 ? std::optional(true) : range->high < 0 ? std::optional(false) : std::nullopt;
    case CompareDirection::Gt:
      return range->low > 0 ? std::optional(true) : range->high <= 0 ? std::optional(false) : std::nullopt;
    case CompareDirection::Le:
      return range->high <= 0 ? std::optional(true) : range->low > 0 ? std::optional(false) : std::nullopt;
    case CompareDirection::Lt:
      return range->high < 0 ? std::optional(true) : range->low >= 0 ? std::optional(false) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<NodeId> ElementBuilder::State::indexBinary(NodeOp op, NodeId a, NodeId b) {
  const auto right = constantIndex(program, b);
  switch (op) {
    case NodeOp::Add:
    case NodeOp::Subtract: {
      LinearForm form = algebra.formOf(a);
      form.add(algebra.formOf(b), op == NodeOp::Add ? 1 : -1);
      if (form.terms.size() > kMaxTerms) return std::nullopt;
      return materialize(std::move(form));
    }
    case NodeOp::Multiply: {
      NodeId product = multiplyForms(a, b);
      return product.valid() ? std::optional(product) : std::nullopt;
    }
    case NodeOp::Divide: return right ? quotient(a, *right) : std::nullopt;
    case NodeOp::Remainder: return right ? remainder(a, *right) : std::nullopt;
    case NodeOp::Maximum:
    case NodeOp::Minimum: return extremum(op, a, b);
    default: return std::nullopt;
  }
}

}  // namespace tessera
