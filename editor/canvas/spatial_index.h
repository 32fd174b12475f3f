// SpatialIndex: which items of a Picture touch a rectangle, by a uniform grid. Built once per picture (also on a
// worker), read by tiles, hit tests and box selection.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/picture/picture.h"

namespace tessera {

class SpatialIndex {
 public:
  explicit SpatialIndex(const Picture& picture);

  // Items that may touch the rectangle and show at the zoom, ascending (painter's order).
  std::vector<uint32_t> itemsIn(const Picture& picture, const RectF& scene, double zoom) const;
  size_t cells() const { return grid_.size(); }  // looked at by a query of everything
  // No more are there than so many, those over many cells aside: known without looking at any.
  size_t mostIn(const RectF& scene) const;
  // Bounds of a view node's frame; empty: none. In one array, so that all nodes can be looked at in a millisecond.
  RectF frameBounds(int32_t viewNode) const {
    return viewNode >= 0 && static_cast<size_t>(viewNode) < frameBounds_.size()
               ? frameBounds_[static_cast<size_t>(viewNode)]
               : RectF();
  }
  // The item of a wire of the view; -1: none.
  int32_t wireItem(size_t viewEdge) const { return viewEdge < wires_.size() ? wires_[viewEdge] : -1; }

 private:
  struct Cells {
    int32_t left, top, right, bottom;  // inclusive
  };
  // An item over many cells, with what decides whether it is seen.
  struct Large {
    RectF reach;
    float minZoom, maxZoom;
    uint32_t item;
    bool isSeenIn(const RectF& scene, double zoom) const {
      return minZoom <= zoom && zoom < maxZoom && reach.intersects(scene);
    }
  };
  // Equal squares over the bounds; what is outside belongs to the outermost ones.
  struct Grid {
    RectF bounds;
    float cell = 1;
    int32_t columns = 1, rows = 1;
    Grid() = default;
    Grid(const RectF& over, float side);
    Cells cellsOf(const RectF& rect) const;
    size_t size() const { return static_cast<size_t>(columns) * static_cast<size_t>(rows); }
    size_t at(int32_t column, int32_t row) const {
      return static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column);
    }
  };
  // Numbers by cell, in one array.
  struct ByCell {
    std::vector<uint32_t> begin, items;
    size_t countIn(const Grid& grid, const Cells& cells) const;
  };
  using Entry = std::pair<uint32_t, uint32_t>;  // cell, number
  static ByCell byCell(const Grid& grid, const std::vector<Entry>& entries);
  void addWire(const PictureItem& wire, uint32_t number, std::vector<uint32_t>& lastOf, std::vector<Entry>& out) const;

  Grid grid_, wireGrid_;
  ByCell items_;
  std::vector<Large> large_, longWires_;  // boxes and texts; wires
  ByCell longWiresOf_;                    // by the cells that a wire runs through, which are few of those of its box
  std::vector<int32_t> wires_;
  std::vector<RectF> frameBounds_;
};

}  // namespace tessera
