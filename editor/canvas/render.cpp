// Painting of the display list. Text is drawn without hinting and kerning, so that it is as wide as
// core/picture measured it.
#include "editor/canvas/render.h"

#include <QFont>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/picture/arrow.h"
#include "core/picture/far_text.h"
#include "editor/canvas/thin_lines.h"

namespace tessera {
namespace {

constexpr double kThinnest = 0.7;  // pixels of a line
constexpr int kFontPixels = 32;    // drawn at this size and scaled, so that widths stay exact at fractional sizes

// Made once for many texts: a font that is made looks its face up in a table that all threads share.
struct Fonts {
  static QFont make(bool bold) {
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPixelSize(kFontPixels);
    font.setBold(bold);
    font.setKerning(false);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
  }
  QFont plain = make(false), bold = make(true);
};

using Piece = std::array<QPointF, 4>;  // a cubic; of a line the ends alone count

// The pieces of a line that come near what is painted: of wires through a page of 100,000 boxes a tile sees little.
// They are short, since Qt's rasterizer walks along all of a slanting piece, and takes seconds for one of a million
// units.
class NearPath {
 public:
  NearPath(bool curved, const QRectF& seen)
      : curved_(curved), seen_(seen), longest_(std::max(seen.width(), seen.height())) {}

  void add(const Piece& piece) {
    const QRectF hull = hullOf(piece);
    if (hull.left() > seen_.right() || hull.right() < seen_.left() || hull.top() > seen_.bottom() ||
        hull.bottom() < seen_.top())
      return void(goesOn_ = false);
    if (std::max(hull.width(), hull.height()) > longest_) {
      const auto [first, second] = halvesOf(piece);
      add(first);
      return add(second);
    }
    if (!std::exchange(goesOn_, true)) path_.moveTo(piece[0]);
    if (curved_)
      path_.cubicTo(piece[1], piece[2], piece[3]);
    else
      path_.lineTo(piece[3]);
  }
  QPainterPath take() { return std::move(path_); }

 private:
  QRectF hullOf(const Piece& p) const {
    double left = p[0].x(), right = left, top = p[0].y(), bottom = top;
    for (size_t i = curved_ ? 1 : 3; i < p.size(); ++i) {
      left = std::min(left, p[i].x()), right = std::max(right, p[i].x());
      top = std::min(top, p[i].y()), bottom = std::max(bottom, p[i].y());
    }
    return {QPointF(left, top), QPointF(right, bottom)};
  }
  std::pair<Piece, Piece> halvesOf(const Piece& p) const {
    if (!curved_) {
      const QPointF middle = (p[0] + p[3]) / 2;
      return {{p[0], p[0], middle, middle}, {middle, middle, p[3], p[3]}};
    }
    const QPointF a = (p[0] + p[1]) / 2, b = (p[1] + p[2]) / 2, c = (p[2] + p[3]) / 2;
    const QPointF ab = (a + b) / 2, bc = (b + c) / 2, middle = (ab + bc) / 2;
    return {{p[0], a, ab, middle}, {middle, bc, c, p[3]}};
  }

  const bool curved_;
  const QRectF seen_;
  const double longest_;
  QPainterPath path_;
  bool goesOn_ = false;
};

QPainterPath pathOf(const PictureItem& item, const QRectF& seen) {
  constexpr double kEverything = 1e9;
  const auto at = [&](size_t i) { return QPointF(item.points[i].x, item.points[i].y); };
  const size_t step = item.curved ? 3 : 1;
  // What is filled stays whole.
  NearPath path(item.curved, item.filled ? QRectF(-kEverything, -kEverything, 2 * kEverything, 2 * kEverything) : seen);
  for (size_t i = 0; i + step < item.points.size(); i += step)
    path.add({at(i), item.curved ? at(i + 1) : at(i), item.curved ? at(i + 2) : at(i + 1), at(i + step)});
  return path.take();
}

// Of the scene; everything where the painter does not know.
QRectF seenBy(const QPainter& painter) {
  constexpr double kEverything = 1e9;
  bool invertible = false;
  const QTransform toScene = painter.worldTransform().inverted(&invertible);
  if (!invertible || painter.viewport().isEmpty())
    return {-kEverything, -kEverything, 2 * kEverything, 2 * kEverything};
  const double margin = 2 * std::abs(toScene.m11());
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

void paintArrow(QPainter& painter, const PictureItem& item, double zoom, const QRectF& seen, Theme theme) {
  if (!item.arrow || item.points.size() < 2 || zoom < 0.35) return;
  const auto head = arrowHead(item);
  const std::array<QPointF, 3> corners{QPointF(head[0].x, head[0].y), QPointF(head[1].x, head[1].y),
                                       QPointF(head[2].x, head[2].y)};
  if (!seen.adjusted(-kArrowLength, -kArrowLength, kArrowLength, kArrowLength).contains(corners[0])) return;
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(Qt::NoPen);
  painter.setBrush(toQColor(item.stroke, theme));
  painter.drawPolygon(corners.data(), 3);
}

// Thin lines fade instead of vanishing; width: pixels.
struct LineLook {
  QColor color;
  double width;
  bool faded;
};
LineLook lookOf(const PictureItem& item, double zoom, double pixels, Theme theme) {
  QColor color = toQColor(item.stroke, theme);
  const bool faded = item.width * zoom < kThinnest;
  if (faded) color.setAlphaF(static_cast<float>(std::clamp(0.25 + zoom, 0.25, 1.0)));
  return {color, faded ? kThinnest : item.width * pixels, faded};
}

void paintLineOf(QPainter& painter, const PictureItem& item, const QPainterPath& path, double zoom, Theme theme) {
  const LineLook look = lookOf(item, zoom, 1, theme);
  QPen pen(look.color, look.width);
  pen.setCosmetic(look.faded);
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(pen);
  painter.setBrush(item.filled ? QBrush(toQColor(item.fill, theme)) : QBrush(Qt::NoBrush));
  painter.drawPath(path);
}

// Of many wires a tile sees no piece, though their box reaches it.
void paintPath(QPainter& painter, const PictureItem& item, double zoom, const QRectF& seen, Theme theme) {
  if (item.points.size() < 2) return;
  const QPainterPath path = pathOf(item, seen.adjusted(-item.width, -item.width, item.width, item.width));
  if (!path.isEmpty()) paintLineOf(painter, item, path, zoom, theme);
  paintArrow(painter, item, zoom, seen, theme);
}

// False: it is no thin line.
bool drawThin(ThinLines& lines, const PictureItem& item, double pixels, double zoom, Theme theme) {
  const LineLook look = lookOf(item, zoom, pixels, theme);
  if (item.filled || look.width > ThinLines::kWidest) return false;
  lines.setPen(look.color, look.width);
  lines.path(item.points, item.curved);
  return true;
}

void paintText(QPainter& painter, const PictureItem& item, const Fonts& fonts, Theme theme) {
  const double scale = item.size / kFontPixels;
  painter.save();
  painter.translate(item.bounds.x, item.bounds.y + 0.8 * item.size);
  painter.scale(scale, scale);
  painter.setFont(item.bold ? fonts.bold : fonts.plain);
  painter.setPen(toQColor(item.fill, theme));
  painter.drawText(QPointF(0, 0), QString::fromStdString(item.text));
  painter.restore();
}

void paintTexts(QPainter& painter, const PictureItem& item, double zoom, const Fonts& fonts, Theme theme) {
  for (const PictureItem& line : seenAt(item, zoom)) paintText(painter, line, fonts, theme);
}

// Pixels below each other in rows of whole kilobytes share few lines of the processor's cache, and a steep wire waits
// for memory at each.
QSize paddedForCache(QSize size) {
  constexpr int kPixelsOfKilobyte = 256, kPadding = 16;
  return size.width() % kPixelsOfKilobyte == 0 ? size + QSize(kPadding, 0) : size;
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
    case PictureItem::Kind::Path: return paintPath(painter, item, zoom, seenBy(painter), theme);
    case PictureItem::Kind::Text: return paintTexts(painter, item, zoom, Fonts(), theme);
  }
}

QImage renderRegion(const Picture& picture, std::span<const uint32_t> items, QPointF origin, double zoom, QSize size,
                    Theme theme, double detail) {
  QImage image(paddedForCache(size), QImage::Format_RGB32);
  if (image.isNull()) return image;
  image.fill(toQColor(ColorRole::Background, theme));
  ThinLines lines(image, origin, zoom);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.scale(zoom, zoom);
  painter.translate(-origin);
  const Fonts fonts;
  const QRectF seen = seenBy(painter);
  const double shown = detail > 0 ? detail : zoom;
  for (uint32_t i : items) {
    const PictureItem& item = picture.items[i];
    if (!item.isSeenAt(shown)) continue;
    switch (item.kind) {
      case PictureItem::Kind::Box: paintBox(painter, item, shown, theme); break;
      case PictureItem::Kind::Text: paintTexts(painter, item, shown, fonts, theme); break;
      case PictureItem::Kind::Path:
        if (drawThin(lines, item, zoom, shown, theme))
          paintArrow(painter, item, shown, seen, theme);
        else
          paintPath(painter, item, shown, seen, theme);
    }
  }
  painter.end();
  return image.size() == size ? image : image.copy(QRect({}, size));
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
