// While a level of zoom fills, tiles of other levels are shown; where there are none, the items themselves are painted,
// as many as a frame has time for.
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
// looked at. Of a frame: milliseconds.
constexpr size_t kMostWhole = 100, kMostSeen = 10000;
constexpr int kMostMs = 6;
// Beside the level that is wanted, coarse ones first.
constexpr int32_t kNearLevels[] = {-4, -3, -2, -1, 1};

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
  auto tiles = tilesOver(wanted, TileStore::levelFor(viewport_.zoom() * ratio), isFar());
  const QPointF middle = viewport_.visible().center();  // where people look
  std::ranges::sort(tiles, {}, [&](const TileKey& key) {
    const QPointF away = toQRectF(TileStore::sceneRect(key)).center() - middle;
    return QPointF::dotProduct(away, away);
  });
  store_.request(tiles, ratio);
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

// By tiles of a near level.
bool TileLayer::isShown(const TileKey& key) {
  const QRectF scene = viewport_.visible().intersected(toQRectF(TileStore::sceneRect(key)));
  return std::ranges::any_of(kNearLevels, [&](int32_t step) {
    const auto there = [&](bool far) {
      return std::ranges::all_of(tilesOver(scene, key.level + step, far),
                                 [&](const TileKey& k) { return store_.find(k); });
    };
    return there(false) || there(true);
  });
}

void TileLayer::paintStandIns(QPainter& painter, const std::vector<TileKey>& missing) const {
  QElapsedTimer clock;
  clock.start();
  painter.save();
  viewport_.toSceneUnits(painter);
  for (const TileKey& key : missing) {
    const RectF scene = TileStore::sceneRect(key);
    if (clock.elapsed() >= kMostMs) break;
    if (index_->mostIn(scene) > kMostSeen) continue;
    const auto seen = index_->itemsIn(*picture_, scene, viewport_.zoom());
    const bool whole = seen.size() <= kMostWhole;
    painter.setClipRect(toQRectF(scene));
    for (const uint32_t i : seen) {
      const PictureItem& item = picture_->items[i];
      if (!whole && item.kind == PictureItem::Kind::Path) continue;
      if (clock.elapsed() >= kMostMs) return painter.restore();
      if (whole || item.kind == PictureItem::Kind::Text)
        paintItem(painter, item, viewport_.zoom(), theme_);
      else if (item.filled)
        painter.fillRect(toQRectF(item.bounds), toQColor(item.fill, theme_));
    }
  }
  painter.restore();
}

void TileLayer::paint(QPainter& painter, double ratio) {
  const QRectF visible = viewport_.visible().intersected(toQRectF(picture_->bounds));
  if (visible.isEmpty()) return;
  const double pixels = viewport_.zoom() * ratio;  // a scene unit
  const int32_t level = TileStore::levelFor(pixels);
  painter.setRenderHint(QPainter::SmoothPixmapTransform, std::abs(TileStore::zoomOf(level) - pixels) > 1e-9);
  // Neighbours meet at whole pixels, so that no seam shows between them.
  const auto snapped = [&](QPointF p) { return QPointF(std::round(p.x() * ratio), std::round(p.y() * ratio)) / ratio; };
  const auto paint = [&](const TileKey& key, const QImage& image) {
    const double side = TileStore::kPixels / TileStore::zoomOf(key.level);
    const QPointF from = snapped(viewport_.toWidget(QPointF(key.column * side, key.row * side)));
    const QPointF to = snapped(viewport_.toWidget(QPointF((key.column + 1) * side, (key.row + 1) * side)));
    painter.drawImage(QRectF(from.x(), from.y(), to.x() - from.x(), to.y() - from.y()), image);
  };
  std::vector<TileKey> there, missing;
  for (const TileKey& key : tilesOver(visible, level, isFar())) (store_.find(key) ? there : missing).push_back(key);
  if (!missing.empty()) {
    const auto paintLevel = [&](int32_t other) {
      for (bool far : {!isFar(), isFar()})
        for (const TileKey& key : tilesOver(visible, other, far))
          if (const QImage* image = store_.find(key)) paint(key, *image);
    };
    if (const auto whole = wholeLevel(); whole && *whole < level + kNearLevels[0]) paintLevel(*whole);
    for (const int32_t step : kNearLevels) paintLevel(level + step);
    std::erase_if(missing, [&](const TileKey& key) { return isShown(key); });  // the whole is blurred from near
    paintStandIns(painter, missing);
  }
  for (const TileKey& key : there)
    if (const QImage* image = store_.find(key)) paint(key, *image);
}

}  // namespace tessera
