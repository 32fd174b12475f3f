#include "editor/panels/fitting_area.h"

#include <QEvent>

namespace tessera {

FittingArea::FittingArea(QWidget* content, QWidget* parent) : QScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  setWidget(content);
  content->setAutoFillBackground(false);
  viewport()->setAutoFillBackground(false);
}

QSize FittingArea::sizeHint() const {
  const int height = widget()->hasHeightForWidth() && width() > 0 ? widget()->heightForWidth(width()) : widget()->sizeHint().height();
  return {widget()->sizeHint().width(), height};
}

bool FittingArea::eventFilter(QObject* watched, QEvent* event) {
  if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
  return QScrollArea::eventFilter(watched, event);  // QScrollArea itself watches what it holds
}

}  // namespace tessera
