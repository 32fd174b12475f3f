// A level with a cycle is repaired in one go. Its tangled groups are opened until the boxes inside have an order. Along
// that order each box gets a key (phase, rank of its group) that never falls along a wire; boxes of one group and one
// key are a piece. Wires between pieces only rise, so the pieces have no cycle.
#include "core/arrange/untangle.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "core/arrange/arrangement.h"

namespace tessera {
namespace {

constexpr int kUntangleRounds = 12;
constexpr size_t kLeastStack = 3;              // members that make a stack of their own
constexpr size_t kMaxUntangling = 20'000'000;  // instructions looked at; what is still tangled then is dissolved

using Wires = std::vector<std::pair<int32_t, int32_t>>;

// Wires by their start.
struct Successors {
  std::vector<int32_t> begin, ends;
  Successors(size_t boxes, const Wires& wires) : begin(boxes + 1), ends(wires.size()) {
    for (auto [from, to] : wires) ++begin[at(from) + 1];
    for (size_t k = 0; k < boxes; ++k) begin[k + 1] += begin[k];
    std::vector<int32_t> next(begin.begin(), begin.end() - 1);
    for (auto [from, to] : wires) ends[at(next[at(from)]++)] = to;
  }
  std::span<const int32_t> of(int32_t box) const {
    return std::span(ends).subspan(at(begin[at(box)]), at(begin[at(box) + 1] - begin[at(box)]));
  }
};

std::vector<int32_t> orderOf(size_t boxes, const Wires& wires, const std::function<int32_t(int32_t)>& first) {
  const Successors next(boxes, wires);
  std::vector<int32_t> open(boxes), out;
  for (auto [from, to] : wires) ++open[at(to)];
  std::priority_queue<std::pair<int32_t, int32_t>, std::vector<std::pair<int32_t, int32_t>>, std::greater<>> ready;
  for (size_t k = 0; k < boxes; ++k)
    if (open[k] == 0) ready.push({first(static_cast<int32_t>(k)), static_cast<int32_t>(k)});
  while (!ready.empty()) {
    const int32_t box = ready.top().second;
    ready.pop();
    out.push_back(box);
    for (int32_t user : next.of(box))
      if (--open[at(user)] == 0) ready.push({first(user), user});
  }
  return out;
}

// By box the number of its strongly connected component, -1 where it is alone. Tarjan's, without recursion.
std::vector<int32_t> cyclesOf(size_t boxes, const Wires& wires) {
  const Successors next(boxes, wires);
  std::vector<int32_t> number(boxes, -1), low(boxes), out(boxes, -1), stack;
  std::vector<bool> onStack(boxes);
  std::vector<std::pair<int32_t, size_t>> calls;
  int32_t counter = 0, cycles = 0;
  const auto nextUnseen = [&](int32_t box, size_t& step) {
    for (const auto users = next.of(box); step < users.size();) {
      const int32_t user = users[step++];
      if (number[at(user)] < 0) return user;
      if (onStack[at(user)]) low[at(box)] = std::min(low[at(box)], number[at(user)]);
    }
    return -1;
  };
  const auto close = [&](int32_t box) {
    const bool alone = stack.back() == box;
    for (int32_t member = -1; member != box;) {
      member = stack.back();
      stack.pop_back();
      onStack[at(member)] = false;
      if (!alone) out[at(member)] = cycles;
    }
    cycles += !alone;
  };
  for (size_t root = 0; root < boxes; ++root) {
    if (number[root] >= 0) continue;
    calls.push_back({static_cast<int32_t>(root), 0});
    while (!calls.empty()) {
      const int32_t box = calls.back().first;
      if (calls.back().second == 0)
        number[at(box)] = low[at(box)] = counter++, stack.push_back(box), onStack[at(box)] = true;
      const int32_t user = nextUnseen(box, calls.back().second);
      if (user >= 0) {
        calls.push_back({user, 0});
        continue;
      }
      calls.pop_back();
      if (!calls.empty()) low[at(calls.back().first)] = std::min(low[at(calls.back().first)], low[at(box)]);
      if (low[at(box)] == number[at(box)]) close(box);
    }
  }
  return out;
}

bool hasCycle(const OutlineLevel& level) {
  const Successors next(level.boxes.size(), level.wires);
  std::vector<int32_t> open(level.boxes.size()), ready;
  for (auto [from, to] : level.wires) ++open[at(to)];
  for (size_t k = 0; k < open.size(); ++k)
    if (open[k] == 0) ready.push_back(static_cast<int32_t>(k));
  for (size_t k = 0; k < ready.size(); ++k)
    for (int32_t user : next.of(ready[k]))
      if (--open[at(user)] == 0) ready.push_back(user);
  return ready.size() < level.boxes.size();
}

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
    Wires wires;
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
          orderOf(knot.item.size(), knot.wires, [&](int32_t node) { return knot.item[at(node)]; });
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
      const Successors next(knot.item.size(), knot.wires);
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

std::vector<int32_t> OutlineLevel::topologicalOrder() const {
  return orderOf(boxes.size(), wires, [&](int32_t box) { return boxes[at(box)].first; });
}

std::vector<int32_t> OutlineLevel::heights() const {
  const std::vector<int32_t> order = topologicalOrder();
  if (order.size() != boxes.size()) return {};
  const Successors next(boxes.size(), wires);
  std::vector<int32_t> out(boxes.size());
  for (auto box = order.rbegin(); box != order.rend(); ++box)
    for (int32_t user : next.of(*box)) out[at(*box)] = std::max(out[at(*box)], out[at(user)] + 1);
  return out;
}

OutlineLevels levelsOf(const Outline& outline, const OperandPlaces& operands, const std::vector<bool>& hubs) {
  const size_t groups = outline.groups.size();
  std::vector<int32_t> parent(groups), depth(groups, -1), home(outline.groupOf.size());
  const std::function<int32_t(int32_t)> depthOf = [&](int32_t g) -> int32_t {
    if (g < 0) return 0;
    if (depth[at(g)] < 0) depth[at(g)] = depthOf(parent[at(g)] = outline.drawnParent(g)) + 1;
    return depth[at(g)];
  };
  OutlineLevels out(groups + 1);
  for (size_t g = 0; g < groups; ++g) {
    const OutlineGroup& own = outline.groups[g];
    depthOf(static_cast<int32_t>(g));
    if (!own.transparent && own.instructions > 0)
      out[at(parent[g] + 1)].boxes.push_back({own.first, -1, static_cast<int32_t>(g)});
  }
  for (size_t i = 0; i < home.size(); ++i) {
    home[i] = outline.groupOf[i];
    if (home[i] >= 0 && outline.groups[at(home[i])].transparent) home[i] = parent[at(home[i])];
    const auto item = static_cast<int32_t>(i);
    if (!hubs[i]) out[at(home[i] + 1)].boxes.push_back({item, item, -1});
  }
  std::vector<int32_t> itemBox(home.size(), -1), groupBox(groups, -1);
  for (OutlineLevel& level : out) {
    std::ranges::stable_sort(level.boxes, {}, &OutlineLevel::Box::first);
    for (size_t k = 0; k < level.boxes.size(); ++k) {
      const auto& box = level.boxes[k];
      (box.group >= 0 ? groupBox[at(box.group)] : itemBox[at(box.item)]) = static_cast<int32_t>(k);
    }
  }
  for (size_t i = 0; i < home.size(); ++i) {
    if (hubs[i]) continue;
    for (uint32_t k = operands.begin[i]; k < operands.begin[i + 1]; ++k) {
      const int32_t operand = operands.items[k];
      if (hubs[at(operand)]) continue;
      int32_t a = home[at(operand)], b = home[i], from = itemBox[at(operand)], to = itemBox[i];
      while (a != b) {
        if (depthOf(a) >= depthOf(b))
          from = groupBox[at(a)], a = parent[at(a)];
        else
          to = groupBox[at(b)], b = parent[at(b)];
      }
      if (from != to) out[at(a + 1)].wires.push_back({from, to});
    }
  }
  return out;
}

OutlineLevels untangle(Outline& outline, const OperandPlaces& operands, const std::vector<bool>& hubs) {
  return Untangler(outline, operands, hubs).run();
}

void countInstructions(Outline& outline, const std::vector<bool>& hubs) {
  for (OutlineGroup& g : outline.groups) g.instructions = 0, g.first = -1;
  for (size_t i = 0; i < hubs.size(); ++i) {
    if (hubs[i]) continue;
    for (int32_t g = outline.groupOf[i]; g >= 0; g = outline.groups[at(g)].parent) {
      OutlineGroup& own = outline.groups[at(g)];
      if (own.instructions++ == 0) own.first = static_cast<int32_t>(i);
    }
  }
}

}  // namespace tessera
