// While a level of zoom fills, tiles of other levels are shown, at first those of a coarse one, which are few; above
// them the items themselves are painted, as many as a frame has time for.
#include "editor/canvas/tile_layer.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <vector>

#include "editor/canvas/render.h"
#include "editor/canvas/viewport.h"

namespace tessera {
namespace {

constexpr double kWholePixels = 1024;  // at most: the longer side of the whole picture in the tiles that stay
// Of a tile: items that are painted as they are (of more the boxes without lines, and the texts), and items that are
// looked at. Wires over more tiles than so many are left out: one may take a frame's time. Of a frame: milliseconds.
constexpr size_t kMostWhole = 100, kMostSeen = 10000;
constexpr float kLongWire = 4;
constexpr int kMostMs = 6;
// Beside the level that is wanted. What tiles of a near level show needs no stand-ins.
constexpr int32_t kCoarse = -4;
constexpr int32_t kNearLevels[] = {-3, -2, -1, 1};

std::vector<TileKey> tilesOver(const QRectF& scene, int32_t level, bool far) {
  std::vector<TileKey> out;
  const double side = TileStore::kPixels / TileStore::zoomOf(level);
  const auto left = static_cast<int32_t>(std::floor(scene.left() / side));
  const auto right = static_cast<int32_t>(std::floor(scene.right() / side));
  const auto top = static_cast<int32_t>(std::floor(scene.top() / side));
  const auto bottom = static_cast<int32_t>(std::floor(scene.bottom() / side));
  for (int32_t row = top; row <= bottom; ++row)
    for (int32_t column = left; column <= right; ++column) out.push_back({level, column, row, far});
  return out;
}

}  // namespace

void TileLayer::reset(std::shared_ptr<const Picture> picture, std::shared_ptr<const SpatialIndex> index, Theme theme) {
  picture_ = picture;
  index_ = index;
  theme_ = theme;
  store_.reset(std::move(picture), std::move(index), theme);
}

void TileLayer::request(double ratio) {
  if (!picture_) return;
  const QRectF wanted = viewport_.visible().intersected(toQRectF(picture_->bounds));
  const auto whole = wholeLevel();
  store_.keep(whole ? tilesOver(toQRectF(picture_->bounds), *whole, true) : std::vector<TileKey>());
  if (wanted.isEmpty()) return store_.request({}, ratio);
  const int32_t level = TileStore::levelFor(viewport_.zoom() * ratio);
  auto tiles = tilesOver(wanted, level, isFar());
  middleFirst(tiles);
  const auto isBlank = [&](const TileKey& key) { return !store_.find(key) && !isShown(key); };
  // Of a small picture stand-ins show all; from afar the tiles of the whole are sharp enough.
  if (whole && *whole < level + kCoarse && std::ranges::any_of(tiles, isBlank)) {
    const auto coarse = tilesOver(wanted, level + kCoarse, isFar());
    tiles.insert(tiles.begin(), coarse.begin(), coarse.end());
  }
  store_.request(tiles, ratio);
}

// Where people look.
void TileLayer::middleFirst(std::vector<TileKey>& tiles) const {
  const QPointF middle = viewport_.visible().center();
  std::ranges::sort(tiles, {}, [&](const TileKey& key) {
    const QPointF away = toQRectF(TileStore::sceneRect(key)).center() - middle;
    return QPointF::dotProduct(away, away);
  });
}

bool TileLayer::isFar() const { return viewport_.zoom() < kReadableZoom; }

void TileLayer::wait() {
  QEventLoop loop;
  while (!store_.idle()) loop.processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::ExcludeUserInputEvents);
}

// Of the tiles that show all of a large picture; none: it is small, or has none.
std::optional<int32_t> TileLayer::wholeLevel() const {
  if (!picture_) return std::nullopt;
  const double side = std::max(picture_->bounds.width, picture_->bounds.height);
  if (side * kReadableZoom < 4 * kWholePixels) return std::nullopt;
  return TileStore::levelFor(kWholePixels / side) - 1;  // the next lower one
}

bool TileLayer::isShownBy(int32_t level, const TileKey& key) {
  const QRectF scene = viewport_.visible().intersected(toQRectF(TileStore::sceneRect(key)));
  const auto there = [&](bool far) {
    return std::ranges::all_of(tilesOver(scene, level, far), [&](const TileKey& k) { return store_.find(k); });
  };
  return there(false) || there(true);
}
bool TileLayer::isShown(const TileKey& key) {
  return std::ranges::any_of(kNearLevels, [&](int32_t step) { return isShownBy(key.level + step, key); });
}

bool TileLayer::isCovered(double ratio) {
  if (!picture_) return true;
  const int32_t level = TileStore::levelFor(viewport_.zoom() * ratio);
  return std::ranges::all_of(
      tilesOver(viewport_.visible().intersected(toQRectF(picture_->bounds)), level, isFar()),
      [&](const TileKey& key) { return store_.find(key) || isShown(key) || isShownBy(level + kCoarse, key); });
}

// False: there was no time for all of it.
bool TileLayer::paintStandIn(QPainter& painter, const RectF& scene, const QElapsedTimer& clock) const {
  if (index_->mostIn(scene) > kMostSeen) return true;
  const auto seen = index_->itemsIn(*picture_, scene, viewport_.zoom());
  const bool whole = seen.size() <= kMostWhole;
  const auto isLong = [&](const PictureItem& wire) {
    return std::max(wire.bounds.width, wire.bounds.height) > kLongWire * scene.width;
  };
  painter.setClipRect(toQRectF(scene));
  for (const uint32_t i : seen) {
    const PictureItem& item = picture_->items[i];
    if (item.kind == PictureItem::Kind::Path && (!whole || isLong(item))) continue;
    if (clock.elapsed() >= kMostMs) return false;
    if (whole || item.kind == PictureItem::Kind::Text)
      paintItem(painter, item, viewport_.zoom(), theme_);
    else if (item.filled)
      painter.fillRect(toQRectF(item.bounds), toQColor(item.fill, theme_));
  }
  return true;
}

// Of the first tile what there is time for, so that each frame gets on.
QRegion TileLayer::paintStandIns(QPainter& painter, const std::vector<TileKey>& missing) const {
  QElapsedTimer clock;
  clock.start();
  QRegion left;
  painter.save();
  viewport_.toSceneUnits(painter);
  for (const TileKey& key : missing) {
    const RectF scene = TileStore::sceneRect(key);
    const bool done = clock.elapsed() < kMostMs && (paintStandIn(painter, scene, clock) || key == missing.front());
    if (!done) left += viewport_.toWidget(toQRectF(scene)).toAlignedRect();
  }
  painter.restore();
  return left;
}

struct TileLayer::Frame {
  QPainter& painter;
  double ratio;
  const QRegion& exposed;
};

std::vector<TileKey> TileLayer::exposedTiles(const Frame& frame, int32_t level, bool far) const {
  const QRectF exposed(viewport_.toScene(frame.exposed.boundingRect().topLeft()),
                       QSizeF(frame.exposed.boundingRect().size()) / viewport_.zoom());
  auto tiles = tilesOver(exposed.intersected(toQRectF(picture_->bounds)), level, far);
  std::erase_if(tiles, [&](const TileKey& key) {
    return !frame.exposed.intersects(viewport_.toWidget(toQRectF(TileStore::sceneRect(key))).toAlignedRect());
  });
  return tiles;
}

// Neighbours meet at whole pixels, so that no seam shows between them.
void TileLayer::paintTile(const Frame& frame, const TileKey& key, const QImage& image) const {
  const auto snapped = [&](QPointF p) {
    return QPointF(std::round(p.x() * frame.ratio), std::round(p.y() * frame.ratio)) / frame.ratio;
  };
  const double side = TileStore::kPixels / TileStore::zoomOf(key.level);
  const QPointF from = snapped(viewport_.toWidget(QPointF(key.column * side, key.row * side)));
  const QPointF to = snapped(viewport_.toWidget(QPointF((key.column + 1) * side, (key.row + 1) * side)));
  frame.painter.drawImage(QRectF(from, to), image);
}

void TileLayer::paintOtherLevels(const Frame& frame, int32_t level) {
  const auto paintLevel = [&](int32_t other) {
    for (bool far : {!isFar(), isFar()})
      for (const TileKey& key : exposedTiles(frame, other, far))
        if (const QImage* image = store_.find(key)) paintTile(frame, key, *image);
  };
  if (const auto whole = wholeLevel(); whole && *whole < level + kCoarse) paintLevel(*whole);
  paintLevel(level + kCoarse);
  for (const int32_t step : kNearLevels) paintLevel(level + step);
}

QRegion TileLayer::paint(QPainter& painter, double ratio, const QRegion& exposed) {
  if (!viewport_.visible().intersects(toQRectF(picture_->bounds))) return {};
  const double pixels = viewport_.zoom() * ratio;  // a scene unit
  const int32_t level = TileStore::levelFor(pixels);
  painter.setRenderHint(QPainter::SmoothPixmapTransform, std::abs(TileStore::zoomOf(level) - pixels) > 1e-9);
  const Frame frame{painter, ratio, exposed};
  std::vector<TileKey> there, missing;
  for (const TileKey& key : exposedTiles(frame, level, isFar())) (store_.find(key) ? there : missing).push_back(key);
  QRegion left;
  if (!missing.empty()) {
    paintOtherLevels(frame, level);
    std::erase_if(missing, [&](const TileKey& key) { return isShown(key); });  // others are blurred
    middleFirst(missing);
    left = paintStandIns(painter, missing);
  }
  for (const TileKey& key : there)
    if (const QImage* image = store_.find(key)) paintTile(frame, key, *image);
  return left;
}

}  // namespace tessera
