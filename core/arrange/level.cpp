// The three steps of arrangeLevel: rows, order and x within rows, y. Complexity O((V + E) log V) for a fixed number of
// sweeps; everything is done in index order, so equal input gives equal output.
#include "core/arrange/level.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/arrange/box_style.h"

namespace tessera {
namespace {

constexpr float kAspect = 1.6f;          // wished width : height of a level
constexpr float kLeastWidthLimit = 1400;
constexpr int kSweeps = 6;
constexpr int32_t kSourceSearch = 20;    // rows looked at for a source's place above its first user

size_t at(int32_t i) { return static_cast<size_t>(i); }

// Neighbours of every box in one array (compressed rows).
struct Neighbours {
  std::vector<uint32_t> begin;
  std::vector<int32_t> items;
  std::span<const int32_t> of(int32_t v) const {
    return {items.data() + begin[at(v)], begin[at(v) + 1] - begin[at(v)]};
  }
};

Neighbours neighboursOf(const Level& level, bool predecessors) {
  Neighbours out;
  out.begin.assign(level.boxes.size() + 1, 0);
  for (auto [from, to] : level.wires) ++out.begin[at(predecessors ? to : from) + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.items.resize(level.wires.size());
  std::vector<uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (auto [from, to] : level.wires) out.items[next[at(predecessors ? to : from)]++] = predecessors ? from : to;
  return out;
}

class LevelArranger {
 public:
  explicit LevelArranger(Level& level)
      : level_(level), before_(neighboursOf(level, true)), after_(neighboursOf(level, false)) {}

  void run() {
    orderDepthFirst();
    assignRows();
    placeSources();
    fillRows();
    for (int sweep = 0; sweep < kSweeps; ++sweep) sweepRows(sweep % 2 == 0, true);
    sweepRows(false, false);
    sweepRows(true, false);
    finish();
  }

 private:
  int32_t count() const { return static_cast<int32_t>(level_.boxes.size()); }
  LevelBox& box(int32_t v) { return level_.boxes[at(v)]; }
  float widthOf(int32_t v) const { return level_.boxes[at(v)].left + level_.boxes[at(v)].right + box::kColumnGap; }

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
      area += static_cast<double>(b.left + b.right + box::kColumnGap) * (b.height + box::kRowGap);
    return std::max(kLeastWidthLimit, static_cast<float>(std::sqrt(area * kAspect)));
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
    while (at(row) < nextOpen_.size() && nextOpen_[at(row)] != row)
      row = std::exchange(nextOpen_[at(row)], found);
    return found;
  }

  // Depth first, each box goes into the first row below its predecessors that has room: parallel chains stand side by
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

  void fillRows() {
    std::vector<std::vector<int32_t>> planned(used_.size());
    for (int32_t v : order_) planned[at(box(v).row)].push_back(v);
    for (auto& boxes : planned) splitSources(boxes);
    for (size_t r = 0; r < level_.rows.size(); ++r) {
      float x = 0;
      for (int32_t v : level_.rows[r].boxes) {
        box(v).row = static_cast<int32_t>(r);
        box(v).x = x + box(v).left;
        x += widthOf(v);
      }
    }
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

  // Where v's neighbours wish it: their mean, near rows weighing more.
  bool wishOf(int32_t v, bool above, bool below, float& wish) const {
    double sum = 0, weight = 0;
    auto take = [&](std::span<const int32_t> neighbours) {
      for (int32_t n : neighbours) {
        const int32_t distance = std::abs(level_.boxes[at(n)].row - level_.boxes[at(v)].row);
        if (distance == 0) continue;
        sum += level_.boxes[at(n)].x / distance;
        weight += 1.0 / distance;
      }
    };
    if (above) take(before_.of(v));
    if (below) take(after_.of(v));
    if (weight > 0) wish = static_cast<float>(sum / weight);
    return weight > 0;
  }

  // reorder: rows are sorted by what the fixed side wishes; else only positions move, by both sides.
  void sweepRows(bool down, bool reorder) {
    const size_t n = level_.rows.size();
    for (size_t i = 0; i < n; ++i) {
      LevelRow& row = level_.rows[down ? i : n - 1 - i];
      wishes_.resize(level_.boxes.size());
      for (int32_t v : row.boxes) {
        float wish = box(v).x;
        if (!wishOf(v, down || !reorder, !down || !reorder, wish)) wishOf(v, true, true, wish);
        wishes_[at(v)] = wish;
      }
      if (reorder)
        std::stable_sort(row.boxes.begin(), row.boxes.end(),
                         [&](int32_t a, int32_t b) { return wishes_[at(a)] < wishes_[at(b)]; });
      settle(row);
    }
  }

  // Positions nearest (least squares) to the wishes in the given order without overlap: pool adjacent violators.
  void settle(LevelRow& row) {
    struct Pool {
      double sum;
      int32_t size;
      double mean() const { return sum / size; }
    };
    std::vector<Pool> pools;
    std::vector<double> offset(row.boxes.size(), 0);
    for (size_t i = 0; i < row.boxes.size(); ++i) {
      if (i > 0)
        offset[i] = offset[i - 1] + box(row.boxes[i - 1]).right + box::kColumnGap + box(row.boxes[i]).left;
      pools.push_back({wishes_[at(row.boxes[i])] - offset[i], 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().size += last.size;
      }
    }
    size_t i = 0;
    for (const Pool& pool : pools)
      for (int32_t k = 0; k < pool.size; ++k, ++i)
        box(row.boxes[i]).x = static_cast<float>(pool.mean() + offset[i]);
  }

  void finish() {
    float left = INFINITY, right = -INFINITY, y = 0;
    for (LevelRow& row : level_.rows) {
      float height = 0;
      for (int32_t v : row.boxes) {
        left = std::min(left, box(v).x - box(v).left);
        right = std::max(right, box(v).x + box(v).right);
        height = std::max(height, box(v).height);
      }
      row.top = y;
      row.bottom = y + height;
      for (int32_t v : row.boxes) box(v).y = y + (height - box(v).height) / 2;
      y = row.bottom + box::kRowGap;
    }
    if (level_.rows.empty()) return;
    for (LevelBox& b : level_.boxes) b.x -= left;
    level_.width = right - left;
    level_.height = y - box::kRowGap;
  }

  Level& level_;
  Neighbours before_, after_;
  std::vector<int32_t> order_, rank_, nextOpen_;
  std::vector<float> used_, wishes_;
  float limit_ = 0;
};

}  // namespace

void arrangeLevel(Level& level) { LevelArranger(level).run(); }

}  // namespace tessera
