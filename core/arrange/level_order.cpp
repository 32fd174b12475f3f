// orderRows: barycentre and median sweeps, exchanges of neighbours, and sifting (each spot goes where its row has the
// fewest crossings; R. Rudell's for decision diagrams); the order with the fewest crossings is kept. Big levels get
// fewer sweeps, no exchanges and no sifting.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "core/arrange/arrangement.h"
#include "core/arrange/layers.h"

namespace tessera {
namespace {

constexpr size_t kFewSegments = 4000, kManySegments = 20000;  // segments
constexpr int kOrderSweepsFew = 24, kOrderSweepsMany = 10, kOrderSweepsMost = 6;
constexpr int kExchangeRounds = 4;
constexpr size_t kShakenSize = 1200;                 // segments
constexpr size_t kShaken = 7200, kMostShakes = 100;  // segments in all shakes of a level; shakes
constexpr double kVainShakes = 0.4;                  // of all, without fewer crossings
constexpr int kVainSweeps = 8;                       // without a better order
constexpr double kMainPull = 32;                     // aligns the boxes of a main path, whatever their ports
constexpr std::ptrdiff_t kSiftReach = 40;            // places in a row
constexpr int kLengthSweeps = 4;
constexpr double kShorter = 0.98;
constexpr int32_t kSlots = 8;  // places at a box's upper edge that are told apart

class RowOrder {
 public:
  explicit RowOrder(Layers& layers) : layers_(layers), place_(layers.spots.size()), wishes_(layers.spots.size()) {
    for (const auto& row : layers.rows) number(row);
  }

  size_t run() {
    const auto start = layers_.rows;
    isSmall_ = layers_.thorough && layers_.segments.size() <= kFewSegments;
    keep(crossings());
    const size_t size = layers_.thorough ? layers_.segments.size() : SIZE_MAX;
    search(size <= kFewSegments ? kOrderSweepsFew : size <= kManySegments ? kOrderSweepsMany : kOrderSweepsMost, false);
    if (size <= kManySegments && !isDone()) {
      restart(start);
      search(size <= kFewSegments ? kOrderSweepsFew : kOrderSweepsMany, true);
    }
    const size_t shakes = size > kShakenSize ? 0 : std::min(kMostShakes, kShaken / std::max<size_t>(size, 1));
    const auto vain = static_cast<size_t>(kVainShakes * static_cast<double>(shakes));
    for (size_t round = 0, since = 0; round < shakes && since <= vain && fewest_ > 0 && !isStopped();
         ++round, ++since) {
      const size_t before = fewest_;
      restart(best_);
      shake();
      search(kOrderSweepsMost, true);
      if (fewest_ < before) since = 0;
    }
    restart(best_);
    return fewest_;
  }

 private:
  void number(const std::vector<int32_t>& row) {
    for (size_t k = 0; k < row.size(); ++k) place_[at(row[k])] = static_cast<int32_t>(k);
  }
  void restart(const std::vector<std::vector<int32_t>>& rows) {
    layers_.rows = rows;
    centreRows(layers_);
    for (const auto& row : layers_.rows) number(row);
  }
  // Fewest crossings win, then, in small levels, the shortest wires.
  void keep(size_t now) {
    fewest_ = now;
    best_ = layers_.rows;
    if (isSmall_) shortest_ = length();
  }
  bool isBetter(size_t now) { return now < fewest_ || (isSmall_ && now == fewest_ && length() < kShorter * shortest_); }
  // Sum of the horizontal lengths of all wires, with boxes placed by the wishes of their neighbours.
  double length() {
    std::vector<Spot> spots = layers_.spots;
    for (int sweep = 0; sweep < kLengthSweeps; ++sweep)
      for (size_t k = 0; k < layers_.rows.size(); ++k) {
        const auto& row = layers_.rows[sweep % 2 == 0 ? k : layers_.rows.size() - 1 - k];
        for (int32_t v : row)
          if (!wishOf(layers_, v, true, true, wishes_[at(v)])) wishes_[at(v)] = layers_.spot(v).x;
        settleRow(layers_, row, wishes_);
      }
    double sum = 0;
    for (const Segment& s : layers_.segments)
      sum += std::abs(layers_.spot(s.upper).x - layers_.spot(s.lower).x - s.port);
    layers_.spots.swap(spots);
    return sum;
  }
  bool isDone() const { return fewest_ == 0 && !isSmall_; }
  bool isStopped() const { return layers_.stop.stop_requested(); }

  void search(int sweeps, bool byMedian) {
    for (int sweep = 0, since = 0; sweep < sweeps && since < kVainSweeps && !isDone() && !isStopped();
         ++sweep, ++since) {
      if (byMedian)
        sweepMedians(sweep % 2 == 0, sweep % 4 < 2);
      else
        sweepRows(sweep % 2 == 0);
      if (isSmall_) exchange(byMedian);
      if (byMedian && layers_.segments.size() <= kShakenSize) sift();
      const size_t now = crossings();
      if (!isBetter(now)) continue;
      keep(now);
      since = 0;
    }
  }

  // Leaves a local optimum: some neighbours in every row change places, the same every time.
  void shake() {
    for (auto& row : layers_.rows) {
      for (size_t k = 0; k + 1 < row.size(); ++k) {
        random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
        const size_t other = k + (random_ >> 33) % std::min<size_t>(row.size() - k, 4);
        if ((random_ >> 60) < 6) std::swap(row[k], row[other]);
      }
      number(row);
    }
  }

  // Among boxes with equal wishes lanes are in the middle: a trunk with branches at both sides.
  void sortByWishes(std::vector<int32_t>& row) {
    const auto key = [&](int32_t v) { return std::pair(layers_.spot(v).piece, wishes_[at(v)]); };
    std::ranges::stable_sort(row, {}, key);
    for (auto begin = row.begin(); begin != row.end();) {
      const auto end = std::find_if(begin, row.end(), [&](int32_t v) { return key(v) != key(*begin); });
      const auto lanes = std::stable_partition(begin, end, [&](int32_t v) { return !layers_.spot(v).lane; });
      std::rotate(begin + (lanes - begin) / 2, lanes, end);
      begin = end;
    }
  }

  // By the median place of the neighbours in the row before; equals keep or change their order in turn.
  void sweepMedians(bool down, bool keepEquals) {
    const size_t n = layers_.rows.size();
    for (size_t i = 0; i < n; ++i) {
      auto& row = layers_.rows[down ? i : n - 1 - i];
      for (int32_t v : row) wishes_[at(v)] = medianOf(v, down);
      if (!keepEquals) std::reverse(row.begin(), row.end());
      sortByWishes(row);
      number(row);
    }
  }
  float medianOf(int32_t v, bool above) {
    places_.clear();
    const int32_t row = layers_.spot(v).row + (above ? -1 : 1);
    const Neighbours& side = above ? layers_.above : layers_.below;
    const auto neighbours = side.of(v);
    for (size_t k = 0; k < neighbours.size(); ++k)
      if (layers_.spot(neighbours[k]).row == row)
        places_.push_back(above ? static_cast<float>(place_[at(neighbours[k])])
                                : static_cast<float>(slotOf(neighbours[k], side.portsOf(v)[k])) / kSlots);
    if (places_.empty()) return static_cast<float>(place_[at(v)]);
    std::sort(places_.begin(), places_.end());
    const size_t middle = places_.size() / 2;
    return places_.size() % 2 == 1 ? places_[middle] : (places_[middle - 1] + places_[middle]) / 2;
  }

  void sweepRows(bool down) {
    const size_t n = layers_.rows.size();
    for (size_t i = 0; i < n; ++i) {
      auto& row = layers_.rows[down ? i : n - 1 - i];
      for (int32_t v : row) {
        float wish = layers_.spot(v).x;
        if (!wishOf(layers_, v, down, !down, wish)) wishOf(layers_, v, true, true, wish);
        wishes_[at(v)] = wish;
      }
      sortByWishes(row);
      settleRow(layers_, row, wishes_);
      number(row);
    }
  }

  // The place of a segment's lower end among all in its row.
  int32_t slotOf(int32_t lower, float port) const {
    const Spot& s = layers_.spot(lower);
    const float width = std::max(s.left + s.right, 1.f);
    const auto slot = static_cast<int32_t>((port + s.left) / width * kSlots);
    return place_[at(lower)] * kSlots + (s.lane ? kSlots / 2 : std::clamp(slot, 0, kSlots - 1));
  }
  // Crossings of segments between neighbouring rows, by counting inversions.
  size_t crossings() {
    size_t total = 0;
    std::vector<int32_t> ends;
    std::vector<uint32_t> tree;
    for (size_t r = 0; r + 1 < layers_.rows.size(); ++r) {
      ends.clear();
      for (int32_t v : layers_.rows[r]) {
        const size_t begin = ends.size();
        const auto below = layers_.below.of(v);
        for (size_t k = 0; k < below.size(); ++k)
          if (layers_.spot(below[k]).row == static_cast<int32_t>(r) + 1)
            ends.push_back(slotOf(below[k], layers_.below.portsOf(v)[k]));
        std::sort(ends.begin() + static_cast<std::ptrdiff_t>(begin), ends.end());
      }
      total += inversions(ends, layers_.rows[r + 1].size() * kSlots, tree);
    }
    return total;
  }
  static size_t inversions(const std::vector<int32_t>& ends, size_t width, std::vector<uint32_t>& tree) {
    tree.assign(width + 1, 0);
    size_t total = 0, seen = 0;
    for (int32_t end : ends) {
      size_t notAfter = 0;
      for (size_t k = at(end) + 1; k > 0; k -= k & (~k + 1)) notAfter += tree[k];
      total += seen - notAfter;
      for (size_t k = at(end) + 1; k <= width; k += k & (~k + 1)) ++tree[k];
      ++seen;
    }
    return total;
  }

  // Swaps neighbours in a row where that removes crossings with both rows beside it.
  void exchange(bool onlyOrder) {
    for (int round = 0; round < kExchangeRounds; ++round) {
      bool any = false;
      for (auto& row : layers_.rows) {
        const bool swapped = exchangeIn(row);
        if (swapped && !onlyOrder) settleInOrder(row);
        any |= swapped;
      }
      if (!any) return;
    }
  }
  bool exchangeIn(std::vector<int32_t>& row) {
    noteEnds(row);
    bool any = false;
    for (size_t k = 0; k + 1 < row.size(); ++k) {
      const int32_t a = row[k], b = row[k + 1];
      if (layers_.spot(a).piece != layers_.spot(b).piece) continue;
      if (crossingsMore(a, b) <= 0) continue;
      std::swap(row[k], row[k + 1]);
      std::swap(layers_.spot(a).x, layers_.spot(b).x);
      std::swap(place_[at(a)], place_[at(b)]);
      any = true;
    }
    return any;
  }
  void sift() {
    for (auto& row : layers_.rows) {
      noteEnds(row);
      for (const int32_t v : std::vector<int32_t>(row)) siftOne(row, v);
    }
  }
  // To where it has the fewest crossings with the others of its piece, and of such places to the nearest.
  void siftOne(std::vector<int32_t>& row, int32_t v) {
    const auto own = static_cast<std::ptrdiff_t>(place_[at(v)]);
    std::ptrdiff_t best = own;
    int64_t fewest = 0;
    for (const std::ptrdiff_t step : {-1, 1}) {
      int64_t change = 0;
      for (std::ptrdiff_t k = own + step; k >= 0 && k < std::ssize(row) && std::abs(k - own) <= kSiftReach; k += step) {
        const int32_t other = row[static_cast<size_t>(k)];
        if (layers_.spot(other).piece != layers_.spot(v).piece) break;
        change += step < 0 ? crossingsMore(v, other) : crossingsMore(other, v);
        if (change < fewest) fewest = change, best = k;
      }
    }
    if (best == own) return;
    const auto begin = row.begin();
    if (best < own)
      std::rotate(begin + best, begin + own, begin + own + 1);
    else
      std::rotate(begin + own, begin + own + 1, begin + best + 1);
    number(row);
  }
  // Where the segments of a row's spots end, which stays while spots of that row change places.
  void noteEnds(const std::vector<int32_t>& row) {
    ends_.clear();
    endsOf_.resize(layers_.spots.size());
    for (const int32_t v : row)
      for (const bool up : {true, false}) {
        const size_t begin = ends_.size();
        const Neighbours& side = up ? layers_.above : layers_.below;
        const auto neighbours = side.of(v);
        for (size_t k = 0; k < neighbours.size(); ++k)
          ends_.push_back({layers_.spot(neighbours[k]).row,
                           up ? place_[at(neighbours[k])] : slotOf(neighbours[k], side.portsOf(v)[k])});
        std::sort(ends_.begin() + static_cast<std::ptrdiff_t>(begin), ends_.end());
        endsOf_[at(v)][up ? 0 : 1] = {begin, ends_.size()};
      }
  }
  using End = std::pair<int32_t, int32_t>;  // row and place in it
  // How many more crossings their segments have with each other where a stands left of b than where it stands right.
  int64_t crossingsMore(int32_t a, int32_t b) const {
    int64_t out = 0;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const auto [beginA, endA] = endsOf_[at(a)][side];
      const auto [beginB, endB] = endsOf_[at(b)][side];
      if (endA - beginA == 1 && endB - beginB == 1) {  // lanes
        const End& x = ends_[beginA];
        const End& y = ends_[beginB];
        if (x.first == y.first) out += (x.second > y.second) - (x.second < y.second);
        continue;
      }
      const std::span<const End> ofA(ends_.data() + beginA, endA - beginA), ofB(ends_.data() + beginB, endB - beginB);
      out += inverted(ofA, ofB) - inverted(ofB, ofA);
    }
    return out;
  }
  // Pairs of ends in one row where that of the left spot stands right of the other.
  static int64_t inverted(std::span<const End> left, std::span<const End> right) {
    int64_t out = 0;
    size_t above = 0, before = 0;
    for (const End& end : left) {
      while (above < right.size() && right[above].first < end.first) ++above;
      while (before < right.size() && right[before] < end) ++before;
      out += static_cast<int64_t>(before - above);
    }
    return out;
  }
  void settleInOrder(const std::vector<int32_t>& row) {
    for (int32_t v : row) wishes_[at(v)] = layers_.spot(v).x;
    settleRow(layers_, row, wishes_);
  }

  Layers& layers_;
  std::vector<int32_t> place_;
  std::vector<float> wishes_, places_;
  std::vector<End> ends_;
  std::vector<std::array<std::pair<size_t, size_t>, 2>> endsOf_;  // by spot, above and below: a stretch of ends_
  std::vector<std::vector<int32_t>> best_;
  size_t fewest_ = 0;
  double shortest_ = 0;
  bool isSmall_ = false;
  uint64_t random_ = 1;
};

}  // namespace

bool wishOf(const Layers& layers, int32_t v, bool above, bool below, float& wish) {
  double sum = 0, weight = 0;
  const Spot& own = layers.spot(v);
  auto take = [&](const Neighbours& side, float towards) {
    const auto neighbours = side.of(v);
    for (size_t k = 0; k < neighbours.size(); ++k) {
      const Spot& other = layers.spot(neighbours[k]);
      const bool main = own.main && other.main;
      const double pull = (main                     ? kMainPull
                           : own.lane && other.lane ? 8.0
                           : own.lane || other.lane ? 2.0
                                                    : 1.0) /
                          std::abs(other.row - own.row);
      sum += (other.x + (main ? 0 : towards * side.portsOf(v)[k])) * pull;
      weight += pull;
    }
  };
  if (above) take(layers.above, -1);
  if (below) take(layers.below, 1);
  if (weight > 0) wish = static_cast<float>(sum / weight);
  return weight > 0;
}

size_t orderRows(Layers& layers) { return RowOrder(layers).run(); }

}  // namespace tessera
