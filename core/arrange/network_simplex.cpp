// shortestRows. A spanning tree of tight wires (those that span one row) determines the rows. The cut value of a tree
// wire is the change of the total length when it becomes one row longer; while one is negative, the wire of least slack
// across the cut replaces it. A pivot is O(V + E).
#include <algorithm>
#include <limits>

#include "core/arrange/arrangement.h"
#include "core/arrange/short_rows.h"

namespace tessera {
namespace {

constexpr size_t kPivotsANode = 8;  // degenerate pivots could go on for ever

class NetworkSimplex {
 public:
  NetworkSimplex(size_t count, std::span<const std::pair<int32_t, int32_t>> wires)
      : wires_(wires), row_(count), joined_(count), wiresOf_(count), balance_(count), inTree_(wires.size()) {
    for (size_t w = 0; w < wires.size(); ++w) {
      wiresOf_[at(wires[w].first)].push_back(w);
      wiresOf_[at(wires[w].second)].push_back(w);
      ++balance_[at(wires[w].first)];
      --balance_[at(wires[w].second)];
    }
  }

  std::vector<int32_t> run() {
    startWithLongestPaths();
    growTightTree();
    for (size_t pivot = 0; pivot < kPivotsANode * row_.size(); ++pivot) {
      orderTree();
      const size_t leaving = wireToLose();
      if (leaving == kNone || !exchange(leaving)) break;
    }
    const int32_t first = *std::ranges::min_element(row_);
    for (int32_t& row : row_) row -= first;
    return std::move(row_);
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();
  int32_t from(size_t wire) const { return wires_[wire].first; }
  int32_t to(size_t wire) const { return wires_[wire].second; }
  int32_t slack(size_t wire) const { return row_[at(to(wire))] - row_[at(from(wire))] - 1; }
  int32_t other(size_t wire, int32_t node) const { return from(wire) == node ? to(wire) : from(wire); }

  void startWithLongestPaths() {
    std::vector<size_t> waiting(row_.size(), 0);
    for (const auto& wire : wires_) ++waiting[at(wire.second)];
    std::vector<int32_t> ready;
    for (size_t v = 0; v < row_.size(); ++v)
      if (waiting[v] == 0) ready.push_back(static_cast<int32_t>(v));
    for (size_t k = 0; k < ready.size(); ++k)
      for (size_t wire : wiresOf_[at(ready[k])]) {
        if (from(wire) != ready[k]) continue;
        row_[at(to(wire))] = std::max(row_[at(to(wire))], row_[at(ready[k])] + 1);
        if (--waiting[at(to(wire))] == 0) ready.push_back(to(wire));
      }
  }

  void growTightTree() {
    std::vector<int32_t> tree{0};
    joined_[0] = true;
    for (size_t seen = 0;;) {
      for (; seen < tree.size(); ++seen)
        for (size_t wire : wiresOf_[at(tree[seen])])
          if (const int32_t next = other(wire, tree[seen]); !joined_[at(next)] && slack(wire) == 0) {
            joined_[at(next)] = inTree_[wire] = true;
            tree.push_back(next);
          }
      if (tree.size() == row_.size()) return;
      const size_t nearest = nearestWire();
      if (nearest == kNone) return;  // not connected: excluded by the contract
      const int32_t shift = joined_[at(to(nearest))] ? -slack(nearest) : slack(nearest);
      for (int32_t v : tree) row_[at(v)] += shift;
      seen = 0;
    }
  }
  size_t nearestWire() const {
    size_t nearest = kNone;
    for (size_t w = 0; w < wires_.size(); ++w)
      if (joined_[at(from(w))] != joined_[at(to(w))] && (nearest == kNone || slack(w) < slack(nearest))) nearest = w;
    return nearest;
  }

  // Parents and a numbering in which the nodes below v are first_[v] … last_[v].
  void orderTree() {
    parentWire_.assign(row_.size(), kNone);
    first_.assign(row_.size(), 0);
    last_.assign(row_.size(), 0);
    order_.clear();
    std::vector<std::pair<int32_t, size_t>> stack{{0, 0}};
    order_.push_back(0);
    while (!stack.empty()) {
      auto& [v, next] = stack.back();
      const auto& wires = wiresOf_[at(v)];
      while (next < wires.size() && (!inTree_[wires[next]] || wires[next] == parentWire_[at(v)])) ++next;
      if (next == wires.size()) {
        last_[at(v)] = order_.size() - 1;
        stack.pop_back();
        continue;
      }
      const int32_t child = other(wires[next], v);
      parentWire_[at(child)] = wires[next++];
      first_[at(child)] = order_.size();
      order_.push_back(child);
      stack.push_back({child, 0});
    }
  }
  bool isBelow(int32_t v, int32_t top) const {
    return first_[at(v)] >= first_[at(top)] && first_[at(v)] <= last_[at(top)];
  }

  // The node whose wire to its parent has the least cut value; kNone: none is negative. What goes out of a subtree
  // without what comes in is the sum over its nodes, as wires inside it cancel out.
  size_t wireToLose() {
    std::vector<int32_t> sum(balance_);
    int32_t least = 0;
    size_t found = kNone;
    for (size_t k = order_.size(); k-- > 1;) {
      const int32_t v = order_[k];
      const size_t wire = parentWire_[at(v)];
      const int32_t cut = from(wire) == v ? sum[at(v)] : -sum[at(v)];
      if (cut < least) least = cut, found = at(v);
      sum[at(other(wire, v))] += sum[at(v)];
    }
    return found;
  }
  bool exchange(size_t below) {
    const auto top = static_cast<int32_t>(below);
    const size_t leaving = parentWire_[below];
    const bool tailBelow = from(leaving) == top;
    size_t entering = kNone;
    for (size_t w = 0; w < wires_.size(); ++w) {
      if (isBelow(to(w), top) != tailBelow || isBelow(from(w), top) == tailBelow) continue;
      if (entering == kNone || slack(w) < slack(entering)) entering = w;
    }
    if (entering == kNone) return false;
    const int32_t shift = tailBelow ? -slack(entering) : slack(entering);
    for (size_t k = first_[below]; k <= last_[below]; ++k) row_[at(order_[k])] += shift;
    inTree_[leaving] = false;
    inTree_[entering] = true;
    return true;
  }

  std::span<const std::pair<int32_t, int32_t>> wires_;
  std::vector<int32_t> row_;
  std::vector<bool> joined_;
  std::vector<std::vector<size_t>> wiresOf_;
  std::vector<int32_t> balance_;  // wires out less wires in
  std::vector<bool> inTree_;
  std::vector<size_t> parentWire_, first_, last_;
  std::vector<int32_t> order_;
};

}  // namespace

std::vector<int32_t> shortestRows(size_t count, std::span<const std::pair<int32_t, int32_t>> wires) {
  if (count == 0) return {};
  return NetworkSimplex(count, wires).run();
}

}  // namespace tessera
