// A level with a cycle is repaired in one go. Its tangled groups are opened until the boxes inside have an order. Along
// that order each box gets a key (phase, rank of its group) that never falls along a wire; boxes of one group and one
// key are a piece. LevelWires between pieces only rise, so the pieces have no cycle.
#include "core/arrange/untangle.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/arrange/arrangement.h"

namespace tessera {
namespace {

constexpr int kUntangleRounds = 12;
constexpr size_t kLeastStack = 3;              // members that make a stack of their own
constexpr size_t kMaxUntangling = 20'000'000;  // instructions looked at; what is still tangled then is dissolved

// The instructions of each group and of those in it, as a stretch of one array.
struct GroupContents {
  std::vector<int32_t> items;
  std::vector<size_t> begin, end;  // by group

  GroupContents(const Outline& outline, const std::vector<bool>& hubs)
      : begin(outline.groups.size()), end(outline.groups.size()) {
    std::vector<std::vector<int32_t>> own(outline.groups.size()), inner(outline.groups.size());
    for (size_t i = 0; i < hubs.size(); ++i)
      if (!hubs[i] && outline.groupOf[i] >= 0) own[at(outline.groupOf[i])].push_back(static_cast<int32_t>(i));
    std::vector<int32_t> open;
    for (size_t g = 0; g < outline.groups.size(); ++g) {
      const int32_t parent = outline.groups[g].parent;
      (parent < 0 ? open : inner[at(parent)]).push_back(static_cast<int32_t>(g));
    }
    while (!open.empty()) {  // a group comes up again, negated, when what is in it is done
      const int32_t g = open.back();
      open.pop_back();
      if (g < 0) {
        end[at(~g)] = items.size();
        continue;
      }
      begin[at(g)] = items.size();
      items.insert(items.end(), own[at(g)].begin(), own[at(g)].end());
      open.push_back(~g);
      open.insert(open.end(), inner[at(g)].begin(), inner[at(g)].end());
    }
  }
  std::span<const int32_t> of(int32_t g) const {
    return std::span(items).subspan(begin[at(g)], end[at(g)] - begin[at(g)]);
  }
};

class Untangler {
 public:
  Untangler(Outline& outline, const OperandPlaces& operands, const std::vector<bool>& hubs)
      : outline_(outline), operands_(operands), hubs_(hubs), nodeOf_(hubs.size(), -1) {}

  OutlineLevels run() {
    for (int round = 0;; ++round) {
      OutlineLevels levels = levelsOf(outline_, operands_, hubs_);
      if (!repairAll(levels, round)) return levels;
      dropLittleGroups();
    }
  }

 private:
  OutlineGroup& group(int32_t g) { return outline_.groups[at(g)]; }

  bool repairAll(const OutlineLevels& levels, int round) {
    std::optional<GroupContents> contents;
    touched_.assign(outline_.groups.size(), false);
    for (size_t slot = 0; slot < levels.size(); ++slot) {
      const OutlineLevel& level = levels[slot];
      if (level.wires.empty() || isTouched(static_cast<int32_t>(slot) - 1) || !hasCycle(level)) continue;
      if (!contents) contents.emplace(outline_, hubs_);
      std::map<int32_t, std::vector<int32_t>> groups, items;  // by cycle
      const std::vector<int32_t> cycles = cyclesOf(level.boxes.size(), level.wires);
      for (size_t k = 0; k < cycles.size(); ++k) {
        if (cycles[k] < 0) continue;
        const auto& box = level.boxes[k];
        (box.group >= 0 ? groups : items)[cycles[k]].push_back(box.group >= 0 ? box.group : box.item);
      }
      for (const auto& [cycle, tangled] : groups) {
        std::vector<int32_t> all = items[cycle];
        for (int32_t g : tangled) all.insert(all.end(), contents->of(g).begin(), contents->of(g).end());
        std::ranges::sort(all);
        work_ += all.size();
        if (round >= kUntangleRounds || work_ > kMaxUntangling)
          dissolve(tangled);
        else
          repair(tangled, all);
      }
    }
    return contents.has_value();
  }
  // Its level was read before something in it, or around it, was cut.
  bool isTouched(int32_t g) const {
    for (; g >= 0; g = outline_.groups[at(g)].parent)
      if (at(g) >= touched_.size() || touched_[at(g)]) return true;
    return false;
  }
  void dissolve(const std::vector<int32_t>& groups) {
    for (int32_t g : groups) group(g).transparent = true;
  }

  // --- one cycle
  struct Knot {
    std::vector<int32_t> item, group, top;  // by node: its first instruction; itself, -1: an instruction; the tangled
                                            // group around it, -1: none
    LevelWires wires;
  };
  // By group: the tangled group around it, and the outermost one inside of that which is not open; -1: none.
  struct Around {
    std::unordered_map<int32_t, std::pair<int32_t, int32_t>> known;
  };
  std::pair<int32_t, int32_t> around(Around& memo, const std::unordered_set<int32_t>& tops,
                                     const std::unordered_set<int32_t>& open, int32_t g) const {
    if (g < 0) return {-1, -1};
    if (const auto found = memo.known.find(g); found != memo.known.end()) return found->second;
    const bool isTop = tops.contains(g);
    auto out = isTop ? std::pair(g, -1) : around(memo, tops, open, outline_.groups[at(g)].parent);
    if (out.first >= 0 && out.second < 0 && !open.contains(g) && !outline_.groups[at(g)].transparent) out.second = g;
    return memo.known[g] = out;
  }

  // items: all instructions of the cycle, in order.
  Knot knotOf(const std::unordered_set<int32_t>& tops, const std::unordered_set<int32_t>& open,
              const std::vector<int32_t>& items) {
    Knot knot;
    Around memo;
    std::unordered_map<int32_t, int32_t> known;
    for (int32_t i : items) {
      const auto [top, closed] = around(memo, tops, open, outline_.groupOf[at(i)]);
      const auto next = static_cast<int32_t>(knot.item.size());
      const int32_t node = closed < 0 ? next : known.try_emplace(closed, next).first->second;
      nodeOf_[at(i)] = node;
      if (node == next) knot.item.push_back(i), knot.group.push_back(closed), knot.top.push_back(top);
    }
    for (int32_t i : items)
      for (uint32_t k = operands_.begin[at(i)]; k < operands_.begin[at(i) + 1]; ++k) {
        const int32_t from = nodeOf_[at(operands_.items[k])], to = nodeOf_[at(i)];
        if (from >= 0 && from != to) knot.wires.push_back({from, to});
      }
    for (int32_t i : items) nodeOf_[at(i)] = -1;
    return knot;
  }

  void repair(const std::vector<int32_t>& groups, const std::vector<int32_t>& items) {
    const std::unordered_set<int32_t> tops(groups.begin(), groups.end());
    std::unordered_set<int32_t> open = tops;
    for (;;) {
      const Knot knot = knotOf(tops, open, items);
      const std::vector<int32_t> order =
          orderOfBoxes(knot.item.size(), knot.wires, [&](int32_t node) { return knot.item[at(node)]; });
      if (order.size() == knot.item.size()) return cut(knot, order);
      const std::vector<int32_t> cycles = cyclesOf(knot.item.size(), knot.wires);
      const size_t before = open.size();
      for (size_t k = 0; k < cycles.size(); ++k)
        if (cycles[k] >= 0 && knot.group[k] >= 0) open.insert(knot.group[k]);
      if (open.size() == before) return dissolve(groups);  // instructions in a circle: no module has them
    }
  }

  // Keys by node: odd ones are 2 · rank + 1 of a group in a phase; even ones of an instruction are between.
  class Keys {
   public:
    Keys(const Knot& knot, const std::vector<int32_t>& order) : knot_(knot), rank_(knot.top.size(), -1) {
      std::unordered_map<int32_t, int32_t> ranks;
      for (int32_t node : order)
        if (knot.top[at(node)] >= 0)
          rank_[at(node)] = ranks.try_emplace(knot.top[at(node)], static_cast<int32_t>(ranks.size())).first->second;
      step_ = 2 * static_cast<int64_t>(ranks.size()) + 2;
      const LevelSuccessors next(knot.item.size(), knot.wires);
      keys_.assign(knot.item.size(), 0);
      for (int32_t node : order) {
        if (rank_[at(node)] >= 0) keys_[at(node)] = atLeast(keys_[at(node)], node);
        const int64_t own = keys_[at(node)];
        for (int32_t user : next.of(node)) {
          const bool toLoose = rank_[at(node)] >= 0 && rank_[at(user)] < 0;
          keys_[at(user)] = std::max(keys_[at(user)], own + toLoose);
        }
      }
      for (auto node = order.rbegin(); node != order.rend(); ++node) delay(*node, next.of(*node));
    }
    int64_t of(int32_t node) const { return keys_[at(node)]; }

   private:
    int64_t keyIn(int64_t phase, int32_t node) const { return phase * step_ + 2 * rank_[at(node)] + 1; }
    int64_t atLeast(int64_t key, int32_t node) const {
      const int64_t phase = key / step_;
      return keyIn(phase, node) >= key ? keyIn(phase, node) : keyIn(phase + 1, node);
    }
    // What prepares a later piece belongs to it.
    void delay(int32_t node, std::span<const int32_t> users) {
      if (users.empty() || rank_[at(node)] < 0) return;
      int64_t latest = INT64_MAX;
      for (int32_t user : users) latest = std::min(latest, keys_[at(user)] - (rank_[at(user)] < 0));
      int64_t phase = latest / step_;
      if (keyIn(phase, node) > latest) --phase;
      if (phase >= 0) keys_[at(node)] = std::max(keys_[at(node)], keyIn(phase, node));
    }

    const Knot& knot_;
    std::vector<int32_t> rank_;
    std::vector<int64_t> keys_;
    int64_t step_ = 1;
  };

  // The first piece keeps the group.
  void cut(const Knot& knot, const std::vector<int32_t>& order) {
    const Keys keys(knot, order);
    std::map<int32_t, std::map<int64_t, int32_t>> pieces;  // by group: keys, numbered
    for (int32_t node : order)
      if (knot.top[at(node)] >= 0) pieces[knot.top[at(node)]].try_emplace(keys.of(node), 0);
    for (auto& [top, numbers] : pieces) {
      int32_t next = 0;
      for (auto& [key, number] : numbers) number = next++;
    }
    copies_.clear();
    for (int32_t node : order) {
      const int32_t top = knot.top[at(node)];
      if (top >= 0) touched_[at(top)] = true;
      const int32_t piece = top < 0 ? 0 : pieces[top][keys.of(node)];
      if (piece == 0) continue;
      int32_t& parent = knot.group[at(node)] >= 0 ? outline_.groups[at(knot.group[at(node)])].parent
                                                  : outline_.groupOf[at(knot.item[at(node)])];
      parent = copyOf(parent, top, piece);
    }
  }
  int32_t copyOf(int32_t original, int32_t top, int32_t piece) {
    const auto [known, isNew] = copies_.try_emplace({original, piece}, -1);
    if (!isNew) return known->second;
    const int32_t parent = original == top ? group(top).parent : copyOf(group(original).parent, top, piece);
    OutlineGroup copy = group(original);
    copy.parent = parent;
    copy.path += fmt::format("'{}", ++copiesMade_);
    outline_.groups.push_back(std::move(copy));
    cut_.insert(original), cut_.insert(static_cast<int32_t>(outline_.groups.size()) - 1);
    return copies_[{original, piece}] = static_cast<int32_t>(outline_.groups.size()) - 1;
  }

  // Stacks of two members and groups of one instruction that cutting has left.
  void dropLittleGroups() {
    countInstructions(outline_, hubs_);
    std::vector<size_t> members(outline_.groups.size());
    for (size_t g = 0; g < outline_.groups.size(); ++g) {
      const int32_t parent = outline_.groups[g].parent;
      if (parent >= 0 && outline_.groups[g].instructions > 0) ++members[at(parent)];
    }
    for (int32_t g : cut_) {
      OutlineGroup& own = group(g);
      const bool stack = own.kind == OutlineGroup::Kind::Repeat;
      own.transparent |= stack ? members[at(g)] < kLeastStack : own.instructions <= 1;
      // A stack with a member in pieces would show blocks that are not equal.
      if (own.kind == OutlineGroup::Kind::Member && own.parent >= 0) group(own.parent).transparent = true;
    }
    cut_.clear();
  }

  Outline& outline_;
  const OperandPlaces& operands_;
  const std::vector<bool>& hubs_;
  std::map<std::pair<int32_t, int32_t>, int32_t> copies_;
  std::unordered_set<int32_t> cut_;  // groups in pieces, and the pieces
  std::vector<bool> touched_;        // by group, in this round
  std::vector<int32_t> nodeOf_;      // by instruction, while a knot is made
  int copiesMade_ = 0;
  size_t work_ = 0;
};

}  // namespace

OutlineLevels untangle(Outline& outline, const OperandPlaces& operands, const std::vector<bool>& hubs) {
  return Untangler(outline, operands, hubs).run();
}

}  // namespace tessera
