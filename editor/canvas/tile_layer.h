// TileLayer: what of a picture stands still, painted from the tiles of a TileStore. Used by Canvas.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/picture/picture.h"
#include "editor/canvas/tiles.h"

class QPainter;

namespace tessera {

class Viewport;

class TileLayer {
 public:
  explicit TileLayer(const Viewport& viewport) : viewport_(viewport) {}
  TileStore& store() { return store_; }

  void reset(std::shared_ptr<const Picture> picture, std::shared_ptr<const SpatialIndex> index, Theme theme);
  // What is in sight; ratio: device pixels a pixel. Behind it the whole of a large picture, which then stays.
  void request(double ratio);
  void paint(QPainter& painter, double ratio);
  bool isReady() const { return store_.idle(); }
  void wait();  // until it is ready

 private:
  bool isFar() const;
  std::optional<int32_t> wholeLevel() const;
  bool isShown(const TileKey& key);
  void paintStandIns(QPainter& painter, const std::vector<TileKey>& missing) const;

  const Viewport& viewport_;
  TileStore store_;
  std::shared_ptr<const Picture> picture_;
  std::shared_ptr<const SpatialIndex> index_;
  Theme theme_ = Theme::Light;
};

}  // namespace tessera
