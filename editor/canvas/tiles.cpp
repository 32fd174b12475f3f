// Workers get shared immutable pictures and hand their image back through the event loop of the UI thread.
#include "editor/canvas/tiles.h"

#include <QMetaObject>
#include <QThread>
#include <algorithm>
#include <cmath>
#include <utility>

#include "editor/canvas/render.h"
#include "editor/preferences/preferences.h"

namespace tessera {
namespace {

constexpr size_t kTileBytes = size_t{4} * TileStore::kPixels * TileStore::kPixels;

// One for all stores: the last moment at which a tile was used. UI thread only.
uint64_t now() {
  static uint64_t clock = 0;
  return ++clock;
}

// What is shown changes at one zoom, which lies between two levels.
double detailOf(const TileKey& key, double zoom) {
  return key.far ? std::min(zoom, 0.999 * kReadableZoom) : std::max<double>(zoom, kReadableZoom);
}

}  // namespace

TileStore::TileStore(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(std::max(1, QThread::idealThreadCount()));
  all().push_back(this);
}
TileStore::~TileStore() {
  std::erase(all(), this);
  pool_.waitForDone();
}

std::vector<TileStore*>& TileStore::all() {
  static std::vector<TileStore*> stores;
  return stores;
}

size_t TileStore::bytesOfAll() {
  size_t tiles = 0;
  for (const TileStore* store : all()) tiles += static_cast<size_t>(store->tiles_.size());
  return tiles * kTileBytes;
}

void TileStore::reset(std::shared_ptr<const Picture> picture, std::shared_ptr<const SpatialIndex> index, Theme theme) {
  ++generation_;
  picture_ = std::move(picture);
  index_ = std::move(index);
  theme_ = theme;
  tiles_.clear();
  asked_.clear();
  waiting_.clear();
  running_.clear();
}

int32_t TileStore::levelFor(double zoom) { return static_cast<int32_t>(std::ceil(2 * std::log2(zoom) - 1e-6)); }
double TileStore::zoomOf(int32_t level) { return std::exp2(level / 2.0); }
RectF TileStore::sceneRect(const TileKey& key) {
  const double side = kPixels / zoomOf(key.level);
  return {static_cast<float>(key.column * side), static_cast<float>(key.row * side), static_cast<float>(side),
          static_cast<float>(side)};
}

const QImage* TileStore::find(const TileKey& key) {
  const auto found = tiles_.find(key);
  if (found == tiles_.end()) return nullptr;
  found->used = now();
  return &found->image;
}

void TileStore::request(const std::vector<TileKey>& keys, double ratio) {
  if (ratio != std::exchange(ratio_, ratio)) reset(picture_, index_, theme_);
  asked_ = keys;
  waiting_.clear();
  for (const TileKey& key : keys)
    if (!tiles_.contains(key) && !isRunning(key)) waiting_.push_back(key);
  startWorkers();
}

bool TileStore::idle() const {
  return std::ranges::all_of(asked_, [this](const TileKey& key) { return tiles_.contains(key); });
}

bool TileStore::isNeeded(const TileKey& key) const {
  return std::ranges::find(asked_, key) != asked_.end() || std::ranges::find(kept_, key) != kept_.end();
}

bool TileStore::isRunning(const TileKey& key) const { return std::ranges::find(running_, key) != running_.end(); }

// One of those that are kept at a time: a worker is left for what is asked for meanwhile.
void TileStore::startWorkers() {
  if (!picture_) return;
  while (!waiting_.empty() && static_cast<int>(running_.size()) < pool_.maxThreadCount()) {
    const TileKey key = waiting_.front();
    waiting_.erase(waiting_.begin());
    start(key);
  }
  if (!running_.empty()) return;
  const auto left = std::ranges::find_if(kept_, [this](const TileKey& key) { return !tiles_.contains(key); });
  if (left != kept_.end()) start(*left);
}

void TileStore::start(const TileKey& key) {
  running_.push_back(key);
  pool_.start(
      [this, key, generation = generation_, picture = picture_, index = index_, theme = theme_, ratio = ratio_] {
        const double zoom = zoomOf(key.level), side = kPixels / zoom, detail = detailOf(key, zoom / ratio);
        const auto items = index->itemsIn(*picture, sceneRect(key), detail);
        QImage image = renderRegion(*picture, items, QPointF(key.column * side, key.row * side), zoom,
                                    QSize(kPixels, kPixels), theme, detail);
        QMetaObject::invokeMethod(
            this, [this, generation, key, image = std::move(image)] { take(generation, key, image); },
            Qt::QueuedConnection);
      });
}

void TileStore::take(uint64_t generation, TileKey key, QImage image) {
  if (generation != generation_) return;
  std::erase(running_, key);
  tiles_.insert(key, {std::move(image), now()});
  dropOldest();
  startWorkers();
  emit filled(toQRectF(sceneRect(key)));
}

// What is in sight stays, however small the cache is.
void TileStore::dropOldest() {
  struct Oldest {
    TileStore* store = nullptr;
    TileKey key;
    uint64_t used = 0;
  };
  const size_t most = static_cast<size_t>(preferences().tileCacheMb) << 20;
  while (bytesOfAll() > most) {
    Oldest oldest;
    for (TileStore* store : all())
      for (auto it = store->tiles_.cbegin(); it != store->tiles_.cend(); ++it)
        if ((!oldest.store || it->used < oldest.used) && !store->isNeeded(it.key()))
          oldest = {store, it.key(), it->used};
    if (!oldest.store) return;
    oldest.store->tiles_.remove(oldest.key);
  }
}

}  // namespace tessera
