// See popup_frame.h.
#include "editor/panels/popups/popup_frame.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <tuple>

#include "editor/panels/popups/touch_count.h"

namespace tessera {
namespace {
constexpr int kGap = 8;
constexpr QSize kLeast{260, 140};  // in which a list can be read

int distanceOf(const QRect& a, const QRect& b) {
  const int across = std::max({a.left() - b.right(), b.left() - a.right(), 0});
  return across + std::max({a.top() - b.bottom(), b.top() - a.bottom(), 0});
}

int64_t areaOf(const QRect& each) { return int64_t{each.width()} * each.height(); }

// As near to where it is wanted as there is room, smaller where there is less.
QRect placeIn(const QRect& room, const QRect& wanted) {
  const QSize size = wanted.size().boundedTo(room.size());
  return {QPoint(std::clamp(wanted.left(), room.left(), room.left() + room.width() - size.width()),
                 std::clamp(wanted.top(), room.top(), room.top() + room.height() - size.height())),
          size};
}
}  // namespace

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
  const QRect place = besideWhatItBelongsTo(placeIn(parentWidget()->rect(), QRect(at, size)), at);
  wanted_ = place.topLeft();
  tallest_ = place.height();
  hangs_ =
      !beside_.empty() && std::ranges::all_of(beside_, [&](const QRect& each) { return place.bottom() < each.top(); });
  setGeometry(place);
  show();
  raise();
}

// In the room at a side of what it belongs to or of a part of that, or anywhere, also smaller.
std::vector<QRect> PopupFrame::placesFor(const QRect& wanted) const {
  constexpr int kStep = 24;
  const QRect room = parentWidget()->rect();
  std::vector<QRect> parts = beside_, out{wanted};
  QRect all;
  for (const QRect& each : beside_) all |= each;
  parts.push_back(all);
  for (const QRect& each : parts)
    for (const QRect side :
         {room.adjusted(each.right() + kGap, 0, 0, 0), room.adjusted(0, each.bottom() + kGap, 0, 0),
          QRect(0, 0, each.left() - kGap, room.height()), QRect(0, 0, room.width(), each.top() - kGap)})
      if (side.width() >= kLeast.width() && side.height() >= kLeast.height()) out.push_back(placeIn(side, wanted));
  const QSize small = wanted.size().boundedTo(kLeast.expandedTo({wanted.width() * 2 / 3, wanted.height() / 2}));
  for (const int width : {wanted.width(), small.width()})
    for (const int height : {wanted.height(), small.height()})
      for (int x = room.left(); x + width <= room.right(); x += kStep)
        for (int y = room.top(); y + height <= room.bottom(); y += kStep) out.emplace_back(x, y, width, height);
  return out;
}

// Whatever covers the least of what it belongs to; of these a node that is covered, its distance and what it lacks in
// size weigh against each other.
QRect PopupFrame::besideWhatItBelongsTo(const QRect& wanted, QPoint at) const {
  constexpr int64_t kNode = 120, kWholeSize = 90;  // pixels of distance
  constexpr int kMostNodes = 12;                   // where there are more everywhere, near is better
  const std::vector<QRect> others = around_ ? around_() : std::vector<QRect>();
  if (beside_.empty() && others.empty()) return wanted;
  const std::vector<QRect> places = placesFor(wanted);
  const TouchCount nodesUnder(parentWidget()->rect(), others);
  return *std::ranges::min_element(places, {}, [&](const QRect& place) {
    int64_t covered = 0;
    for (const QRect& each : beside_) covered += areaOf(each & place);
    const int64_t nodes = std::min(nodesUnder.touching(place), kMostNodes);
    return std::tuple(covered,
                      kNode * nodes + distanceOf(place, {at, QSize(1, 1)}) -
                          kWholeSize * areaOf(place) / std::max<int64_t>(areaOf(wanted), 1),
                      (place.topLeft() - wanted.topLeft()).manhattanLength());
  });
}

// No higher than what it lists.
void PopupFrame::shrinkTo(const QListWidget& list, const QWidget& field, int most) {
  int rows = 0;
  for (int row = 0; row < list.count() && rows < most; ++row) rows += list.sizeHintForRow(row);
  const int around = field.sizeHint().height() + 3 * kMargin + 2 * (list.frameWidth() + frameWidth());
  setHeight(std::min({most, around + rows, tallest_}));
}

void PopupFrame::setHeight(int high) {
  if (hangs_) wanted_.ry() += height() - high;
  setGeometry(placeIn(parentWidget()->rect(), QRect(wanted_, QSize(width(), high))));
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

void PopupFrame::hideEvent(QHideEvent* event) {
  beside_.clear();
  QFrame::hideEvent(event);
}

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
