// See symbolic_sizes.h.
#include "core/edit/sizes/symbolic_sizes.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/base/checked_math.h"

namespace tessera {

SymbolicSize SymbolicSizes::add(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<SymbolicSize>(nodes_.size() - 1);
}

SymbolicSize SymbolicSizes::variable(int64_t size) {
  Node node;
  node.size = size;
  return add(std::move(node));
}

SymbolicSize SymbolicSizes::sum(std::vector<SymbolicSize> parts, int64_t plus) {
  Node node;
  node.kind = Kind::Sum;
  node.plus = node.size = plus;
  for (SymbolicSize part : parts) node.size += sizeOf(part);
  node.parts = std::move(parts);
  return add(std::move(node));
}

SymbolicSize SymbolicSizes::mapped(SymbolicSize of, std::function<int64_t(int64_t)> rule) {
  Node node;
  node.kind = Kind::Mapped;
  node.size = rule(sizeOf(of));
  node.parts = {of};
  node.rule = std::move(rule);
  return add(std::move(node));
}

SymbolicSize SymbolicSizes::find(SymbolicSize term) const {
  while (nodes_[term].same) term = *nodes_[term].same;
  return term;
}

// Sums may share parts many times over, so each is looked at once.
bool SymbolicSizes::contains(SymbolicSize term, SymbolicSize variable) const {
  variable = find(variable);
  std::unordered_set<SymbolicSize> seen;
  std::vector<SymbolicSize> pending{find(term)};
  while (!pending.empty()) {
    const SymbolicSize at = pending.back();
    pending.pop_back();
    if (at == variable) return true;
    if (nodes_[at].parts.empty() || !seen.insert(at).second) continue;
    for (SymbolicSize part : nodes_[at].parts) pending.push_back(find(part));
  }
  return false;
}

bool SymbolicSizes::unify(SymbolicSize a, SymbolicSize b) {
  a = find(a);
  b = find(b);
  if (a == b) return true;
  if (nodes_[a].size != nodes_[b].size) return false;
  if (nodes_[a].kind != Kind::Atom) std::swap(a, b);
  if (nodes_[a].kind == Kind::Atom) {
    if (contains(b, a)) return false;
    replace(a, b);
    return true;
  }
  if (nodes_[a].kind == Kind::Product || nodes_[b].kind == Kind::Product)
    return uniteProducts(std::array{a}, std::array{b});
  if (nodes_[a].kind != Kind::Sum || nodes_[b].kind != Kind::Sum) return false;
  const std::vector<SymbolicSize> left = nodes_[a].parts, right = nodes_[b].parts;
  if (left.size() != right.size() || nodes_[a].plus != nodes_[b].plus) return false;
  for (size_t i = 0; i < left.size(); ++i)
    if (sizeOf(left[i]) != sizeOf(right[i])) return false;
  bool all = true;
  for (size_t i = 0; i < left.size(); ++i) all = unify(left[i], right[i]) && all;
  return all;
}

void SymbolicSizes::appendFactors(SymbolicSize term, std::vector<SymbolicSize>& out) const {
  term = find(term);
  if (nodes_[term].kind == Kind::Product)
    for (SymbolicSize part : nodes_[term].parts) appendFactors(part, out);
  else if (nodes_[term].size != 1)
    out.push_back(term);
}

// Takes a factor off a variable, which becomes the product; `large` is then what is left.
bool SymbolicSizes::split(SymbolicSize& large, SymbolicSize small) {
  const int64_t size = nodes_[large].size, factor = sizeOf(small);
  if (nodes_[large].kind != Kind::Atom || factor <= 0 || size % factor != 0 || contains(small, large)) return false;
  const SymbolicSize rest = variable(size / factor);
  Node product;
  product.kind = Kind::Product;
  product.size = size;
  product.parts = {small, rest};
  replace(large, add(std::move(product)));
  large = rest;
  return true;
}

bool SymbolicSizes::uniteProducts(std::span<const SymbolicSize> from, std::span<const SymbolicSize> to) {
  std::vector<SymbolicSize> left, right;
  for (SymbolicSize term : from) appendFactors(term, left);
  for (SymbolicSize term : to) appendFactors(term, right);
  size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    SymbolicSize &a = left[i], &b = right[j];
    a = find(a);
    b = find(b);
    const int64_t sizeA = nodes_[a].size, sizeB = nodes_[b].size;
    if (sizeA == sizeB) {
      if (!unify(a, b)) return false;
      ++i, ++j;
    } else if (sizeA < sizeB) {
      if (!split(b, a)) return false;
      ++i;
    } else {
      if (!split(a, b)) return false;
      ++j;
    }
  }
  return i == left.size() && j == right.size();
}

std::optional<int64_t> SymbolicSizes::after(SymbolicSize term, const NewSizes& sizes, Known& known) const {
  term = find(term);
  const Node& node = nodes_[term];
  if (node.kind == Kind::Atom) {
    const auto found = sizes.find(term);
    return found == sizes.end() ? node.size : found->second;
  }
  if (const auto found = known.find(term); found != known.end()) return found->second;
  std::optional<int64_t> out = node.kind == Kind::Product ? 1 : node.plus;
  for (SymbolicSize part : node.parts) {
    const auto each = after(part, sizes, known);
    if (!each || !out) return known[term] = std::nullopt;
    if (node.kind == Kind::Mapped)
      out = each == sizeOf(part) ? node.size : node.rule(*each);
    else
      out = node.kind == Kind::Product ? checkedMul(*out, *each) : checkedAdd(*out, *each);
  }
  if (out && *out < 0) out.reset();
  return known[term] = out;
}

bool SymbolicSizes::solveSum(const Node& node, int64_t size, NewSizes& sizes) const {
  const int64_t before = node.size - node.plus, wanted = size - node.plus;
  if (before <= 0 || wanted < 0) return false;
  NewSizes scaled = sizes;  // all parts in proportion
  bool all = true;
  for (SymbolicSize part : node.parts) {
    const auto grown = checkedMul(sizeOf(part), wanted);
    all = all && grown && *grown % before == 0 && solve(part, *grown / before, scaled);
  }
  if (!all) return false;
  sizes = std::move(scaled);
  return true;
}

bool SymbolicSizes::solve(SymbolicSize term, int64_t size, NewSizes& sizes) const {
  term = find(term);
  const Node& node = nodes_[term];
  if (size == node.size && !sizes.contains(term)) return true;
  switch (node.kind) {
    case Kind::Atom: return sizes.emplace(term, size).first->second == size;
    case Kind::Mapped: return false;
    case Kind::Sum: return solveSum(node, size, sizes);
    case Kind::Product: break;
  }
  for (size_t i = node.parts.size(); i-- > 0;) {
    const int64_t part = sizeOf(node.parts[i]);
    const int64_t rest = part > 0 ? node.size / part : 0;
    if (rest <= 0 || size % rest != 0) continue;
    NewSizes tried = sizes;
    if (!solve(node.parts[i], size / rest, tried)) continue;
    sizes = std::move(tried);
    return true;
  }
  return false;
}

}  // namespace tessera
