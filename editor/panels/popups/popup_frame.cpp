// See popup_frame.h.
#include "editor/panels/popups/popup_frame.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace tessera {

PopupFrame::PopupFrame(QWidget* parent) : QFrame(parent) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  hide();
}

void PopupFrame::putAbove(QLineEdit& field, QListWidget& list) {
  list.setFocusPolicy(Qt::NoFocus);
  list.setMinimumHeight(1);  // a list of one line leaves the field its height
  list.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  layout->setSpacing(kMargin);
  layout->addWidget(&field);
  layout->addWidget(&list, 1);
  watch(field);
}

void PopupFrame::openAt(QPoint at, QSize size) {
  wanted_ = at;
  resize(size.boundedTo(parentWidget()->size()));
  stayInside();
  show();
  raise();
}

// As near to where it was wanted as it is whole.
void PopupFrame::stayInside() {
  const QSize room = parentWidget()->size();
  move(std::clamp(wanted_.x(), 0, std::max(0, room.width() - width())),
       std::clamp(wanted_.y(), 0, std::max(0, room.height() - height())));
}

// No higher than what it lists.
void PopupFrame::shrinkTo(const QListWidget& list, const QWidget& field, int most) {
  int rows = 0;
  for (int row = 0; row < list.count() && rows < most; ++row) rows += list.sizeHintForRow(row);
  const int around = field.sizeHint().height() + 3 * kMargin + 2 * (list.frameWidth() + frameWidth());
  resize(width(), std::min({most, around + rows, parentWidget()->height()}));
  stayInside();
}

void PopupFrame::leave() {
  hide();
  parentWidget()->setFocus();
}

bool PopupFrame::chooseIn(QListWidget& list, QKeyEvent& key) {
  switch (key.key()) {
    case Qt::Key_Tab: return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown: return QCoreApplication::sendEvent(&list, &key), true;
    default: return false;
  }
}

QListWidgetItem* PopupFrame::sayNothing(QListWidget& list, const QString& why) {
  auto* line = new QListWidgetItem(why, &list);
  line->setFlags(Qt::NoItemFlags);
  return line;
}

QString PopupFrame::nothingFound() { return tr("Nothing has these words"); }

bool PopupFrame::eventFilter(QObject* watched, QEvent* event) {
  // Another window in front takes the keys for a while; this one stays until it is back.
  const bool leaves =
      event->type() == QEvent::FocusOut && static_cast<QFocusEvent*>(event)->reason() != Qt::ActiveWindowFocusReason;
  if (leaves && isVisible()) {
    hide();
    dismissed();
  }
  if (event->type() == QEvent::ShortcutOverride) event->accept();
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  auto& key = *static_cast<QKeyEvent*>(event);
  if (keyPressed(key)) return true;
  switch (key.key()) {
    case Qt::Key_Escape:
      leave();
      dismissed();
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: accept(); return true;
    default: return QFrame::eventFilter(watched, event);
  }
}

}  // namespace tessera
