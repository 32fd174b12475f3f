// SpatialIndex: which items of a Picture touch a rectangle, by a uniform grid. Built once per picture (also on a
// worker), read by tiles, hit tests and box selection.
#pragma once

#include <cstdint>
#include <vector>

#include "core/picture/picture.h"

namespace tessera {

class SpatialIndex {
 public:
  explicit SpatialIndex(const Picture& picture);

  // Items that may touch the rectangle and show at the zoom, ascending (painter's order).
  std::vector<uint32_t> itemsIn(const Picture& picture, const RectF& scene, double zoom) const;
  size_t cells() const { return begin_.size() - 1; }  // looked at by a query of everything
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
  // An item over many cells, with what decides whether it is seen: there are many thousands, and each is looked at.
  struct Large {
    RectF reach;
    float minZoom, maxZoom;
    uint32_t item;
  };
  Cells cellsOf(const RectF& rect) const;

  RectF bounds_;
  float cell_ = 1;
  int32_t columns_ = 1, rows_ = 1;
  std::vector<uint32_t> begin_, items_;  // by cell
  std::vector<Large> large_;
  std::vector<int32_t> wires_;
  std::vector<RectF> frameBounds_;
};

}  // namespace tessera
