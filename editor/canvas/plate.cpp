// The text is painted like a picture's, so that it is as wide as it was measured.
#include "editor/canvas/plate.h"

#include "core/arrange/text_metrics.h"
#include "editor/canvas/render.h"

namespace tessera {

void paintPlate(QPainter& painter, QSizeF room, QPointF topLeft, const QString& text, ColorRole border, bool dashed,
                Theme theme) {
  const std::string words = text.toStdString();
  const double wide = static_cast<double>(textWidth(words, kPlateText)) + 12;
  QRectF plate(topLeft, QSizeF(wide, 18));
  if (plate.right() > room.width() - 2) plate.moveRight(room.width() - 2);
  if (plate.left() < 2) plate.moveLeft(2);
  if (plate.bottom() > room.height() - 2) plate.moveBottom(room.height() - 2);
  painter.setPen(QPen(toQColor(border, theme), 1.2, dashed ? Qt::DashLine : Qt::SolidLine));
  painter.setBrush(toQColor(ColorRole::NodeFill, theme));
  painter.drawRoundedRect(plate, 4, 4);
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.bounds = {static_cast<float>(plate.x()) + 6, static_cast<float>(plate.y()) + 3, 0, 0};
  item.text = words;
  item.size = kPlateText;
  item.fill = ColorRole::NodeText;
  paintItem(painter, item, 1, theme);
}

}  // namespace tessera
