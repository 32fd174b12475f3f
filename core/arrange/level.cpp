// arrangeLevel: rows, lanes, order, positions (core/arrange/layers.h), then y. O((V + E) log V) for a bounded number of
// lanes and sweeps; everything is done in index order, so equal input gives equal output.
#include "core/arrange/level.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/arrange/arrangement.h"
#include "core/arrange/layers.h"

namespace tessera {
namespace {

constexpr int32_t kLongestLane = 200;  // rows
constexpr size_t kMaxLanes = 24000;    // in one level; the longest wires go without first
constexpr float kLaneHalfWidth = 1;
constexpr size_t kOrderedTwice = 1200;  // of levels that are ordered twice
constexpr size_t kWorthARow = 1;        // crossings

// The longest span of wires (in rows crossed) up to which all lanes together are few enough.
int32_t longestSpanWithLanes(const Level& level) {
  std::vector<size_t> bySpan(at(kLongestLane) + 1, 0);
  for (const LevelWire& w : level.wires) {
    const int32_t span = level.lastRow(w) - level.firstRow(w);
    if (span > 0 && span <= kLongestLane) bySpan[at(span)] += at(span);
  }
  size_t total = 0;
  for (int32_t span = 1; span <= kLongestLane; ++span)
    if ((total += bySpan[at(span)]) > kMaxLanes) return span - 1;
  return kLongestLane;
}

class LayersBuilder {
 public:
  explicit LayersBuilder(const Level& level) : level_(level) {}

  Layers run() {
    for (const LevelBox& b : level_.boxes) out_.spots.push_back({b.left, b.right, 0, b.row, false, false, b.piece});
    for (const LevelRow& row : level_.rows) out_.rows.push_back(row.boxes);
    out_.lanesOf.resize(level_.wires.size());
    out_.thorough = level_.thorough;
    out_.boxGap = level_.boxGap;
    out_.rowGap = level_.rowGap;
    const int32_t longest = longestSpanWithLanes(level_);
    for (size_t w = 0; w < level_.wires.size(); ++w) addWire(w, longest);
    std::sort(out_.segments.begin(), out_.segments.end());
    out_.segments.erase(std::unique(out_.segments.begin(), out_.segments.end()), out_.segments.end());
    out_.above = neighboursOf(out_.spots.size(), std::span<const Segment>(out_.segments), true);
    out_.below = neighboursOf(out_.spots.size(), std::span<const Segment>(out_.segments), false);
    centreRows(out_);
    return std::move(out_);
  }

 private:
  void addWire(size_t index, int32_t longest) {
    const LevelWire& wire = level_.wires[index];
    const int32_t first = level_.firstRow(wire), last = level_.lastRow(wire);
    if (last < first) return addPair(wire.from, wire.to, 0);  // upwards
    if (last - first > longest) {
      if (wire.from >= 0 && wire.to >= 0) addPair(wire.from, wire.to, wire.port);
      return;
    }
    int32_t before = wire.from;
    for (int32_t row = first; row < last; ++row) {
      const int32_t lane = laneOf(wire, row);
      out_.lanesOf[index].push_back(lane);
      if (before >= 0) addPair(before, lane, 0);
      before = lane;
    }
    if (before >= 0 && wire.to >= 0) addPair(before, wire.to, wire.port);
  }
  void addPair(int32_t a, int32_t b, float port) {
    if (out_.spot(a).row > out_.spot(b).row) std::swap(a, b);
    if (out_.spot(a).row != out_.spot(b).row) out_.segments.push_back({a, b, port});
  }
  // Values that come in from above are told from those made here.
  uint64_t valueOf(const LevelWire& wire) const {
    constexpr uint64_t kOwn = uint64_t{1} << 38;
    if (wire.from >= 0 && level_.boxes[at(wire.from)].spread)  // for each reader
      return kOwn | static_cast<uint64_t>(wire.from) << 18 | static_cast<uint64_t>(wire.to + 1);
    return static_cast<uint64_t>(wire.source + 1) * 2 + (wire.from < 0);
  }
  int32_t laneOf(const LevelWire& wire, int32_t row) {
    const uint64_t value = valueOf(wire);
    const auto [found, isNew] =
        lanes_.try_emplace(value << 24 | static_cast<uint64_t>(row), static_cast<int32_t>(out_.spots.size()));
    if (isNew) {
      const int32_t end = wire.from >= 0 ? wire.from : wire.to;
      out_.spots.push_back({kLaneHalfWidth, kLaneHalfWidth, 0, row, true, false, out_.spot(end).piece});
      out_.rows[at(row)].push_back(found->second);
    }
    return found->second;
  }

  const Level& level_;
  std::unordered_map<uint64_t, int32_t> lanes_;
  Layers out_;
};

void finish(Level& level, const Layers& layers) {
  float left = INFINITY, right = -INFINITY, y = 0;
  for (const Spot& s : layers.spots) left = std::min(left, s.x - s.left), right = std::max(right, s.x + s.right);
  for (size_t b = 0; b < level.boxes.size(); ++b) level.boxes[b].x = layers.spots[b].x - left;
  for (size_t r = 0; r < level.rows.size(); ++r) {
    LevelRow& row = level.rows[r];
    row.boxes.clear();
    float height = 0;
    for (int32_t v : layers.rows[r]) {
      if (layers.spot(v).lane) continue;
      row.boxes.push_back(v);
      height = std::max(height, level.boxes[at(v)].height);
    }
    row.top = y;
    row.bottom = y + height;
    for (int32_t v : row.boxes) level.boxes[at(v)].y = y + (height - level.boxes[at(v)].height) / 2;
    y = row.bottom + level.rowGap;
  }
  level.lanes.resize(level.wires.size());
  for (size_t w = 0; w < level.wires.size(); ++w)
    for (int32_t lane : layers.lanesOf[w]) level.lanes[w].push_back(layers.spot(lane).x - left);
  level.width = right - left;
  level.height = y - level.rowGap;
}

bool isOrderedTwice(const Layers& layers) { return layers.thorough && layers.segments.size() <= kOrderedTwice; }

struct Ordered {
  Layers layers;
  size_t crossings = 0;
};
Ordered ordered(const Level& level, const std::stop_token& stop) {
  Ordered out{layersOf(level)};
  out.layers.stop = stop;
  markMainPaths(level, out.layers);
  out.crossings = orderRows(out.layers);
  return out;
}

}  // namespace

Layers layersOf(const Level& level) { return LayersBuilder(level).run(); }

void arrangeLevel(Level& level, const std::stop_token& stop) {
  if (level.boxes.empty()) return;
  assignRows(level);
  if (stop.stop_requested()) return;
  Ordered best = ordered(level, stop);
  Level raised = level;
  if (best.crossings > kWorthARow && isOrderedTwice(best.layers) && raiseHubs(raised))
    if (Ordered other = ordered(raised, stop); other.crossings + kWorthARow < best.crossings) {
      level = std::move(raised);
      best = std::move(other);
    }
  placeRows(best.layers);
  finish(level, best.layers);
}

}  // namespace tessera
