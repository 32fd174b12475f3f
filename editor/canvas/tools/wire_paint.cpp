// What of wires is painted above the tiles.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "core/arrange/box_style.h"
#include "core/arrange/sockets.h"
#include "core/arrange/text_metrics.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/paths.h"
#include "editor/canvas/plate.h"
#include "editor/canvas/render.h"
#include "editor/canvas/tools/wire_tool.h"

namespace tessera {
namespace {

constexpr double kSocketRadius = 4;  // pixels
constexpr size_t kMaxJudged = 120;
constexpr double kInputFieldWidth = 74;  // scene units

}  // namespace

// The field of an open input: above its socket, no wider than the distance of the sockets; where wires run to the
// right, in its row behind the name.
QRectF WireTool::plateOf(int32_t node, int32_t operand) const {
  const QPointF socket = inputAt(node, operand);
  if (canvas_.view()->flow == Flow::Right) {
    const double zoom = canvas_.viewport().zoom(), high = 15 * zoom;
    // Without names of ports it stands on the line of the result, and covers it.
    const bool named = hasPortNames(nodeAt(node));
    const double all = canvas_.frameOf(node).width();
    const double wide = (named ? std::min<double>(kInputFieldWidth, all / 2 - 4) : all - 12) * zoom;
    const double right = canvas_.viewport().toWidget(canvas_.frameOf(node).bottomRight()).x() - 6 * zoom;
    return {right - wide, socket.y() - high / 2, wide, high};
  }
  const double room = canvas_.frameOf(node).width() * canvas_.viewport().zoom() /
                          static_cast<double>(std::max<size_t>(nodeAt(node).inputs.size(), 1)) -
                      4;
  const double wide = std::clamp(room, 16.0, 64.0);
  return {socket.x() - wide / 2, socket.y() - 24, wide, 17};
}

void WireTool::paintSockets(QPainter& painter) {
  const auto nodes = wirableNodes();
  const PictureItem* hovered = canvas_.hoveredItem();
  size_t judged = 0;
  for (int32_t node : nodes) {
    const InstructionId id = nodeAt(node).instruction;
    const auto inputs = inputsOf(node);
    const bool carried = wire_ && wire_->moved && wire_->value.valid() && judged++ < kMaxJudged;
    if (carried)
      paintTargets(painter, node, id, inputs);
    else if (showsPlates(node))
      paintPlates(painter, node, inputs);
    if (canvas_.view()->nodes.size() > kMostWithPorts) paintPorts(painter, node);
    const bool near = hovered && hovered->viewNode == node;
    if (!near && !(wire_ && wire_->openUser.valid())) continue;
    painter.setPen(QPen(toQColor(ColorRole::Selection, canvas_.theme()), 1.5));
    painter.setBrush(toQColor(ColorRole::NodeFill, canvas_.theme()));
    painter.drawEllipse(outputAt(node), kSocketRadius + 1, kSocketRadius + 1);
  }
}

// Where the picture leaves them out.
void WireTool::paintPorts(QPainter& painter, int32_t node) {
  const double radius = box::kPort / 2 * canvas_.viewport().zoom();
  painter.setPen(QPen(toQColor(ColorRole::NodeBorder, canvas_.theme()), 0.7));
  const auto paint = [&](QPointF at, const ViewPort& port) {
    painter.setBrush(toQColor(typeRole(port.type), canvas_.theme()));
    painter.drawEllipse(at, radius, radius);
  };
  for (const ViewPort& port : nodeAt(node).inputs) paint(inputAt(node, port.operand), port);
  paint(outputAt(node), nodeAt(node).output);
}

// Fields of open inputs, while the node is meant.
bool WireTool::showsPlates(int32_t node) const {
  const PictureItem* hovered = canvas_.hoveredItem();
  return (hovered && hovered->viewNode == node) ||
         std::ranges::find(canvas_.selectedNodes(), node) != canvas_.selectedNodes().end();
}

void WireTool::paintPlates(QPainter& painter, int32_t node, const std::vector<CanvasInput>& inputs) {
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].value.valid() || inputs[k].appends) continue;
    const QRectF plate = plateOf(node, static_cast<int32_t>(k));
    painter.setBrush(toQColor(ColorRole::NodeFill, canvas_.theme()));
    painter.setPen(QPen(toQColor(ColorRole::NodeBorder, canvas_.theme()), 1, Qt::DashLine));
    painter.drawRoundedRect(plate, 3, 3);
    const bool named = canvas_.view()->flow == Flow::Right && hasPortNames(nodeAt(node));
    PictureItem text;
    text.kind = PictureItem::Kind::Text;
    text.size = std::min(9.5f, static_cast<float>(plate.height()) * 0.6f);
    text.fill = named ? ColorRole::NodeSubtext : ColorRole::NodeText;
    text.text = elideText(named ? "value" : inputs[k].name.toStdString() + " ?", text.size,
                          static_cast<float>(plate.width()) - 6);
    if (text.text.empty()) text.text.push_back('?');
    text.bounds = {static_cast<float>(plate.center().x()) - textWidth(text.text, text.size) / 2,
                   static_cast<float>(plate.center().y()) - text.size * 0.6f, 0, 0};
    paintItem(painter, text, 1, canvas_.theme());
  }
}

// While a wire is dragged: inputs that take it are filled, others dimmed; a node without any is dimmed whole.
void WireTool::paintTargets(QPainter& painter, int32_t node, InstructionId id, const std::vector<CanvasInput>& inputs) {
  bool any = id == wire_->value;
  for (size_t k = 0; k < inputs.size(); ++k) any = verdictOf(id, static_cast<int32_t>(k)).fits || any;
  const QRectF frame = canvas_.frameOf(node);
  if (!any && nodeAt(node).kind != ViewNode::Kind::OpenGroup) {
    QColor veil = toQColor(ColorRole::Background, canvas_.theme());
    veil.setAlphaF(0.6f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(veil);
    painter.drawRect(canvas_.viewport().toWidget(frame).adjusted(-2, -2, 2, 2));
  }
  for (size_t k = 0; k < inputs.size(); ++k) {
    const bool fits = verdictOf(id, static_cast<int32_t>(k)).fits;
    const bool snapped = wire_->target.node == id && wire_->target.operand == static_cast<int32_t>(k);
    QColor color = toQColor(fits      ? ColorRole::Selection
                            : snapped ? ColorRole::Error
                                      : ColorRole::NodeBorder,
                            canvas_.theme());
    if (!fits && !snapped) color.setAlphaF(0.5f);
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(fits ? color : toQColor(ColorRole::NodeFill, canvas_.theme()));
    const double radius = snapped ? kSocketRadius + 3 : kSocketRadius;
    painter.drawEllipse(inputAt(node, static_cast<int32_t>(k)), radius, radius);
  }
}

void WireTool::paint(QPainter& painter) {
  if (!wire_ || !wire_->moved) return;
  QPointF from, to = wire_->at;
  const auto socketOf = [&](InstructionId id, int32_t operand) {
    const int32_t node = canvas_.nodeOf(id);
    return operand < 0 ? outputAt(node) : inputAt(node, operand);
  };
  const bool fromInput = wire_->openUser.valid();
  from = fromInput ? socketOf(wire_->openUser, wire_->openOperand) : socketOf(wire_->value, -1);
  bool refused = false;
  if (wire_->target.node.valid()) {
    to = socketOf(wire_->target.node, wire_->target.operand);
    refused = !fromInput && !verdictOf(wire_->target.node, wire_->target.operand).fits;
  }
  if (fromInput) std::swap(from, to);
  const QPainterPath path = looseWire(from, to, canvas_.view()->flow, 24);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(toQColor(refused ? ColorRole::Error : ColorRole::Selection, canvas_.theme()), 2.2,
                      refused ? Qt::DashLine : Qt::SolidLine));
  painter.drawPath(path);
  paintInserted(painter, path);
  if (!fromInput) paintVerdict(painter);
}

// The nodes that a repair would put into the wire.
void WireTool::paintInserted(QPainter& painter, const QPainterPath& wire) {
  for (qsizetype i = 0; i < inserted_.size(); ++i) {
    const QPointF at = wire.pointAtPercent(static_cast<double>(i + 1) / static_cast<double>(inserted_.size() + 1));
    const double wide = textWidth(inserted_[i].toStdString(), kPlateText) + 12;
    paintPlate(painter, canvas_.size(), at - QPointF(wide / 2, 9), inserted_[i], ColorRole::Selection, true,
               canvas_.theme());
  }
}

void WireTool::paintVerdict(QPainter& painter) {
  if (!wire_->target.node.valid() || !inserted_.empty()) return;
  const WireVerdict& verdict = verdictOf(wire_->target.node, wire_->target.operand);
  if (verdict.text.isEmpty() || (!verdict.fits && !wire_->reasonShown)) return;
  paintPlate(painter, canvas_.size(), wire_->at + QPointF(16, 14), verdict.text,
             verdict.fits ? ColorRole::Selection : ColorRole::Error, false, canvas_.theme());
}

}  // namespace tessera
