// TileLayer: what of a picture stands still, painted from the tiles of a TileStore. Used by Canvas.
#pragma once

#include <QRegion>
#include <memory>
#include <optional>
#include <vector>

#include "core/picture/picture.h"
#include "editor/canvas/tiles.h"

class QElapsedTimer;
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
  // What of it is exposed, in pixels of the widget. Returns the part for whose stand-ins there was no time: it is to be
  // painted in the next frame.
  QRegion paint(QPainter& painter, double ratio, const QRegion& exposed);
  bool isReady() const { return store_.idle(); }
  bool isCovered(double ratio);  // no part in sight is blank, though some may be blurred
  void wait();                   // until it is ready

 private:
  struct Frame;

  void middleFirst(std::vector<TileKey>& tiles) const;
  bool isFar() const;
  std::optional<int32_t> wholeLevel() const;
  bool isShownBy(int32_t level, const TileKey& key);
  bool isShown(const TileKey& key);  // by tiles of a near level
  std::vector<TileKey> exposedTiles(const Frame& frame, int32_t level, bool far) const;
  void paintTile(const Frame& frame, const TileKey& key, const QImage& image) const;
  void paintOtherLevels(const Frame& frame, int32_t level);
  QRegion paintStandIns(QPainter& painter, const std::vector<TileKey>& missing) const;
  bool paintStandIn(QPainter& painter, const RectF& scene, const QElapsedTimer& clock) const;

  const Viewport& viewport_;
  TileStore store_;
  std::shared_ptr<const Picture> picture_;
  std::shared_ptr<const SpatialIndex> index_;
  Theme theme_ = Theme::Light;
};

}  // namespace tessera
