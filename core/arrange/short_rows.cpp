// assignShortRows: a piece is a connected component. Each piece has its shortest rows and begins at the first row from
// which all of its rows have room beside the pieces before it.
#include "core/arrange/short_rows.h"

#include <algorithm>
#include <cmath>

#include "core/arrange/arrangement.h"

namespace tessera {
namespace {

constexpr size_t kMostShortRowBoxes = 400;
constexpr float kPageWidth = 13.f / 7, kPageAspect = 2.5f;  // of the widest row: times Level::widest, Level::aspect

class PiecePacker {
 public:
  explicit PiecePacker(Level& level) : level_(level), pieceOf_(level.boxes.size(), -1), row_(level.boxes.size()) {
    double area = 0;
    for (const LevelBox& b : level.boxes)
      area += static_cast<double>(b.left + b.right + level.boxGap) * (b.height + level.rowGap);
    limit_ = std::max(kPageWidth * level.widest, static_cast<float>(std::sqrt(area * kPageAspect * level.aspect)));
  }

  bool run() {
    findDownwardWires();
    for (int32_t v = 0; v < static_cast<int32_t>(pieceOf_.size()); ++v)
      if (pieceOf_[at(v)] < 0 && !addPiece(v)) return false;
    level_.rows.resize(used_.size());
    for (size_t v = 0; v < row_.size(); ++v) {
      level_.boxes[v].row = row_[v];
      level_.boxes[v].piece = pieceOf_[v];
    }
    for (int32_t v : order_) level_.rows[at(row_[at(v)])].boxes.push_back(v);
    return true;
  }

 private:
  // The users of each box, ascending, each once; `reads`: which boxes have operands.
  std::vector<std::vector<int32_t>> usersOf(std::vector<bool>& reads) const {
    std::vector<std::vector<int32_t>> after(level_.boxes.size());
    for (const LevelWire& w : level_.wires)
      if (w.from >= 0 && w.to >= 0 && w.from != w.to) after[at(w.from)].push_back(w.to), reads[at(w.to)] = true;
    for (auto& users : after) {
      std::ranges::sort(users);
      users.erase(std::unique(users.begin(), users.end()), users.end());
    }
    return after;
  }
  // One wire for each pair; those that would close a cycle are reversed: depth first from the boxes without operands.
  void findDownwardWires() {
    const size_t n = level_.boxes.size();
    std::vector<bool> reads(n);
    const std::vector<std::vector<int32_t>> after = usersOf(reads);
    neighbours_.resize(n);
    std::vector<Visit> visits(n, Visit::None);
    for (size_t v = 0; v < n; ++v)
      if (!reads[v]) visitFrom(static_cast<int32_t>(v), after, visits);
    for (size_t v = 0; v < n; ++v) visitFrom(static_cast<int32_t>(v), after, visits);
  }
  enum class Visit : uint8_t { None, OnStack, Done };
  void visitFrom(int32_t start, const std::vector<std::vector<int32_t>>& after, std::vector<Visit>& visits) {
    if (visits[at(start)] != Visit::None) return;
    visits[at(start)] = Visit::OnStack;
    std::vector<std::pair<int32_t, size_t>> stack{{start, 0}};
    while (!stack.empty()) {
      auto& [v, next] = stack.back();
      if (next == after[at(v)].size()) {
        visits[at(v)] = Visit::Done;
        stack.pop_back();
        continue;
      }
      const int32_t user = after[at(v)][next++];
      visits[at(user)] == Visit::OnStack ? addWire(user, v) : addWire(v, user);
      if (visits[at(user)] != Visit::None) continue;
      visits[at(user)] = Visit::OnStack;
      stack.push_back({user, 0});
    }
  }
  void addWire(int32_t from, int32_t to) {
    neighbours_[at(from)].push_back({to, true});
    neighbours_[at(to)].push_back({from, false});
  }

  bool addPiece(int32_t start) {
    std::vector<int32_t> members{start};
    pieceOf_[at(start)] = pieces_;
    for (size_t k = 0; k < members.size(); ++k)
      for (const auto& [next, below] : neighbours_[at(members[k])])
        if (pieceOf_[at(next)] < 0) pieceOf_[at(next)] = pieces_, members.push_back(next);
    ++pieces_;
    std::ranges::sort(members);
    std::vector<int32_t> local(level_.boxes.size());
    for (size_t k = 0; k < members.size(); ++k) local[at(members[k])] = static_cast<int32_t>(k);
    std::vector<std::pair<int32_t, int32_t>> wires;
    for (int32_t v : members)
      for (const auto& [next, below] : neighbours_[at(v)])
        if (below) wires.push_back({local[at(v)], local[at(next)]});
    return place(members, shortestRows(members.size(), wires));
  }
  bool place(const std::vector<int32_t>& members, const std::vector<int32_t>& rows) {
    std::vector<float> widths(at(*std::ranges::max_element(rows)) + 1, 0);
    for (size_t k = 0; k < members.size(); ++k) {
      const LevelBox& b = level_.boxes[at(members[k])];
      widths[at(rows[k])] += b.left + b.right + level_.boxGap;
    }
    if (std::ranges::any_of(widths, [&](float width) { return width > limit_; })) return false;
    size_t top = 0;
    while (!hasRoom(widths, top)) ++top;
    used_.resize(std::max(used_.size(), top + widths.size()), 0);
    for (size_t r = 0; r < widths.size(); ++r) used_[top + r] += widths[r];
    for (size_t k = 0; k < members.size(); ++k) {
      row_[at(members[k])] = rows[k] + static_cast<int32_t>(top);
      order_.push_back(members[k]);
    }
    return true;
  }
  bool hasRoom(const std::vector<float>& widths, size_t top) const {
    for (size_t r = 0; r < widths.size() && top + r < used_.size(); ++r)
      if (used_[top + r] > 0 && used_[top + r] + widths[r] > limit_) return false;
    return true;
  }

  Level& level_;
  std::vector<std::vector<std::pair<int32_t, bool>>> neighbours_;  // a box, and whether it is below
  std::vector<int32_t> pieceOf_, row_, order_;
  std::vector<float> used_;  // by row
  int32_t pieces_ = 0;
  float limit_ = 0;
};

}  // namespace

bool assignShortRows(Level& level) {
  return level.thorough && level.boxes.size() <= kMostShortRowBoxes && PiecePacker(level).run();
}

}  // namespace tessera
