// markMainPaths: the longest path through each connected component of a level, which placeRows keeps straight.
#include <algorithm>

#include "core/arrange/arrangement.h"
#include "core/arrange/layers.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr int32_t kShortest = 4;  // boxes

class MainPaths {
 public:
  MainPaths(const Level& level, Layers& layers)
      : level_(level), layers_(layers), length_(level.boxes.size(), 1), wireTo_(level.boxes.size(), -1) {}

  void run() {
    measure();
    std::vector<int32_t> endOf;  // by component: where its longest path ends
    for (int32_t v = 0; v < static_cast<int32_t>(length_.size()); ++v) {
      const size_t piece = at(level_.boxes[at(v)].piece);
      if (piece >= endOf.size()) endOf.resize(piece + 1, -1);
      if (endOf[piece] < 0 || length_[at(v)] > length_[at(endOf[piece])]) endOf[piece] = v;
    }
    for (int32_t end : endOf)
      if (end >= 0 && length_[at(end)] >= kShortest) mark(end);
  }

 private:
  // Row by row: lengths of a box's operands are final before its own.
  void measure() {
    std::vector<int32_t> wires;
    for (size_t w = 0; w < level_.wires.size(); ++w)
      if (const LevelWire& wire = level_.wires[w]; wire.from >= 0 && wire.to >= 0 && rowOf(wire.from) < rowOf(wire.to))
        wires.push_back(static_cast<int32_t>(w));
    sortBy(wires, [&](int32_t w) { return rowOf(level_.wires[at(w)].to); });
    for (int32_t w : wires) {
      const LevelWire& wire = level_.wires[at(w)];
      if (length_[at(wire.from)] < length_[at(wire.to)]) continue;
      length_[at(wire.to)] = length_[at(wire.from)] + 1;
      wireTo_[at(wire.to)] = w;
    }
  }
  int32_t rowOf(int32_t box) const { return level_.boxes[at(box)].row; }

  void mark(int32_t box) {
    layers_.spot(box).main = true;
    for (int32_t w = wireTo_[at(box)]; w >= 0; w = wireTo_[at(box)]) {
      for (int32_t lane : layers_.lanesOf[at(w)]) layers_.spot(lane).main = true;
      box = level_.wires[at(w)].from;
      layers_.spot(box).main = true;
    }
  }

  const Level& level_;
  Layers& layers_;
  std::vector<int32_t> length_;  // boxes on the longest path that ends here
  std::vector<int32_t> wireTo_;  // the last wire on it
};

}  // namespace

void markMainPaths(const Level& level, Layers& layers) { MainPaths(level, layers).run(); }

}  // namespace tessera
