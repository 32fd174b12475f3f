// The order is that of a depth-first search which finishes the deepest neighbour first; towards the inputs it is that
// of the reversed graph, read backwards.
#include "core/arrange/compact_order.h"

#include <algorithm>
#include <unordered_map>

#include "core/arrange/arrangement.h"

namespace tessera {
namespace {

constexpr int32_t kAboutAsDeep = 4;

// Wires among the items, numbered from 0.
struct Wires {
  std::vector<std::vector<int32_t>> before, after;

  Wires(std::span<const int32_t> items, const OperandPlaces& operands) : before(items.size()), after(items.size()) {
    std::unordered_map<int32_t, int32_t> number;
    for (size_t k = 0; k < items.size(); ++k) number[items[k]] = static_cast<int32_t>(k);
    for (size_t k = 0; k < items.size(); ++k)
      for (uint32_t o = operands.begin[at(items[k])]; o < operands.begin[at(items[k]) + 1]; ++o) {
        const auto from = number.find(operands.items[o]);
        if (from == number.end() || at(from->second) >= k) continue;
        if (std::ranges::find(before[k], from->second) != before[k].end()) continue;
        before[k].push_back(from->second);
        after[at(from->second)].push_back(static_cast<int32_t>(k));
      }
  }
};

// Every item behind its `before`, the deepest of these first. Those that are about as deep keep their order, so that
// the first block of a stack, which reads parameters, is ordered as those that read the block before them.
std::vector<int32_t> deepestFirst(std::vector<std::vector<int32_t>> before, const std::vector<int32_t>& starts) {
  const size_t n = before.size();
  std::vector<int32_t> depth(n), out;
  for (int32_t start : starts)  // an order of computation
    for (int32_t b : before[at(start)]) depth[at(start)] = std::max(depth[at(start)], depth[at(b)] + 1);
  for (auto& each : before) {
    int32_t deepest = 0;
    for (int32_t b : each) deepest = std::max(deepest, depth[at(b)]);
    std::ranges::stable_partition(each, [&](int32_t b) { return depth[at(b)] + kAboutAsDeep >= deepest; });
  }
  std::vector<bool> seen(n);
  struct Visit {
    int32_t item;
    size_t next = 0;
  };
  std::vector<Visit> open;
  const auto enter = [&](int32_t item) {
    if (!seen[at(item)]) seen[at(item)] = true, open.push_back({item});
  };
  std::vector<bool> isRead(n);
  for (const auto& each : before)
    for (int32_t b : each) isRead[at(b)] = true;
  for (int32_t start : starts) {
    if (!isRead[at(start)]) enter(start);
    while (!open.empty()) {
      Visit& top = open.back();
      if (top.next < before[at(top.item)].size()) {
        enter(before[at(top.item)][top.next++]);
        continue;
      }
      out.push_back(top.item);
      open.pop_back();
    }
  }
  return out;
}

}  // namespace

std::vector<int32_t> compactOrder(std::span<const int32_t> items, const OperandPlaces& operands, Toward toward) {
  Wires wires(items, operands);
  std::vector<int32_t> starts(items.size());
  for (size_t k = 0; k < starts.size(); ++k) starts[k] = static_cast<int32_t>(k);
  if (toward == Toward::Inputs) std::ranges::reverse(starts);
  std::vector<int32_t> order = deepestFirst(std::move(toward == Toward::Inputs ? wires.after : wires.before), starts);
  if (toward == Toward::Inputs) std::ranges::reverse(order);
  for (int32_t& each : order) each = items[at(each)];
  return order;
}

std::vector<uint32_t> valuesAcross(std::span<const int32_t> items, const OperandPlaces& operands) {
  const Wires wires(items, operands);
  std::vector<uint32_t> out(items.size() + 1);
  std::vector<int32_t> change(items.size() + 1);
  for (size_t k = 0; k < items.size(); ++k) {
    if (wires.after[k].empty()) continue;
    ++change[k + 1];
    --change[at(wires.after[k].back()) + 1];
  }
  int32_t live = 0;
  for (size_t k = 0; k < out.size(); ++k) out[k] = static_cast<uint32_t>(live += change[k]);
  return out;
}

}  // namespace tessera
