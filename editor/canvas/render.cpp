// Painting of the display list. Text is drawn without hinting and kerning, so that it is as wide as
// core/picture measured it.
#include "editor/canvas/render.h"

#include <QFont>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <vector>

#include "core/picture/arrow.h"
#include "core/picture/far_text.h"

namespace tessera {
namespace {

constexpr int kFontPixels = 32;  // drawn at this size and scaled, so that widths stay exact at fractional sizes

QFont fontOf(bool bold) {
  QFont font(QStringLiteral("DejaVu Sans"));
  font.setPixelSize(kFontPixels);
  font.setBold(bold);
  font.setKerning(false);
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

QRectF hullOf(const PictureItem& item, size_t first, size_t last) {
  float left = item.points[first].x, right = left, top = item.points[first].y, bottom = top;
  for (size_t i = first + 1; i <= last; ++i) {
    left = std::min(left, item.points[i].x), right = std::max(right, item.points[i].x);
    top = std::min(top, item.points[i].y), bottom = std::max(bottom, item.points[i].y);
  }
  return {QPointF(left, top), QPointF(right, bottom)};
}

// The pieces of a line that come near what is painted: of wires through a page of 100,000 boxes a tile sees little.
QPainterPath pathOf(const PictureItem& item, const QRectF& seen) {
  QPainterPath path;
  const auto at = [&](size_t i) { return QPointF(item.points[i].x, item.points[i].y); };
  const size_t step = item.curved ? 3 : 1;
  bool goesOn = false;
  for (size_t i = 0; i + step < item.points.size(); i += step) {
    const QRectF hull = hullOf(item, i, i + step);
    const bool near = item.filled || (hull.left() <= seen.right() && hull.right() >= seen.left() &&
                                      hull.top() <= seen.bottom() && hull.bottom() >= seen.top());
    if (near && !goesOn) path.moveTo(at(i));
    goesOn = near;
    if (!near) continue;
    if (item.curved)
      path.cubicTo(at(i + 1), at(i + 2), at(i + 3));
    else
      path.lineTo(at(i + 1));
  }
  return path;
}

// Of the scene, with room for the width of a line; everything where the painter does not know.
QRectF seenBy(const QPainter& painter, float width) {
  constexpr double kEverything = 1e9;
  bool invertible = false;
  const QTransform toScene = painter.worldTransform().inverted(&invertible);
  if (!invertible || painter.viewport().isEmpty())
    return {-kEverything, -kEverything, 2 * kEverything, 2 * kEverything};
  const double margin = width + 2 * std::abs(toScene.m11());
  return toScene.mapRect(QRectF(painter.viewport())).adjusted(-margin, -margin, margin, margin);
}

void paintBox(QPainter& painter, const PictureItem& item, double zoom, Theme theme) {
  const QRectF rect = toQRectF(item.bounds);
  const bool rounded = item.radius * zoom > 1.5;
  const bool outlined = item.stroked && rect.height() * zoom > 4;
  painter.setPen(outlined ? QPen(toQColor(item.stroke, theme), item.width) : QPen(Qt::NoPen));
  painter.setBrush(item.filled ? QBrush(toQColor(item.fill, theme)) : QBrush(Qt::NoBrush));
  painter.setRenderHint(QPainter::Antialiasing, rounded);
  if (rounded)
    painter.drawRoundedRect(rect, item.radius, item.radius);
  else
    painter.drawRect(rect);
  if (!item.hatched || zoom < 0.3) return;
  QColor hatch = toQColor(ColorRole::Hatch, theme);
  hatch.setAlphaF(0.35f);
  painter.setPen(Qt::NoPen);
  painter.setBrush(QBrush(hatch, Qt::BDiagPattern));
  painter.drawRoundedRect(rect, item.radius, item.radius);
}

void paintPath(QPainter& painter, const PictureItem& item, double zoom, Theme theme) {
  if (item.points.size() < 2) return;
  QPen pen(toQColor(item.stroke, theme), item.width);
  if (item.width * zoom < 0.7) {  // thin lines fade instead of vanishing
    pen.setCosmetic(true);
    pen.setWidthF(0.7);
    QColor faded = pen.color();
    faded.setAlphaF(static_cast<float>(std::clamp(0.25 + zoom, 0.25, 1.0)));
    pen.setColor(faded);
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(pen);
  painter.setBrush(item.filled ? QBrush(toQColor(item.fill, theme)) : QBrush(Qt::NoBrush));
  painter.drawPath(pathOf(item, seenBy(painter, item.width)));
  if (!item.arrow || zoom < 0.35) return;
  const auto head = arrowHead(item);
  const std::array<QPointF, 3> corners{QPointF(head[0].x, head[0].y), QPointF(head[1].x, head[1].y),
                                       QPointF(head[2].x, head[2].y)};
  painter.setPen(Qt::NoPen);
  painter.setBrush(toQColor(item.stroke, theme));
  painter.drawPolygon(corners.data(), 3);
}

void paintLine(QPainter& painter, const PictureItem& item, Theme theme) {
  const double scale = item.size / kFontPixels;
  painter.save();
  painter.translate(item.bounds.x, item.bounds.y + 0.8 * item.size);
  painter.scale(scale, scale);
  painter.setFont(fontOf(item.bold));
  painter.setPen(toQColor(item.fill, theme));
  painter.drawText(QPointF(0, 0), QString::fromStdString(item.text));
  painter.restore();
}

}  // namespace

QColor toQColor(ColorRole role, Theme theme) {
  const Rgba c = colorOf(role, theme);
  return QColor(c.r, c.g, c.b, c.a);
}

QRectF toQRectF(const RectF& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

void paintItem(QPainter& painter, const PictureItem& item, double zoom, Theme theme) {
  if (!item.isSeenAt(zoom)) return;
  switch (item.kind) {
    case PictureItem::Kind::Box: return paintBox(painter, item, zoom, theme);
    case PictureItem::Kind::Path: return paintPath(painter, item, zoom, theme);
    case PictureItem::Kind::Text:
      for (const PictureItem& line : seenAt(item, zoom)) paintLine(painter, line, theme);
  }
}

QImage renderRegion(const Picture& picture, std::span<const uint32_t> items, QPointF origin, double zoom, QSize size,
                    Theme theme, double detail) {
  QImage image(size, QImage::Format_RGB32);
  if (image.isNull()) return image;
  image.fill(toQColor(ColorRole::Background, theme));
  QPainter painter(&image);
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.scale(zoom, zoom);
  painter.translate(-origin);
  for (uint32_t i : items) paintItem(painter, picture.items[i], detail > 0 ? detail : zoom, theme);
  return image;
}

QImage renderToImage(const Picture& picture, QSize size, Theme theme) {
  constexpr double kMargin = 12;
  const QRectF bounds = toQRectF(picture.bounds);
  const double zoom = std::min({(size.width() - 2 * kMargin) / std::max(bounds.width(), 1.0),
                                (size.height() - 2 * kMargin) / std::max(bounds.height(), 1.0), 1.0});
  const double safe = std::max(zoom, 1e-4);
  const QPointF origin(bounds.center().x() - size.width() / 2.0 / safe,
                       bounds.center().y() - size.height() / 2.0 / safe);
  std::vector<uint32_t> all(picture.items.size());
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  return renderRegion(picture, all, origin, safe, size, theme);
}

}  // namespace tessera
