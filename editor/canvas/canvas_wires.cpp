// Wires by hand: sockets, a wire in the hand that snaps to inputs, dimmed inputs that cannot take it, the reason beside
// the pointer, and what a drop means. The graph is changed by whoever listens.
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "core/arrange/sockets.h"
#include "core/arrange/text_metrics.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"

namespace tessera {
namespace {

constexpr double kSocketReach = 9, kSnapReach = 16, kSocketRadius = 4;  // pixels
constexpr double kSmallestZoom = 0.35;                                  // below it nodes are too small for sockets
constexpr int kReasonAfterMs = 150;
constexpr size_t kMaxDrawn = 250, kMaxJudged = 120;
constexpr float kPlateText = 10.5f;

RectF toRectF(const QRectF& r) {
  return {static_cast<float>(r.x()), static_cast<float>(r.y()), static_cast<float>(r.width()),
          static_cast<float>(r.height())};
}

}  // namespace

void Canvas::setWireHints(WireHints hints) {
  hints_ = std::move(hints);
  update();
}

bool Canvas::takesWires(const ViewNode& node) { return node.kind == ViewNode::Kind::Instruction || node.caller; }

std::vector<int32_t> Canvas::wirableNodes() const {
  std::vector<int32_t> out;
  if (!hints_.inputs || !view_ || zoom_ < kSmallestZoom) return out;
  const QRectF visible = visibleScene();
  for (size_t v = 0; v < view_->nodes.size() && out.size() < kMaxDrawn; ++v)
    if (takesWires(view_->nodes[v]) && frameOf(static_cast<int32_t>(v)).intersects(visible))
      out.push_back(static_cast<int32_t>(v));
  return out;
}

QPointF Canvas::outputAt(int32_t node) const {
  const PointF p = outputSocket(toRectF(frameOf(node)));
  return toWidget({p.x, p.y});
}
QPointF Canvas::inputAt(int32_t node, int32_t operand, size_t count) const {
  const PointF p = inputSocket(toRectF(frameOf(node)), operand, count);
  return toWidget({p.x, p.y});
}

// The socket at a place; an input only where it is drawn: constants beside the node are fields of their own.
Canvas::Socket Canvas::socketAt(QPointF at) const {
  Socket best;
  double nearest = kSocketReach;
  for (int32_t node : wirableNodes()) {
    const QRectF frame = frameOf(node);
    if (!QRectF(toWidget(frame.topLeft()), toWidget(frame.bottomRight())).adjusted(-12, -24, 12, 12).contains(at))
      continue;
    const InstructionId id = view_->nodes[static_cast<size_t>(node)].instruction;
    const auto consider = [&](QPointF socket, int32_t operand, bool open, InstructionId value) {
      const double distance = std::hypot(socket.x() - at.x(), socket.y() - at.y());
      if (distance < nearest) nearest = distance, best = {id, operand, open, value};
    };
    consider(outputAt(node), -1, false, {});
    const auto inputs = hints_.inputs(id);
    const size_t count = countOf(inputs);
    for (size_t k = 0; k < count; ++k) {
      if (isAttached(inputs[k].value, node)) continue;
      const auto operand = static_cast<int32_t>(k);
      consider(inputAt(node, operand, count), operand, !inputs[k].value.valid(), inputs[k].value);
      if (!inputs[k].value.valid() && plateOf(node, operand, count).contains(at)) return {id, operand, true, {}};
    }
  }
  return best;
}

size_t Canvas::countOf(const std::vector<CanvasInput>& inputs) {
  return static_cast<size_t>(std::ranges::count_if(inputs, [](const CanvasInput& i) { return !i.appends; }));
}

bool Canvas::isAttached(InstructionId value, int32_t user) const {
  if (!value.valid()) return false;
  for (const ViewEdge& edge : view_->edges)
    if (edge.to == user && edge.value == value)
      return view_->nodes[static_cast<size_t>(edge.from)].kind == ViewNode::Kind::Attached;
  return false;
}

// --- the hand

bool Canvas::pressSocket(QPointF at) {
  const Socket socket = socketAt(at);
  if (!socket.node.valid()) return false;
  Wire wire;
  wire.at = at;
  if (socket.operand < 0) {
    wire.value = socket.node;
  } else if (socket.open) {
    wire.openUser = socket.node;
    wire.openOperand = socket.operand;
  } else {
    wire.value = socket.value;
    wire.pulledUser = socket.node;
    wire.pulledOperand = socket.operand;
  }
  wire_ = std::move(wire);
  return true;
}

void Canvas::moveWire(QPointF at) {
  if (!wire_ || wire_->held) return;
  wire_->moved = wire_->moved || (at - pressed_).manhattanLength() > 4;
  wire_->at = at;
  if (!wire_->moved) return;
  const Socket before = wire_->target;
  snapWire(at);
  if (before.node != wire_->target.node || before.operand != wire_->target.operand) {
    wire_->reasonShown = false;
    if (wire_->target.node.valid())
      QTimer::singleShot(kReasonAfterMs, this, [this, target = wire_->target] {
        if (!wire_ || wire_->target.node != target.node || wire_->target.operand != target.operand) return;
        wire_->reasonShown = true;
        update();
      });
    emit wireHovered(wire_->value, wire_->target.node, wire_->target.operand);
  }
  update();
}

const WireVerdict& Canvas::verdictOf(InstructionId user, int32_t operand) {
  const auto key = std::pair(user, operand);
  if (const auto known = wire_->verdicts.find(key); known != wire_->verdicts.end()) return known->second;
  return wire_->verdicts[key] = hints_.judge(wire_->value, user, operand);
}

// To the nearest input; else on the body of a node to the first that takes the value.
void Canvas::snapWire(QPointF at) {
  wire_->target = {};
  double nearest = kSnapReach;
  int32_t under = -1;
  for (int32_t node : wirableNodes()) {
    const InstructionId id = view_->nodes[static_cast<size_t>(node)].instruction;
    const QRectF frame = frameOf(node);
    const QRectF box(toWidget(frame.topLeft()), toWidget(frame.bottomRight()));
    if (!box.adjusted(-16, -30, 16, 16).contains(at)) continue;
    if (box.contains(at) && view_->nodes[static_cast<size_t>(node)].kind != ViewNode::Kind::OpenGroup) under = node;
    if (wire_->openUser.valid()) {  // drawn from an input: outputs are what it snaps to
      if (id != wire_->openUser && box.adjusted(-4, -4, 4, 10).contains(at)) wire_->target = {id, -1, false, {}};
      continue;
    }
    const auto inputs = hints_.inputs(id);
    for (size_t k = 0; k < inputs.size(); ++k) {
      const QPointF socket = inputAt(node, static_cast<int32_t>(k), inputs.size());
      const double distance = std::hypot(socket.x() - at.x(), socket.y() - at.y());
      if (distance < nearest) nearest = distance, wire_->target = {id, static_cast<int32_t>(k), false, inputs[k].value};
    }
  }
  if (wire_->openUser.valid() || wire_->target.node.valid() || under < 0) return;
  snapToBody(under);
}

void Canvas::snapToBody(int32_t node) {
  const InstructionId id = view_->nodes[static_cast<size_t>(node)].instruction;
  if (id == wire_->value) return;
  const auto inputs = hints_.inputs(id);
  if (inputs.empty()) return;
  int32_t chosen = -1;
  for (const bool open : {true, false})
    for (size_t k = 0; k < inputs.size() && chosen < 0; ++k)
      if (inputs[k].value.valid() != open && verdictOf(id, static_cast<int32_t>(k)).fits)
        chosen = static_cast<int32_t>(k);
  if (chosen < 0) {  // refused, but where it would have gone
    const auto open = std::ranges::find_if(inputs, [](const CanvasInput& i) { return !i.value.valid(); });
    chosen = open == inputs.end() ? 0 : static_cast<int32_t>(open - inputs.begin());
  }
  wire_->target = {id, chosen, false, inputs[static_cast<size_t>(chosen)].value};
}

void Canvas::releaseWire(QPointF at) {
  if (!wire_) return;
  moveWire(at);
  const Wire wire = *wire_;
  if (!wire.moved && !wire.sticky) {
    endWire();
    if (wire.openUser.valid())
      emit inputClicked(wire.openUser, wire.openOperand);
    else
      click(at, Qt::NoModifier);
    return;
  }
  if (wire.openUser.valid()) {
    endWire();
    if (wire.target.node.valid())
      emit wireDropped(wire.target.node, wire.openUser, wire.openOperand, at);
    else
      emit inputDroppedOnEmpty(wire.openUser, wire.openOperand, at);
  } else if (wire.target.node.valid()) {
    if (wire.pulledUser == wire.target.node && wire.pulledOperand == wire.target.operand) return endWire();
    wire_->held = true;  // until the listener says how it ends
    emit wireDropped(wire.value, wire.target.node, wire.target.operand, at);
  } else {
    endWire();
    if (wire.pulledUser.valid())
      emit inputOpened(wire.pulledUser, wire.pulledOperand);
    else
      emit wireDroppedOnEmpty(wire.value, at);
  }
}

void Canvas::followWire() {
  if (nodeOf(wire_->openUser.valid() ? wire_->openUser : wire_->value) < 0) return endWire();
  wire_->verdicts.clear();
  wire_->target = {};
}

void Canvas::endWire() {
  wire_.reset();
  ghosts_.clear();
  foreseen_.clear();
  update();
}

void Canvas::takeWireBack() {
  if (!wire_) return;
  ghosts_.clear();
  wire_->held = false;
  wire_->sticky = wire_->moved = true;
  setFocus();
  update();
}

void Canvas::setForesight(std::vector<Foreseen> foreseen) {
  foreseen_ = std::move(foreseen);
  update();
}

// What changes glows, what would break glows with its reason.
void Canvas::paintForesight(QPainter& painter) {
  const QRectF visible = visibleScene();
  for (const Foreseen& each : foreseen_) {
    const QRectF frame = boxOf(each.instruction);
    if (frame.isEmpty() || !frame.intersects(visible)) continue;
    const ColorRole role = each.wrong ? ColorRole::Error : ColorRole::Selection;
    const QRectF box(toWidget(frame.topLeft()), toWidget(frame.bottomRight()));
    painter.setBrush(Qt::NoBrush);
    for (int ring = 3; ring > 0; --ring) {
      QColor glow = toQColor(role, theme_);
      glow.setAlphaF(0.35f / static_cast<float>(ring));
      painter.setPen(QPen(glow, 3.0 * ring));
      painter.drawRoundedRect(box, 6, 6);
    }
    if (!each.text.isEmpty())
      paintPlate(painter, box.topRight() + QPointF(6, 4),
                 QString::fromStdString(elideText(each.text.toStdString(), kPlateText, 320)), role, true);
  }
}

void Canvas::setGhosts(QStringList titles) {
  ghosts_ = std::move(titles);
  update();
}

// --- painting

// A name or reason on a plate, in widget pixels.
void Canvas::paintPlate(QPainter& painter, QPointF topLeft, const QString& text, ColorRole border, bool dashed) {
  const std::string words = text.toStdString();
  const double wide = textWidth(words, kPlateText) + 12;
  QRectF plate(topLeft, QSizeF(wide, 18));
  if (plate.right() > width() - 2) plate.moveRight(width() - 2);
  if (plate.bottom() > height() - 2) plate.moveBottom(height() - 2);
  painter.setPen(QPen(toQColor(border, theme_), 1.2, dashed ? Qt::DashLine : Qt::SolidLine));
  painter.setBrush(toQColor(ColorRole::NodeFill, theme_));
  painter.drawRoundedRect(plate, 4, 4);
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.bounds = {static_cast<float>(plate.x()) + 6, static_cast<float>(plate.y()) + 3, 0, 0};
  item.text = words;
  item.size = kPlateText;
  item.fill = ColorRole::NodeText;
  paintItem(painter, item, 1, theme_);
}

// The field of an open input: above its socket, no wider than the sockets stand apart.
QRectF Canvas::plateOf(int32_t node, int32_t operand, size_t count) const {
  const QPointF socket = inputAt(node, operand, count);
  const double room = frameOf(node).width() * zoom_ / static_cast<double>(std::max<size_t>(count, 1)) - 4;
  const double wide = std::clamp(room, 16.0, 64.0);
  return {socket.x() - wide / 2, socket.y() - 24, wide, 17};
}

void Canvas::paintSockets(QPainter& painter) {
  const auto nodes = wirableNodes();
  size_t judged = 0;
  for (int32_t node : nodes) {
    const InstructionId id = view_->nodes[static_cast<size_t>(node)].instruction;
    const auto inputs = hints_.inputs(id);
    const bool carried = wire_ && wire_->moved && wire_->value.valid() && judged++ < kMaxJudged;
    if (carried)
      paintTargets(painter, node, id, inputs);
    else
      paintInputs(painter, node, inputs);
    const bool near = hover_ >= 0 && picture_->items[static_cast<size_t>(hover_)].viewNode == node;
    if (!near && !(wire_ && wire_->openUser.valid())) continue;
    painter.setPen(QPen(toQColor(ColorRole::Selection, theme_), 1.5));
    painter.setBrush(toQColor(ColorRole::NodeFill, theme_));
    painter.drawEllipse(outputAt(node), kSocketRadius + 1, kSocketRadius + 1);
  }
}

void Canvas::paintInputs(QPainter& painter, int32_t node, const std::vector<CanvasInput>& inputs) {
  const size_t count = countOf(inputs);
  for (size_t k = 0; k < count; ++k) {
    if (inputs[k].value.valid()) continue;
    const auto operand = static_cast<int32_t>(k);
    const QRectF plate = plateOf(node, operand, count);
    painter.setPen(QPen(toQColor(ColorRole::Error, theme_), 1.3));
    painter.setBrush(toQColor(ColorRole::NodeFill, theme_));
    painter.drawEllipse(inputAt(node, operand, count), kSocketRadius, kSocketRadius);
    painter.setPen(QPen(toQColor(ColorRole::NodeBorder, theme_), 1, Qt::DashLine));
    painter.drawRoundedRect(plate, 3, 3);
    PictureItem text;
    text.kind = PictureItem::Kind::Text;
    text.size = 9.5f;
    text.fill = ColorRole::NodeText;
    text.text = elideText(inputs[k].name.toStdString() + " ?", text.size, static_cast<float>(plate.width()) - 6);
    if (text.text.empty()) text.text += '?';
    text.bounds = {static_cast<float>(plate.center().x()) - textWidth(text.text, text.size) / 2,
                   static_cast<float>(plate.y()) + 3, 0, 0};
    paintItem(painter, text, 1, theme_);
  }
}

// While a wire is in the hand: inputs that take it are filled, others dimmed; a node without any is dimmed whole.
void Canvas::paintTargets(QPainter& painter, int32_t node, InstructionId id, const std::vector<CanvasInput>& inputs) {
  bool any = id == wire_->value;
  for (size_t k = 0; k < inputs.size(); ++k) any = verdictOf(id, static_cast<int32_t>(k)).fits || any;
  const QRectF frame = frameOf(node);
  if (!any && view_->nodes[static_cast<size_t>(node)].kind != ViewNode::Kind::OpenGroup) {
    QColor veil = toQColor(ColorRole::Background, theme_);
    veil.setAlphaF(0.6f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(veil);
    painter.drawRect(QRectF(toWidget(frame.topLeft()), toWidget(frame.bottomRight())).adjusted(-2, -2, 2, 2));
  }
  for (size_t k = 0; k < inputs.size(); ++k) {
    const bool fits = verdictOf(id, static_cast<int32_t>(k)).fits;
    const bool snapped = wire_->target.node == id && wire_->target.operand == static_cast<int32_t>(k);
    QColor color = toQColor(fits ? ColorRole::Selection : snapped ? ColorRole::Error : ColorRole::NodeBorder, theme_);
    if (!fits && !snapped) color.setAlphaF(0.5f);
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(fits ? color : toQColor(ColorRole::NodeFill, theme_));
    const double radius = snapped ? kSocketRadius + 3 : kSocketRadius;
    painter.drawEllipse(inputAt(node, static_cast<int32_t>(k), inputs.size()), radius, radius);
  }
}

void Canvas::paintWire(QPainter& painter) {
  if (!wire_ || !wire_->moved) return;
  QPointF from, to = wire_->at;
  const auto socketOf = [&](InstructionId id, int32_t operand) {
    const int32_t node = nodeOf(id);
    return operand < 0 ? outputAt(node) : inputAt(node, operand, std::max<size_t>(hints_.inputs(id).size(), 1));
  };
  const bool fromInput = wire_->openUser.valid();
  from = fromInput ? socketOf(wire_->openUser, wire_->openOperand) : socketOf(wire_->value, -1);
  bool refused = false;
  if (wire_->target.node.valid()) {
    to = socketOf(wire_->target.node, wire_->target.operand);
    refused = !fromInput && !verdictOf(wire_->target.node, wire_->target.operand).fits;
  }
  if (fromInput) std::swap(from, to);
  QPainterPath path(from);
  const double bend = std::max(24.0, std::abs(to.y() - from.y()) / 2);
  path.cubicTo(from + QPointF(0, bend), to - QPointF(0, bend), to);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(toQColor(refused ? ColorRole::Error : ColorRole::Selection, theme_), 2.2,
                      refused ? Qt::DashLine : Qt::SolidLine));
  painter.drawPath(path);
  paintGhosts(painter, path);
  if (!fromInput) paintVerdict(painter);
}

// The nodes that a repair would put into the wire.
void Canvas::paintGhosts(QPainter& painter, const QPainterPath& wire) {
  for (qsizetype i = 0; i < ghosts_.size(); ++i) {
    const QPointF at = wire.pointAtPercent(static_cast<double>(i + 1) / static_cast<double>(ghosts_.size() + 1));
    const double wide = textWidth(ghosts_[i].toStdString(), kPlateText) + 12;
    paintPlate(painter, at - QPointF(wide / 2, 9), ghosts_[i], ColorRole::Selection, true);
  }
}

void Canvas::paintVerdict(QPainter& painter) {
  if (!wire_->target.node.valid() || !ghosts_.empty()) return;
  const WireVerdict& verdict = verdictOf(wire_->target.node, wire_->target.operand);
  if (verdict.text.isEmpty() || (!verdict.fits && !wire_->reasonShown)) return;
  paintPlate(painter, wire_->at + QPointF(16, 14), verdict.text, verdict.fits ? ColorRole::Selection : ColorRole::Error,
             false);
}

QString Canvas::shownVerdict() {
  if (!wire_ || !wire_->target.node.valid()) return {};
  const WireVerdict& verdict = verdictOf(wire_->target.node, wire_->target.operand);
  return verdict.fits || wire_->reasonShown ? verdict.text : QString();
}

}  // namespace tessera
