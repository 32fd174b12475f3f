// Mouse and keys of TimelineView.
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "editor/panels/profile/timeline_view.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr double kTimeZoomStep = 1.25, kPanShare = 0.1, kWheelStep = 120;
constexpr int kDragBegins = 4;

}  // namespace

void TimelineView::zoom(double factor, double x) {
  const auto length = static_cast<double>(range_.endNs - range_.beginNs);
  const int64_t at = timeAt(x);
  const double share = static_cast<double>(at - range_.beginNs) / std::max(1.0, length);
  const int64_t begin = at - std::llround(length / factor * share);
  setRange(begin, begin + std::llround(length / factor));
}

void TimelineView::pan(double pixels) {
  const int64_t by = timeAt(pixels) - timeAt(0);
  setRange(range_.beginNs + by, range_.endNs + by);
}

// Keys zoom where the pointer is, else in the middle.
double TimelineView::pointerX() const {
  const QPoint at = viewport()->mapFromGlobal(QCursor::pos());
  const bool inside = viewport()->underMouse() && viewport()->rect().contains(at);
  return inside ? at.x() : viewport()->width() - contentWidth() / 2.0;
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (!timeline_) return;
  pressed_ = last_ = event->position();
  const bool pans = event->button() == Qt::MiddleButton || event->modifiers().testFlag(Qt::ShiftModifier);
  drag_ = pans ? Drag::Pan : event->button() == Qt::LeftButton ? Drag::Stretch : Drag::None;
}

void TimelineView::updateStretch(QPointF at) {
  const int64_t a = timeAt(pressed_.x()), b = timeAt(at.x());
  stretch_ = TimeRange{std::min(a, b), std::max(a, b)};
  stretchTracks_.clear();
  const double top = std::min(pressed_.y(), at.y()), bottom = std::max(pressed_.y(), at.y());
  for (const Row& row : rows_) {
    const bool touched =
        row.track >= 0 && boxOf({static_cast<uint32_t>(row.track), row.lane, 0}).bottom() >= top && rowY(row) <= bottom;
    if (touched && (stretchTracks_.empty() || stretchTracks_.back() != static_cast<uint32_t>(row.track)))
      stretchTracks_.push_back(static_cast<uint32_t>(row.track));
  }
  viewport()->update();
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  if (drag_ == Drag::Pan) {
    pan(last_.x() - at.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(last_.y() - at.y()));
  }
  if (drag_ == Drag::Stretch && (at - pressed_).manhattanLength() > kDragBegins) updateStretch(at);
  last_ = at;
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag::None);
  if (!timeline_ || drag != Drag::Stretch) return;
  if ((event->position() - pressed_).manhattanLength() > kDragBegins) {
    updateStretch(event->position());
    emit stretchSelected();
    return;
  }
  if (const auto span = spanAt(event->position()))
    select(*span);
  else
    clearSelection();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto span = timeline_ ? spanAt(event->position()) : std::nullopt) emit activated(*span);
}

void TimelineView::clearSelection() {
  selected_.reset();
  stretch_.reset();
  stretchTracks_.clear();
  arrows_.clear();
  viewport()->update();
  emit stretchSelected();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  const double steps = (turned.y() != 0 ? turned.y() : turned.x()) / kWheelStep;
  if (event->modifiers().testFlag(Qt::ControlModifier))
    zoom(std::pow(kTimeZoomStep, steps), event->position().x());
  else if (event->modifiers().testFlag(Qt::ShiftModifier) || turned.y() == 0)
    pan(-steps * kPanShare * contentWidth());
  else
    verticalScrollBar()->setValue(verticalScrollBar()->value() -
                                  static_cast<int>(steps * 3 * verticalScrollBar()->singleStep()));
  viewport()->update();
  event->accept();
}

// A stretch or a span that is selected is marked at both ends; else the pointer's time, beside the mark before.
void TimelineView::setMark() {
  if (stretch_) {
    marks_ = {stretch_->beginNs, stretch_->endNs};
  } else if (selected_) {
    marks_ = {timeline_->at(*selected_).beginNs, timeline_->at(*selected_).endNs};
  } else {
    if (marks_.size() >= 2) marks_.erase(marks_.begin());
    marks_.push_back(timeAt(pointerX()));
  }
  viewport()->update();
  emit marksChanged();
}

// To the span before or behind in the same lane.
void TimelineView::stepTo(int step) {
  if (!selected_) return;
  SpanPlace to = *selected_;
  const auto count = static_cast<int64_t>(timeline_->tracks[to.track].lanes[to.lane].spans().size());
  const int64_t wanted = int64_t{to.span} + step;
  if (wanted < 0 || wanted >= count) return;
  to.span = static_cast<uint32_t>(wanted);
  select(to);
  bringIntoSight(to);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  const bool plain = !(event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
  if (!timeline_ || !plain) return QAbstractScrollArea::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_W: return zoom(kTimeZoomStep, pointerX());
    case Qt::Key_S: return zoom(1 / kTimeZoomStep, pointerX());
    case Qt::Key_A: return pan(-kPanShare * contentWidth());
    case Qt::Key_D: return pan(kPanShare * contentWidth());
    case Qt::Key_F:
      if (stretch_) return showRange(*stretch_);
      return selected_ ? showRange({timeline_->at(*selected_).beginNs, timeline_->at(*selected_).endNs}) : showAll();
    case Qt::Key_M:
      if (!(event->modifiers() & Qt::ShiftModifier)) return setMark();
      marks_.clear();
      viewport()->update();
      return emit marksChanged();
    case Qt::Key_Comma: return stepTo(-1);
    case Qt::Key_Period: return stepTo(1);
    case Qt::Key_Home: return showAll();
    case Qt::Key_Escape: return clearSelection();
    default: return QAbstractScrollArea::keyPressEvent(event);
  }
}

// Its letters are no shortcuts of the window while it has the focus.
bool TimelineView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = !(key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
    constexpr int kKeys[] = {Qt::Key_W, Qt::Key_S,     Qt::Key_A,      Qt::Key_D,    Qt::Key_F,
                             Qt::Key_M, Qt::Key_Comma, Qt::Key_Period, Qt::Key_Home, Qt::Key_Escape};
    if (plain && std::ranges::find(kKeys, key->key()) != std::end(kKeys)) event->accept();
  }
  return QAbstractScrollArea::event(event);
}

bool TimelineView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto span = timeline_ ? spanAt(help->pos()) : std::nullopt;
  QToolTip::showText(help->globalPos(), span ? asPlainText(tipOf(*span)) : QString(), viewport());
  return true;
}

}  // namespace tessera
