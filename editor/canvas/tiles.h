// TileStore: images of the standing picture, 512 pixels square, filled by worker threads. All stores together keep the
// least recently used ones up to what the user prefers, and at least what each was asked for last. Tiles lie on a grid
// per zoom level (powers of the square root of two); between levels they are drawn scaled.
#pragma once

#include <QHash>
#include <QImage>
#include <QObject>
#include <QRectF>
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "core/picture/picture.h"
#include "editor/canvas/spatial_index.h"

namespace tessera {

struct TileKey {
  int32_t level = 0, column = 0, row = 0;
  bool far = false;  // what is shown from afar: one level serves zooms on both sides
  bool operator==(const TileKey&) const = default;
};
inline size_t qHash(const TileKey& key, size_t seed = 0) {
  return qHashMulti(seed, key.level, key.column, key.row, key.far);
}

class TileStore : public QObject {
  Q_OBJECT

 public:
  static constexpr int kPixels = 512;

  explicit TileStore(QObject* parent = nullptr);
  ~TileStore() override;

  // Forgets all tiles; running workers finish for nothing.
  void reset(std::shared_ptr<const Picture> picture, std::shared_ptr<const SpatialIndex> index, Theme theme);

  static int32_t levelFor(double zoom);  // the level whose tiles are drawn at this zoom, never enlarged
  static double zoomOf(int32_t level);
  static RectF sceneRect(const TileKey& key);

  const QImage* find(const TileKey& key);  // null: not filled
  // Asks for these tiles, the first ones first; what was asked before and is not among them is dropped. ratio: device
  // pixels a pixel; by another one all tiles are forgotten.
  void request(const std::vector<TileKey>& keys, double ratio);
  // These stay, and are filled when nothing else is asked for.
  void keep(std::vector<TileKey> keys) { kept_ = std::move(keys); }
  bool idle() const;           // what was asked for last is there
  static size_t bytesOfAll();  // of all stores

 signals:
  void filled(QRectF scene);  // this part is there

 private:
  struct Entry {
    QImage image;
    uint64_t used = 0;
  };
  bool isNeeded(const TileKey& key) const;
  bool isRunning(const TileKey& key) const;
  void startWorkers();
  void start(const TileKey& key);
  void take(uint64_t generation, TileKey key, QImage image);
  static void dropOldest();
  static std::vector<TileStore*>& all();

  std::shared_ptr<const Picture> picture_;
  std::shared_ptr<const SpatialIndex> index_;
  Theme theme_ = Theme::Light;
  double ratio_ = 1;
  uint64_t generation_ = 0;
  QHash<TileKey, Entry> tiles_;
  std::vector<TileKey> asked_, waiting_, running_, kept_;
  QThreadPool pool_;
};

}  // namespace tessera
