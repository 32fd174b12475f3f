// As high as the bars that are shown; without one it is empty and catches nothing.
#include "app/studio/window/documents/overlay_column.h"

#include <QEvent>
#include <QVBoxLayout>

namespace tessera {

OverlayColumn::OverlayColumn(QWidget& below) : QWidget(&below), layout_(new QVBoxLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  setAttribute(Qt::WA_NoMousePropagation);  // a click beside a button is not one on the canvas
  setCursor(Qt::ArrowCursor);
  below.installEventFilter(this);
  place();
}

void OverlayColumn::add(QWidget& bar) {
  layout_->addWidget(&bar);
  place();
}

bool OverlayColumn::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) place();
  return QWidget::event(event);
}

bool OverlayColumn::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parent() && event->type() == QEvent::Resize) place();
  return QWidget::eventFilter(watched, event);
}

void OverlayColumn::place() {
  const int width = parentWidget()->width();
  const int wanted = layout_->hasHeightForWidth() ? layout_->heightForWidth(width) : layout_->sizeHint().height();
  setGeometry(0, 0, width, wanted);
  raise();
}

}  // namespace tessera
