// Frames of less than kLeastFrame pixels are left out: what is painted is bounded by the map's size, not the picture's.
#include "editor/canvas/minimap.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"

namespace tessera {
namespace {

constexpr QSize kMapSize(200, 130);
constexpr int kMapMargin = 12;
constexpr double kLeastFrame = 1.5;  // pixels
constexpr size_t kFewestBoxes = 12;  // boxes of a view that is worth a map

}  // namespace

Minimap::Minimap(Canvas& canvas) : QWidget(&canvas), canvas_(canvas) {
  setObjectName(QStringLiteral("minimap"));
  setAccessibleName(tr("Map of the graph"));
  setToolTip(tr("The whole graph; a click goes there"));
  setCursor(Qt::PointingHandCursor);
  setAttribute(Qt::WA_OpaquePaintEvent);
  canvas.installEventFilter(this);
  connect(&canvas.viewport(), &Viewport::changed, this, &Minimap::follow);
  hide();
}

void Minimap::setWanted(bool wanted) {
  wanted_ = wanted;
  follow();
}

bool Minimap::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) follow();
  return QWidget::eventFilter(watched, event);
}

void Minimap::follow() {
  const bool worth = wanted_ && canvas_.picture() && canvas_.view() && canvas_.view()->nodes.size() >= kFewestBoxes &&
                     !toQRectF(canvas_.picture()->bounds).isEmpty() && 2 * kMapSize.width() < canvas_.width() &&
                     2 * kMapSize.height() < canvas_.height();
  setVisible(worth && !canvas_.viewport().visible().contains(toQRectF(canvas_.picture()->bounds)));
  if (!isVisible()) return;
  place();
  update();
}

double Minimap::scale() const {
  const QRectF bounds = toQRectF(canvas_.picture()->bounds);
  return std::min(kMapSize.width() / bounds.width(), kMapSize.height() / bounds.height());
}

void Minimap::place() {
  const QSizeF whole = toQRectF(canvas_.picture()->bounds).size() * scale();
  const QSize size = whole.toSize().expandedTo(QSize(24, 24));
  const QRect room = canvas_.contentsRect();
  setGeometry(room.right() - kMapMargin - size.width(), room.bottom() - kMapMargin - size.height(), size.width(),
              size.height());
}

void Minimap::paintFrames() {
  picture_ = canvas_.picture();
  theme_ = canvas_.theme();
  frames_ = QImage(size() * devicePixelRatio(), QImage::Format_RGB32);
  frames_.setDevicePixelRatio(devicePixelRatio());
  frames_.fill(toQColor(ColorRole::Background, theme_));
  QPainter painter(&frames_);
  const double zoom = scale();
  const QPointF origin = toQRectF(picture_->bounds).topLeft();
  for (const PictureItem& item : picture_->items) {
    if (item.part != PictureItem::Part::Frame || !item.filled) continue;
    const QRectF box((toQRectF(item.bounds).topLeft() - origin) * zoom, toQRectF(item.bounds).size() * zoom);
    if (std::max(box.width(), box.height()) < kLeastFrame) continue;
    painter.fillRect(box, toQColor(item.fill, theme_));
    if (!item.stroked || std::min(box.width(), box.height()) < 2 * kLeastFrame) continue;
    painter.setPen(toQColor(item.stroke, theme_));
    painter.drawRect(box);
  }
}

void Minimap::paintEvent(QPaintEvent*) {
  if (!canvas_.picture()) return;
  if (picture_ != canvas_.picture() || theme_ != canvas_.theme() || frames_.size() != size() * devicePixelRatio())
    paintFrames();
  QPainter painter(this);
  painter.drawImage(0, 0, frames_);
  const QRectF seen = canvas_.viewport().visible();
  const QPointF origin = toQRectF(picture_->bounds).topLeft();
  const QRectF part((seen.topLeft() - origin) * scale(), seen.size() * scale());
  painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
  painter.drawRect(part.intersected(QRectF(rect())).adjusted(1, 1, -1, -1));
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void Minimap::goTo(QPointF at) {
  canvas_.viewport().stop();
  canvas_.viewport().centerOn(toQRectF(canvas_.picture()->bounds).topLeft() + at / scale());
}

void Minimap::mousePressEvent(QMouseEvent* event) { goTo(event->position()); }
void Minimap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) goTo(event->position());
}

}  // namespace tessera
