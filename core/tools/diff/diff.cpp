// Computations are paired from the entries down: by what calls them, the equal ones first, then those that most pairs
// of callers ask for. Where one module has copies of what the other has once, each copy is compared with the same one.
#include "core/tools/diff/diff.h"

#include <algorithm>
#include <deque>

#include "core/base/sorting.h"
#include "core/tools/diff/changes.h"
#include "core/tools/diff/moved.h"

namespace tessera {
namespace {

enum class Told : uint8_t { Both, Left, Right };  // whose instructions a comparison speaks for

class Differ {
 public:
  Differ(const Module& left, const Module& right)
      : left_(left), right_(right), ofLeft_(left.computationSlots()), ofRight_(right.computationSlots()) {
    out_.left.assign(left.instructionSlots(), {DiffState::Removed, {}});
    out_.right.assign(right.instructionSlots(), {DiffState::Added, {}});
  }

  DiffResult run() {
    if (left().contains(left().entry()) && right().contains(right().entry()))
      take(left().entry(), right().entry(), Told::Both);
    pairCalled();
    pairEqual();
    pairCopies();
    tell();
    return std::move(out_);
  }

 private:
  using Pair = std::pair<ComputationId, ComputationId>;
  const Module& left() const { return left_.module(); }
  const Module& right() const { return right_.module(); }
  bool isFree(const Pair& pair) const { return !ofLeft_[pair.first.value] && !ofRight_[pair.second.value]; }
  bool areEqual(const Pair& pair) const { return left_.hashOf(pair.first) == right_.hashOf(pair.second); }

  void take(ComputationId a, ComputationId b, Told told) {
    if (told != Told::Right) ofLeft_[a.value] = true;
    if (told != Told::Left) ofRight_[b.value] = true;
    const auto [found, isNew] = matches_.try_emplace({a, b});
    if (isNew) found->second = matchComputations(left_, right_, a, b);
    taken_.push_back({{a, b}, told});
    if (isNew) askForCallees(found->second);
  }

  void askForCallees(const ComputationMatch& match) {
    const auto &ones = left().at(match.left).instructions, &others = right().at(match.right).instructions;
    for (size_t place = 0; place < ones.size(); ++place) {
      if (match.toRight[place] == kUnmatched) continue;
      const auto a = left().callees(left().at(ones[place]));
      const auto b = right().callees(right().at(others[match.toRight[place]]));
      for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (left().contains(a[i]) && right().contains(b[i])) ask({a[i], b[i]});
    }
  }
  void ask(const Pair& pair) {
    if (++votes_[pair] > 1) return;
    (areEqual(pair) ? equal_ : unequal_).push_back(pair);
  }

  void pairCalled() {
    while (!equal_.empty() || !unequal_.empty()) {
      if (equal_.empty()) {
        const auto best = std::ranges::max_element(unequal_, {}, [this](const Pair& pair) { return votes_.at(pair); });
        equal_.push_back(*best);
        unequal_.erase(best);
      }
      const Pair next = equal_.front();
      equal_.pop_front();
      if (isFree(next)) take(next.first, next.second, Told::Both);
    }
  }

  // What no pair of callers asks for: only where it is the same.
  void pairEqual() {
    std::map<uint64_t, std::vector<ComputationId>> others;
    for (ComputationId id : right().order())
      if (!ofRight_[id.value]) others[right_.hashOf(id)].push_back(id);
    for (ComputationId id : left().order()) {
      const auto found = others.find(left_.hashOf(id));
      if (ofLeft_[id.value] || found == others.end()) continue;
      for (ComputationId other : found->second)
        if (isFree({id, other})) {
          take(id, other, Told::Both);
          break;
        }
      pairCalled();
    }
  }

  // Both sides of what was asked for are compared, the other one again where it is taken.
  void pairCopies() {
    for (size_t before = 0; before != taken_.size();) {
      before = taken_.size();
      std::vector<std::pair<Pair, int>> asked(votes_.begin(), votes_.end());
      sortDescending(asked, [this](const auto& one) { return std::pair(areEqual(one.first), one.second); });
      for (const auto& [pair, votes] : asked) {
        if (!ofLeft_[pair.first.value]) take(pair.first, pair.second, Told::Left);
        if (!ofRight_[pair.second.value]) take(pair.first, pair.second, Told::Right);
        pairCalled();
      }
    }
  }

  // --- what came of it
  void tell() {
    ChangeFinder finder(left_, right_, matches_);
    for (const auto& [pair, told] : taken_) {
      out_.computationPairs.push_back(pair);
      tell(matches_.at(pair), told, finder);
    }
    for (const InstructionDiff& one : out_.left) out_.matched += one.state == DiffState::Matched;
    tellMoved(finder);
    out_.removed = withState(left(), out_.left, DiffState::Removed);
    out_.added = withState(right(), out_.right, DiffState::Added);
    sortChanged();
  }

  void tellMoved(const ChangeFinder& finder) {
    for (const auto& [a, b] : movedInstructions(left_, withState(left(), out_.left, DiffState::Removed), right_,
                                                withState(right(), out_.right, DiffState::Added))) {
      if (matches_.contains({left().at(a).computation, right().at(b).computation})) continue;
      out_.left[a.value] = {DiffState::Changed, b};
      out_.right[b.value] = {DiffState::Changed, a};
      out_.changed.push_back({a, b, finder.changesOfMoved(a, b)});
    }
  }

  void tell(const ComputationMatch& match, Told told, ChangeFinder& finder) {
    if (auto changes = finder.changesOf(match); !changes.empty())
      out_.computations.push_back({match.left, match.right, std::move(changes)});
    const auto &ones = left().at(match.left).instructions, &others = right().at(match.right).instructions;
    for (size_t place = 0; place < ones.size(); ++place) {
      if (match.toRight[place] == kUnmatched) continue;
      const InstructionId a = ones[place], b = others[match.toRight[place]];
      auto changes = finder.changesOf(match, a, b);
      const DiffState state = changes.empty() ? DiffState::Matched : DiffState::Changed;
      if (told != Told::Right) out_.left[a.value] = {state, b};
      if (told != Told::Left) out_.right[b.value] = {state, a};
      if (!changes.empty()) out_.changed.push_back({a, b, std::move(changes)});
    }
  }

  static std::vector<InstructionId> withState(const Module& module, const std::vector<InstructionDiff>& states,
                                              DiffState state) {
    std::vector<InstructionId> out;
    for (ComputationId computation : module.order())
      for (InstructionId id : module.at(computation).instructions)
        if (states[id.value].state == state) out.push_back(id);
    return out;
  }

  void sortChanged() {
    std::vector<uint32_t> rank(left().computationSlots());
    for (uint32_t i = 0; i < left().order().size(); ++i) rank[left().order()[i].value] = i;
    sortBy(out_.changed, [&](const ChangedInstruction& one) {
      return std::pair(rank[left().at(one.left).computation.value], left_.placeOf(one.left));
    });
  }

  LabelledGraph left_, right_;
  DiffResult out_;
  ComputationMatches matches_;
  std::vector<std::pair<Pair, Told>> taken_;
  std::map<Pair, int> votes_;
  std::deque<Pair> equal_, unequal_;
  std::vector<bool> ofLeft_, ofRight_;  // by computation: it is compared
};

}  // namespace

DiffResult diff(const Module& left, const Module& right) { return Differ(left, right).run(); }

CostDelta costDelta(const Module& left, const Module& right) {
  return {costOf(left), costOf(right), peakMemory(left), peakMemory(right)};
}

}  // namespace tessera
