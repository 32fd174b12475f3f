// While a level of zoom fills, tiles of other levels are shown.
#include "editor/canvas/tile_layer.h"

#include <QEventLoop>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <vector>

#include "editor/canvas/render.h"
#include "editor/canvas/viewport.h"

namespace tessera {
namespace {

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
  store_.reset(std::move(picture), std::move(index), theme);
}

void TileLayer::request(double ratio) {
  if (!picture_) return;
  const QRectF wanted = viewport_.visible().intersected(toQRectF(picture_->bounds));
  if (wanted.isEmpty()) return store_.request({}, ratio);
  store_.request(tilesOver(wanted, TileStore::levelFor(viewport_.zoom() * ratio), isFar()), ratio);
}

bool TileLayer::isFar() const { return viewport_.zoom() < kReadableZoom; }

void TileLayer::wait() {
  QEventLoop loop;
  while (!store_.idle()) loop.processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::ExcludeUserInputEvents);
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
  const std::vector<TileKey> keys = tilesOver(visible, level, isFar());
  const bool complete = std::ranges::all_of(keys, [&](const TileKey& k) { return store_.find(k) != nullptr; });
  if (!complete)  // what other levels have already, coarse ones first
    for (int32_t other : {level - 4, level - 3, level - 2, level - 1, level + 1})
      for (bool far : {!isFar(), isFar()})
        for (const TileKey& key : tilesOver(visible, other, far))
          if (const QImage* image = store_.find(key)) paint(key, *image);
  for (const TileKey& key : keys)
    if (const QImage* image = store_.find(key)) paint(key, *image);
}

}  // namespace tessera
