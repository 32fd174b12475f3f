// placeRows: positions by isotonic regression over the rows, then main paths, lanes and chains of single wires are made
// straight where their neighbours leave room and wires do not become much longer.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/arrange/arrangement.h"
#include "core/arrange/layers.h"

namespace tessera {
namespace {

constexpr int kPositionSweepsFew = 30, kPositionSweepsMany = 4;
constexpr size_t kFewSpots = 8000;  // spots
constexpr double kLaneWeight = 3, kMainWeight = 24;
constexpr int kStraightenRounds = 2;
// How much longer than the shortest wires may be, for main paths and chains that run straight, for chains alone.
constexpr double kLongerForAll = 1.05, kLongerForChains = 1.1;

bool isSmall(const Layers& layers) { return layers.thorough && layers.spots.size() <= kFewSpots; }

class RowPlacer {
 public:
  explicit RowPlacer(Layers& layers) : layers_(layers), wishes_(layers.spots.size()), place_(layers.spots.size()) {
    for (const auto& row : layers.rows)
      for (size_t k = 0; k < row.size(); ++k) place_[at(row[k])] = k;
  }

  void settle() {
    const int sweeps = isSmall(layers_) ? kPositionSweepsFew : kPositionSweepsMany;
    for (int sweep = 0; sweep < sweeps && !layers_.stop.stop_requested(); ++sweep) sweepRows(sweep % 2 == 0);
  }
  void straighten() {
    const auto chains = straightChains();
    for (int round = 0; round < kStraightenRounds; ++round)
      for (const auto& chain : chains) straighten(chain);
  }

 private:
  void sweepRows(bool down) {
    const size_t n = layers_.rows.size();
    for (size_t i = 0; i < n; ++i) {
      const auto& row = layers_.rows[down ? i : n - 1 - i];
      for (int32_t v : row)
        if (!wishOf(layers_, v, true, true, wishes_[at(v)])) wishes_[at(v)] = layers_.spot(v).x;
      settleRow(layers_, row, wishes_);
    }
  }

  // Runs of spots that are each other's only neighbour downwards and upwards, lanes among them, longest first.
  std::vector<std::vector<int32_t>> straightChains() const {
    std::vector<bool> taken(layers_.spots.size());
    std::vector<std::vector<int32_t>> mains = mainChains(), out;
    for (const auto& chain : mains)
      for (int32_t v : chain) taken[at(v)] = true;
    for (const auto& row : layers_.rows)
      for (int32_t start : row) {
        if (taken[at(start)]) continue;
        std::vector<int32_t> chain{start};
        while (true) {
          const int32_t next = onlyBelow(chain.back());
          if (next < 0 || taken[at(next)]) break;
          chain.push_back(next);
        }
        if (chain.size() < 2) continue;
        for (int32_t v : chain) taken[at(v)] = true;
        out.push_back(std::move(chain));
      }
    std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
    out.insert(out.begin(), mains.begin(), mains.end());
    return out;
  }
  // The main paths: one chain for each connected component.
  std::vector<std::vector<int32_t>> mainChains() const {
    std::map<int32_t, std::vector<int32_t>> byPiece;
    for (const auto& row : layers_.rows)
      for (int32_t v : row)
        if (layers_.spot(v).main) byPiece[layers_.spot(v).piece].push_back(v);
    std::vector<std::vector<int32_t>> out;
    for (auto& [piece, chain] : byPiece) out.push_back(std::move(chain));
    return out;
  }
  int32_t onlyBelow(int32_t v) const {
    const auto below = layers_.below.of(v);
    if (below.empty()) return -1;
    if (below.size() == 1) {
      const int32_t next = below[0];
      return layers_.above.of(next).size() == 1 || layers_.spot(v).lane ? adjacent(v, next) : -1;
    }
    for (int32_t next : below)  // a trunk goes on below its branches
      if (layers_.spot(v).lane && layers_.spot(next).lane) return adjacent(v, next);
    return -1;
  }
  int32_t adjacent(int32_t v, int32_t next) const {
    return layers_.spot(next).row == layers_.spot(v).row + 1 && layers_.above.of(next).size() == 1 ? next : -1;
  }

  // Moves a chain to one x; splits it where the room ends.
  void straighten(const std::vector<int32_t>& chain) {
    for (size_t begin = 0; begin < chain.size();) {
      float low = -INFINITY, high = INFINITY, sum = 0;
      size_t end = begin;
      for (; end < chain.size(); ++end) {
        const auto [from, to] = roomOf(chain[end]);
        if (std::max(low, from) > std::min(high, to)) break;
        low = std::max(low, from), high = std::min(high, to);
        sum += layers_.spot(chain[end]).x;
      }
      if (end == begin)
        ++end;
      else {
        const float x = std::clamp(sum / static_cast<float>(end - begin), low, high);
        for (size_t k = begin; k < end; ++k) layers_.spot(chain[k]).x = x;
      }
      begin = end;
    }
  }
  std::pair<float, float> roomOf(int32_t v) const {
    const auto& row = layers_.rows[at(layers_.spot(v).row)];
    const size_t k = place_[at(v)];
    const float low = k == 0 ? -INFINITY : layers_.spot(row[k - 1]).x + layers_.apart(row[k - 1], v);
    const float high = k + 1 == row.size() ? INFINITY : layers_.spot(row[k + 1]).x - layers_.apart(v, row[k + 1]);
    return {low, std::max(low, high)};
  }

  Layers& layers_;
  std::vector<float> wishes_;
  std::vector<size_t> place_;
};

Layers settled(Layers layers) {
  RowPlacer(layers).settle();
  return layers;
}
Layers straightened(Layers layers) {
  RowPlacer(layers).straighten();
  return layers;
}
Layers withoutMainPaths(Layers layers) {
  for (Spot& spot : layers.spots) spot.main = false;
  return layers;
}

double wireLength(const Layers& layers) {
  double sum = 0;
  for (const Segment& s : layers.segments)
    sum += std::hypot(layers.spot(s.lower).x + s.port - layers.spot(s.upper).x, layers.rowGap);
  return sum;
}

}  // namespace

// Pool adjacent violators.
void settleRow(Layers& layers, std::span<const int32_t> row, const std::vector<float>& wishes) {
  struct Pool {
    double sum, weight;
    size_t size;
    double mean() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  std::vector<double> offset(row.size(), 0);
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) offset[i] = offset[i - 1] + layers.apart(row[i - 1], row[i]);
    const Spot& spot = layers.spot(row[i]);
    const double weight = spot.main ? kMainWeight : spot.lane ? kLaneWeight : 1;
    pools.push_back({(wishes[at(row[i])] - offset[i]) * weight, weight, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().weight += last.weight;
      pools.back().size += last.size;
    }
  }
  size_t i = 0;
  for (const Pool& pool : pools)
    for (size_t k = 0; k < pool.size; ++k, ++i) layers.spot(row[i]).x = static_cast<float>(pool.mean() + offset[i]);
}

void centreRows(Layers& layers) {
  for (const auto& row : layers.rows) {
    if (row.empty()) continue;
    layers.spot(row[0]).x = layers.spot(row[0]).left;
    for (size_t k = 1; k < row.size(); ++k)
      layers.spot(row[k]).x = layers.spot(row[k - 1]).x + layers.apart(row[k - 1], row[k]);
    const float middle = (layers.spot(row.back()).x + layers.spot(row.back()).right) / 2;
    for (int32_t v : row) layers.spot(v).x -= middle;
  }
}

void placeRows(Layers& layers) {
  if (!isSmall(layers)) {
    layers = straightened(settled(std::move(layers)));
    return;
  }
  Layers loose = settled(withoutMainPaths(layers)), chains = straightened(loose);
  Layers whole = straightened(settled(std::move(layers)));
  const double shortest = std::min({wireLength(whole), wireLength(chains), wireLength(loose)});
  layers = std::move(wireLength(whole) <= kLongerForAll * shortest       ? whole
                     : wireLength(chains) <= kLongerForChains * shortest ? chains
                                                                         : loose);
}

}  // namespace tessera
