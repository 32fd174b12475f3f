// assignRows: depth first, each box into the first row below its operands that has room, so that chains are side by
// side until the page is full and go on below. O((V + E) log V); everything in index order.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/arrange/arrangement.h"
#include "core/arrange/layers.h"
#include "core/arrange/short_rows.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr int32_t kSourceSearch = 20;  // rows looked at for a source's place above its first user
constexpr size_t kManyReaders = 3;

std::vector<std::pair<int32_t, int32_t>> innerWires(const Level& level) {
  std::vector<std::pair<int32_t, int32_t>> out;
  for (const LevelWire& w : level.wires)
    if (w.from >= 0 && w.to >= 0) out.push_back({w.from, w.to});
  return out;
}

class RowAssigner {
 public:
  explicit RowAssigner(Level& level) : level_(level) {
    const auto wires = innerWires(level);
    before_ = neighboursOf(level.boxes.size(), wires, true);
    after_ = neighboursOf(level.boxes.size(), wires, false);
  }

  void run() {
    orderDepthFirst();
    assignRows();
    placeSources();
    pullDown();
    fillRows();
  }

 private:
  int32_t count() const { return static_cast<int32_t>(level_.boxes.size()); }
  LevelBox& box(int32_t v) { return level_.boxes[at(v)]; }
  float widthOf(int32_t v) const { return level_.boxes[at(v)].left + level_.boxes[at(v)].right + level_.boxGap; }

  // Post-order over predecessors from the boxes that nobody uses; a wire to a box that is still on the stack runs
  // upwards (groups may depend on each other both ways).
  void orderDepthFirst() {
    rank_.assign(level_.boxes.size(), -1);
    std::vector<bool> seen(level_.boxes.size());
    std::vector<std::pair<int32_t, size_t>> stack;
    auto visit = [&](int32_t start) {
      if (seen[at(start)]) return;
      seen[at(start)] = true;
      stack.push_back({start, 0});
      while (!stack.empty()) {
        auto& [v, next] = stack.back();
        const auto predecessors = before_.of(v);
        if (next < predecessors.size()) {
          const int32_t p = predecessors[next++];
          if (!seen[at(p)]) seen[at(p)] = true, stack.push_back({p, 0});
        } else {
          rank_[at(v)] = static_cast<int32_t>(order_.size());
          order_.push_back(v);
          stack.pop_back();
        }
      }
    };
    for (int32_t v = 0; v < count(); ++v)
      if (after_.of(v).empty()) visit(v);
    for (int32_t v = 0; v < count(); ++v) visit(v);
  }
  bool downwards(int32_t from, int32_t to) const { return rank_[at(from)] < rank_[at(to)]; }

  float widthLimit() const {
    double area = 0;
    for (const LevelBox& b : level_.boxes)
      area += static_cast<double>(b.left + b.right + level_.boxGap) * (b.height + level_.rowGap);
    return std::max(level_.widest, static_cast<float>(std::sqrt(area * level_.aspect)));
  }

  bool fits(int32_t row, float width) const {
    return at(row) >= used_.size() || used_[at(row)] == 0 || used_[at(row)] + width <= limit_;
  }
  void put(int32_t v, int32_t row) {
    if (at(row) >= used_.size()) {
      used_.resize(at(row) + 1, 0);
      while (nextOpen_.size() <= used_.size()) nextOpen_.push_back(static_cast<int32_t>(nextOpen_.size()));
    }
    used_[at(row)] += widthOf(v);
    if (used_[at(row)] > limit_ - box::kNarrowest) nextOpen_[at(row)] = row + 1;
    box(v).row = row;
  }
  // The first row from `row` on that is not full, with path compression.
  int32_t openRow(int32_t row) {
    int32_t found = row;
    while (at(found) < nextOpen_.size() && nextOpen_[at(found)] != found) found = nextOpen_[at(found)];
    while (at(row) < nextOpen_.size() && nextOpen_[at(row)] != row) row = std::exchange(nextOpen_[at(row)], found);
    return found;
  }

  // Depth first, each box goes into the first row below its predecessors that has room: parallel chains are side by
  // side until the page is full, then the next ones start below.
  void assignRows() {
    limit_ = widthLimit();
    for (int32_t v : order_) {
      const auto predecessors = before_.of(v);
      if (predecessors.empty() && !after_.of(v).empty()) continue;  // placeSources
      int32_t row = 0;
      for (int32_t p : predecessors)
        if (downwards(p, v)) row = std::max(row, box(p).row + 1);
      row = openRow(row);
      while (!fits(row, widthOf(v))) row = openRow(row + 1);
      put(v, row);
    }
  }
  // Boxes without predecessors stand just above their first user.
  void placeSources() {
    for (int32_t v : order_) {
      const auto users = after_.of(v);
      if (!before_.of(v).empty() || users.empty()) continue;
      int32_t wished = INT32_MAX;
      for (int32_t u : users) wished = std::min(wished, box(u).row - 1);
      wished = std::max(wished, 0);
      int32_t row = wished;
      for (int32_t tries = 0; row > 0 && tries < kSourceSearch && !fits(row, widthOf(v)); ++tries) --row;
      put(v, fits(row, widthOf(v)) ? row : wished);
    }
  }

  // What has no more operands than users goes as near to its users as rows have room: wires get shorter, and chains
  // that start somewhere are where they end.
  void pullDown() {
    for (auto v = order_.rbegin(); v != order_.rend(); ++v) {
      const auto users = after_.of(*v);
      if (users.empty() || before_.of(*v).size() > users.size()) continue;
      int32_t lowest = INT32_MAX;
      for (int32_t u : users)
        if (downwards(*v, u)) lowest = std::min(lowest, box(u).row - 1);
      if (lowest == INT32_MAX) continue;
      const int32_t own = box(*v).row, last = std::max(own, lowest - kSourceSearch);
      for (int32_t row = lowest; row > last; --row) {
        if (!fits(row, widthOf(*v))) continue;
        used_[at(own)] -= widthOf(*v);
        used_[at(row)] += widthOf(*v);
        box(*v).row = row;
        break;
      }
    }
  }

  void fillRows() {
    std::vector<std::vector<int32_t>> planned(used_.size());
    for (int32_t v : order_) planned[at(box(v).row)].push_back(v);
    for (auto& boxes : planned) splitSources(boxes);
    for (size_t r = 0; r < level_.rows.size(); ++r)
      for (int32_t v : level_.rows[r].boxes) box(v).row = static_cast<int32_t>(r);
  }

  // Appends a planned row; sources that are too many for it go into rows of their own above it.
  void splitSources(std::vector<int32_t>& boxes) {
    float width = 0;
    for (int32_t v : boxes) width += widthOf(v);
    LevelRow above, row;
    float aboveWidth = 0;
    for (int32_t v : boxes) {
      if (width <= limit_ || !before_.of(v).empty()) {
        row.boxes.push_back(v);
        continue;
      }
      if (aboveWidth + widthOf(v) > limit_ && !above.boxes.empty()) {
        level_.rows.push_back(std::exchange(above, {}));
        aboveWidth = 0;
      }
      above.boxes.push_back(v);
      aboveWidth += widthOf(v);
      width -= widthOf(v);
    }
    if (!above.boxes.empty()) level_.rows.push_back(std::move(above));
    if (!row.boxes.empty()) level_.rows.push_back(std::move(row));
  }

  Level& level_;
  Neighbours before_, after_;
  std::vector<int32_t> order_, rank_, nextOpen_;
  std::vector<float> used_;
  float limit_ = 0;
};

}  // namespace

Neighbours neighboursOf(size_t count, std::span<const std::pair<int32_t, int32_t>> pairs, bool froms) {
  Neighbours out;
  out.begin.assign(count + 1, 0);
  for (auto [from, to] : pairs) ++out.begin[at(froms ? to : from) + 1];
  for (size_t i = 1; i < out.begin.size(); ++i) out.begin[i] += out.begin[i - 1];
  out.items.resize(pairs.size());
  std::vector<uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (auto [from, to] : pairs) out.items[next[at(froms ? to : from)]++] = froms ? from : to;
  return out;
}

Neighbours neighboursOf(size_t count, std::span<const Segment> segments, bool uppers) {
  Neighbours out;
  out.begin.assign(count + 1, 0);
  for (const Segment& s : segments) ++out.begin[at(uppers ? s.lower : s.upper) + 1];
  for (size_t i = 1; i < out.begin.size(); ++i) out.begin[i] += out.begin[i - 1];
  out.items.resize(segments.size());
  out.ports.resize(segments.size());
  std::vector<uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (const Segment& s : segments) {
    const uint32_t place = next[at(uppers ? s.lower : s.upper)]++;
    out.items[place] = uppers ? s.upper : s.lower;
    out.ports[place] = s.port;
  }
  return out;
}

bool raiseHubs(Level& level) {
  const auto wires = innerWires(level);
  const Neighbours before = neighboursOf(level.boxes.size(), wires, true);
  const Neighbours after = neighboursOf(level.boxes.size(), wires, false);
  const auto isHub = [&](int32_t v) { return before.of(v).empty() && after.of(v).size() >= kManyReaders; };
  std::vector<LevelRow> rows(1);  // a new one on top
  bool any = false;
  for (LevelRow& row : level.rows) {
    const auto hubs = std::stable_partition(row.boxes.begin(), row.boxes.end(), std::not_fn(isHub));
    if (hubs != row.boxes.begin() && hubs != row.boxes.end()) {
      any = true;
      for (auto hub = hubs; hub != row.boxes.end(); ++hub) level.boxes[at(*hub)].spread = true;
      rows.back().boxes.insert(rows.back().boxes.end(), hubs, row.boxes.end());
      row.boxes.erase(hubs, row.boxes.end());
    }
    rows.push_back(std::move(row));
  }
  if (rows.front().boxes.empty()) rows.erase(rows.begin());
  level.rows = std::move(rows);
  for (size_t r = 0; r < level.rows.size(); ++r) {
    sortBy(level.rows[r].boxes, [&](int32_t v) { return level.boxes[at(v)].piece; });
    for (int32_t v : level.rows[r].boxes) level.boxes[at(v)].row = static_cast<int32_t>(r);
  }
  return any;
}

void assignRows(Level& level) {
  if (!assignShortRows(level)) RowAssigner(level).run();
}

}  // namespace tessera
