// Turns are counted forwards over the part of the program that a scope spans, then each instruction joins the last turn
// that its users allow. Work is bounded: scopes beyond the bound stay in one piece.
#include "core/arrange/scope_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/arrange/arrangement.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr size_t kMaxWork = 1'000'000;  // instructions looked at; the outline cuts the rest by itself
constexpr size_t kMinStack = 3;         // numbered sibling scopes that make a stack

class TurnCounter {
 public:
  TurnCounter(const ScopeTree& tree, const OperandPlaces& operands, const std::vector<bool>& content)
      : operands_(operands), items_(tree.scopes.size()), turn_(content.size()), owner_(content.size(), -1) {
    for (size_t i = 0; i < content.size(); ++i)
      if (content[i])
        for (int32_t s = tree.scopeOf[i]; s >= 0; s = tree.scopes[at(s)].parent)
          items_[at(s)].push_back(static_cast<int32_t>(i));
  }

  ScopeTurns run() {
    size_t work = 0;
    for (size_t s = 0; s < items_.size(); ++s) {
      if (items_[s].size() < 2) continue;
      work += at(items_[s].back() - items_[s].front());
      if (work > kMaxWork) break;
      count(static_cast<int32_t>(s));
    }
    return std::move(out_);
  }

 private:
  void count(int32_t scope) {
    const auto& items = items_[at(scope)];
    for (int32_t i : items) owner_[at(i)] = scope;
    const int32_t first = items.front(), last = items.back();
    int32_t most = 0;
    for (int32_t i = first; i <= last; ++i) {
      const bool inside = owner_[at(i)] == scope;
      int32_t own = inside ? 0 : -1;
      forOperands(i, first, [&](int32_t p) {
        const bool comesBack = inside && owner_[at(p)] != scope && turn_[at(p)] >= 0;
        own = std::max(own, turn_[at(p)] + comesBack);
      });
      turn_[at(i)] = own;
      if (inside) most = std::max(most, own);
    }
    if (most > 0) delay(scope, first, last);
  }
  // What prepares a later piece belongs to it.
  void delay(int32_t scope, int32_t first, int32_t last) {
    std::vector<int32_t> latest(at(last - first) + 1, INT32_MAX);
    for (int32_t i = last; i >= first; --i) {
      const bool inside = owner_[at(i)] == scope;
      int32_t& own = latest[at(i - first)];
      if (inside && own == INT32_MAX) own = turn_[at(i)];
      if (inside && own > 0) out_[turnKey(scope, i)] = own;
      if (own == INT32_MAX) continue;
      forOperands(i, first, [&](int32_t p) {
        const int32_t allowed = inside && owner_[at(p)] != scope ? own - 1 : own;
        latest[at(p - first)] = std::min(latest[at(p - first)], allowed);
      });
    }
  }
  template <class Visit>
  void forOperands(int32_t i, int32_t first, Visit&& visit) const {
    for (uint32_t k = operands_.begin[at(i)]; k < operands_.begin[at(i) + 1]; ++k)
      if (operands_.items[k] >= first && operands_.items[k] < i) visit(operands_.items[k]);
  }

  const OperandPlaces& operands_;
  std::vector<std::vector<int32_t>> items_;  // by scope
  std::vector<int32_t> turn_, owner_;
  ScopeTurns out_;
};

class StackFinder {
 public:
  StackFinder(const ScopeTree& tree, const std::vector<uint64_t>& signatures) : tree_(tree), signatures_(signatures) {}

  NumberedStacks run() {
    out_.of.assign(tree_.scopes.size(), -1);
    std::map<std::pair<int32_t, uint64_t>, std::vector<int32_t>> siblings;
    for (size_t s = 0; s < tree_.scopes.size(); ++s)
      if (lastNumber(tree_.scopes[s].name) >= 0)
        siblings[{tree_.scopes[s].parent, tree_.scopes[s].pattern}].push_back(static_cast<int32_t>(s));
    for (auto& [key, members] : siblings) split(members);
    return std::move(out_);
  }

 private:
  int64_t numberOf(int32_t scope) const { return lastNumber(tree_.scopes[at(scope)].name); }
  void split(std::vector<int32_t>& members) {
    sortWith(members, [&](int32_t a, int32_t b) { return numberOf(a) < numberOf(b); });
    for (size_t begin = 0; begin < members.size();) {
      size_t end = begin + 1;
      while (end < members.size() && follows(members[end - 1], members[end])) ++end;
      if (end - begin >= kMinStack) add(std::span(members).subspan(begin, end - begin));
      begin = end;
    }
  }
  bool follows(int32_t before, int32_t scope) const {
    return signatures_[at(before)] == signatures_[at(scope)] && numberOf(before) + 1 == numberOf(scope);
  }
  void add(std::span<const int32_t> members) {
    const Scope& first = tree_.scopes[at(members.front())];
    const bool bare = first.name.find_first_not_of("0123456789") == std::string::npos && first.parent >= 0;
    const std::string prefix = bare ? tree_.scopes[at(first.parent)].name + " " : std::string();
    for (int32_t s : members) out_.of[at(s)] = static_cast<int32_t>(out_.stacks.size());
    const std::string range = fmt::format("…{}", numberOf(members.back()));
    std::string name = first.name;
    name.insert(name.find_last_of("0123456789") + 1, range);  // behind the number: cell_0…2.step
    out_.stacks.push_back({first.path + range, prefix + name});
  }

  const ScopeTree& tree_;
  const std::vector<uint64_t>& signatures_;
  NumberedStacks out_;
};

}  // namespace

ScopeTurns scopeTurns(const ScopeTree& tree, const OperandPlaces& operands, const std::vector<bool>& content) {
  return TurnCounter(tree, operands, content).run();
}

NumberedStacks numberedStacks(const ScopeTree& tree, const std::vector<uint64_t>& signatures) {
  return StackFinder(tree, signatures).run();
}

}  // namespace tessera
