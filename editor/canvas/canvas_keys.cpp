// Keys: fit (A or Home, F), zoom (+ and -), Enter and digits feed inputs, arrows walk from box to box along the wires
// (down to a user, up to an operand, left and right to neighbours), Shift + arrow keeps what is selected, Ctrl + arrow
// pans, Enter opens a group.
#include <QKeyEvent>

#include "editor/canvas/canvas.h"
#include "editor/canvas/graph_walk.h"
#include "editor/canvas/page_items.h"
#include "editor/canvas/tools/canvas_tools.h"
#include "editor/canvas/value_strips.h"

namespace tessera {
namespace {

constexpr double kKeyPan = 80;  // pixels

bool isArrow(int key) {
  return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
}

}  // namespace

void Canvas::keyPressEvent(QKeyEvent* event) {
  viewport_.stop();
  if (fitKey(*event) || moveKey(*event)) return;
  const int32_t group = markedGroup();
  if (group < 0 && (sourceKey(*event) || numberKey(*event))) return;
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!selectedNodes_.empty()) activate(group >= 0 ? group : nodeOf(selection_.back()));
      return;
    case Qt::Key_Escape:
      if (cancel()) return;
      break;
    case Qt::Key_Space:
      tools_->pan.holdSpace(true);
      if (!active_) setCursor(Qt::OpenHandCursor);
      return;
    default: break;
  }
  QWidget::keyPressEvent(event);
}

// Ends a drag; else clears the selection.
bool Canvas::cancel() {
  if (tools_->wire.cancel() || (active_ && active_->cancel())) {
    active_ = nullptr;
    update();
    return true;
  }
  if (selection_.empty() && selectedGroup_.isEmpty() && pageItems_->selected().empty()) return false;
  pageItems_->select({});
  changeSelection({});
  return true;
}

bool Canvas::fitKey(const QKeyEvent& event) {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  if (event.key() == Qt::Key_A || event.key() == Qt::Key_Home) return fitAll(), true;
  if (event.key() == Qt::Key_F) return fitSelection(), true;
  return false;
}

bool Canvas::moveKey(const QKeyEvent& event) {
  const QPointF middle(width() / 2.0, height() / 2.0);
  const int key = event.key();
  if (key == Qt::Key_Plus || key == Qt::Key_Equal) return viewport_.zoomBy(kZoomStep, middle), true;
  if (key == Qt::Key_Minus) return viewport_.zoomBy(1 / kZoomStep, middle), true;
  if (!isArrow(key)) return false;
  if (event.modifiers() & Qt::ControlModifier) {
    const double x = key == Qt::Key_Left ? -kKeyPan : key == Qt::Key_Right ? kKeyPan : 0;
    const double y = key == Qt::Key_Up ? -kKeyPan : key == Qt::Key_Down ? kKeyPan : 0;
    viewport_.panBy(QPointF(-x, -y));
  } else {
    navigate(key, event.modifiers() & Qt::ShiftModifier);
  }
  return true;
}

// Wires without a pointer: Enter asks for what feeds the first open input of a node, a digit for that of an input.
bool Canvas::sourceKey(const QKeyEvent& event) {
  const auto& hints = tools_->wire.hints();
  const bool enter = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
  const bool digit = event.key() >= Qt::Key_1 && event.key() <= Qt::Key_9;
  if ((!enter && !digit) || (event.modifiers() & ~Qt::KeypadModifier) || selection_.empty() || !hints.inputs)
    return false;
  const auto inputs = hints.inputs(selection_.back());
  const auto open = std::ranges::find_if(inputs, [](const CanvasInput& i) { return !i.value.valid() && !i.appends; });
  const int operand = digit ? event.key() - Qt::Key_1 : static_cast<int>(open - inputs.begin());
  if (operand >= static_cast<int>(inputs.size())) return false;
  emit sourceWanted(selection_.back(), operand);
  return true;
}

// The number of the selected node goes up or down, as by a drag of so many pixels.
bool Canvas::numberKey(const QKeyEvent& event) {
  constexpr double kStep = 8, kFineStep = 0.8;
  const int key = event.key();
  if ((key != Qt::Key_PageUp && key != Qt::Key_PageDown) || (event.modifiers() & Qt::ControlModifier)) return false;
  if (selection_.empty() || !values().isNumber(selection_.back())) return false;
  const double by = event.modifiers() & Qt::ShiftModifier ? kFineStep : kStep;
  emit valueScrubbed(selection_.back(), key == Qt::Key_PageUp ? by : -by, true);
  return true;
}

void Canvas::navigate(int key, bool extend) {
  if (!view_ || !index_) return;
  const int32_t to = walk_->step(selection_.empty() ? -1 : nodeOf(selection_.back()), key);
  if (to < 0) return;
  std::vector<InstructionId> next = extend ? selection_ : std::vector<InstructionId>();
  const InstructionId id = view_->nodes[static_cast<size_t>(to)].instruction;
  std::erase(next, id);
  next.push_back(id);
  const QString group = extend ? QString() : groupAt(to);
  changeSelection(std::move(next));
  emit groupSelected(group);
  viewport_.scrollTo(frameOf(to));
}

void Canvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat()) return QWidget::keyReleaseEvent(event);
  releaseSpace();
}

// Another window may get the release of the key.
void Canvas::focusInEvent(QFocusEvent* event) {
  focusedByKey_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  update();
  QWidget::focusInEvent(event);
}

void Canvas::focusOutEvent(QFocusEvent* event) {
  focusedByKey_ = false;
  update();
  releaseSpace();
  QWidget::focusOutEvent(event);
}

void Canvas::releaseSpace() {
  if (!tools_->pan.holdsSpace()) return;
  tools_->pan.holdSpace(false);
  if (active_ != &tools_->pan) setCursor(Qt::ArrowCursor);
}

}  // namespace tessera
