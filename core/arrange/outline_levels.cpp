// See outline_levels.h.
#include "core/arrange/outline_levels.h"

#include <algorithm>
#include <queue>

#include "core/arrange/arrangement.h"
#include "core/base/sorting.h"

namespace tessera {

LevelSuccessors::LevelSuccessors(size_t boxes, const LevelWires& wires) : begin(boxes + 1), ends(wires.size()) {
  for (auto [from, to] : wires) ++begin[at(from) + 1];
  for (size_t k = 0; k < boxes; ++k) begin[k + 1] += begin[k];
  std::vector<int32_t> next(begin.begin(), begin.end() - 1);
  for (auto [from, to] : wires) ends[at(next[at(from)]++)] = to;
}

std::span<const int32_t> LevelSuccessors::of(int32_t box) const {
  return std::span(ends).subspan(at(begin[at(box)]), at(begin[at(box) + 1] - begin[at(box)]));
}

std::vector<int32_t> orderOfBoxes(size_t boxes, const LevelWires& wires, const std::function<int32_t(int32_t)>& first) {
  const LevelSuccessors next(boxes, wires);
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

// Tarjan's algorithm, without recursion.
std::vector<int32_t> cyclesOf(size_t boxes, const LevelWires& wires) {
  const LevelSuccessors next(boxes, wires);
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
  const LevelSuccessors next(level.boxes.size(), level.wires);
  std::vector<int32_t> open(level.boxes.size()), ready;
  for (auto [from, to] : level.wires) ++open[at(to)];
  for (size_t k = 0; k < open.size(); ++k)
    if (open[k] == 0) ready.push_back(static_cast<int32_t>(k));
  for (size_t k = 0; k < ready.size(); ++k)
    for (int32_t user : next.of(ready[k]))
      if (--open[at(user)] == 0) ready.push_back(user);
  return ready.size() < level.boxes.size();
}

std::vector<int32_t> OutlineLevel::topologicalOrder() const {
  return orderOfBoxes(boxes.size(), wires, [&](int32_t box) { return boxes[at(box)].first; });
}

std::vector<int32_t> OutlineLevel::heights() const {
  const std::vector<int32_t> order = topologicalOrder();
  if (order.size() != boxes.size()) return {};
  const LevelSuccessors next(boxes.size(), wires);
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
    sortBy(level.boxes, &OutlineLevel::Box::first);
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
