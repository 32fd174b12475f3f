// Each input is judged once while a wire is dragged; the verdicts are kept until the wire or the picture changes.
#include "editor/canvas/tools/wire_tool.h"

#include <QPainter>
#include <QPainterPath>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "core/arrange/sockets.h"
#include "core/arrange/text_metrics.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/highlights.h"
#include "editor/canvas/paths.h"
#include "editor/canvas/plate.h"
#include "editor/canvas/render.h"

namespace tessera {
namespace {

constexpr double kSocketReach = 9, kSnapReach = 16;  // pixels
constexpr double kSmallestSocketZoom = 0.35;         // below it nodes are too small for sockets
constexpr double kMoved = 4;                         // pixels; less is a click
constexpr int kReasonAfterMs = 150;
constexpr size_t kMaxDrawn = 250;

bool takesWires(const ViewNode& node) { return node.kind == ViewNode::Kind::Instruction || node.caller; }

}  // namespace

void WireTool::setHints(WireHints hints) {
  hints_ = std::move(hints);
  canvas_.update();
}

// The instructions within a pill are wired to each other.
std::vector<CanvasInput> WireTool::inputsOf(int32_t node) const {
  const ViewNode& at = nodeAt(node);
  return at.chip && at.instructionCount > 1 ? std::vector<CanvasInput>() : hints_.inputs(at.instruction);
}

const ViewNode& WireTool::nodeAt(int32_t node) const { return canvas_.view()->nodes[static_cast<size_t>(node)]; }

std::vector<int32_t> WireTool::wirableNodes() const {
  std::vector<int32_t> out;
  if (!hints_.inputs || !canvas_.view() || canvas_.viewport().zoom() < kSmallestSocketZoom) return out;
  const QRectF visible = canvas_.viewport().visible();
  const auto count = static_cast<int32_t>(canvas_.view()->nodes.size());
  for (int32_t v = 0; v < count && out.size() < kMaxDrawn; ++v)
    if (takesWires(nodeAt(v)) && canvas_.frameOf(v).intersects(visible)) out.push_back(v);
  return out;
}

QPointF WireTool::outputAt(int32_t node) const {
  const PointF p = outputSocket(nodeAt(node), toRectF(canvas_.frameOf(node)), canvas_.view()->flow);
  return canvas_.viewport().toWidget(QPointF(p.x, p.y));
}
// What stands in the node or at its left is an input there; of a closed group it may be an inner affair.
QPointF WireTool::inputAt(int32_t node, int32_t operand) const {
  const RectF box = toRectF(canvas_.frameOf(node));
  const int32_t attached = attachedTo(node, operand);
  const PointF p = attached >= 0
                       ? besideSocket(box, toRectF(canvas_.frameOf(attached)))
                       : inputSocket(nodeAt(node), box, operand, canvas_.view()->flow).value_or(PointF{box.x, box.y});
  return canvas_.viewport().toWidget(QPointF(p.x, p.y));
}

// The socket at a place; an input only where it is drawn: constants beside the node are fields of their own.
WireTool::Socket WireTool::socketAt(QPointF at) const {
  Socket best;
  double nearest = kSocketReach;
  for (int32_t node : wirableNodes()) {
    const QRectF frame = canvas_.frameOf(node);
    if (!canvas_.viewport().toWidget(frame).adjusted(-12, -24, 12, 12).contains(at)) continue;
    const InstructionId id = nodeAt(node).instruction;
    const auto consider = [&](QPointF socket, int32_t operand, bool open, InstructionId value) {
      const double distance = std::hypot(socket.x() - at.x(), socket.y() - at.y());
      if (distance < nearest) nearest = distance, best = {id, operand, open, value};
    };
    consider(outputAt(node), -1, false, {});
    const auto inputs = inputsOf(node);
    for (size_t k = 0; k < inputs.size(); ++k) {
      const auto operand = static_cast<int32_t>(k);
      const bool open = !inputs[k].value.valid();
      if (inputs[k].appends || attachedTo(node, operand) >= 0) continue;
      consider(inputAt(node, operand), operand, open, inputs[k].value);
      if (open && plateOf(node, operand).contains(at)) return {id, operand, true, {}};
    }
  }
  return best;
}

// The box of what stands in a node or at its left; -1: a wire leads to the input, or nothing.
int32_t WireTool::attachedTo(int32_t user, int32_t operand) const {
  const auto [first, last] = attached().equal_range(user);
  if (first == last || !hints_.inputs || inputSocket(nodeAt(user), RectF(), operand)) return -1;
  const auto inputs = inputsOf(user);  // of thousands: not before something is there
  if (operand < 0 || static_cast<size_t>(operand) >= inputs.size()) return -1;
  const auto found = std::find_if(first, last, [&](const auto& each) {
    return nodeAt(each.second).instruction == inputs[static_cast<size_t>(operand)].value;
  });
  return found == last ? -1 : found->second;
}

const std::unordered_multimap<int32_t, int32_t>& WireTool::attached() const {
  if (attachedView_ == canvas_.view()) return attached_;
  attachedView_ = canvas_.view();
  attached_.clear();
  for (const ViewEdge& edge : attachedView_->edges)
    if (nodeAt(edge.from).kind == ViewNode::Kind::Attached) attached_.emplace(edge.to, edge.from);
  return attached_;
}

std::optional<std::pair<InstructionId, int32_t>> WireTool::portAt(QPointF at) const {
  const Socket socket = socketAt(at);
  return socket.node.valid() ? std::optional(std::pair(socket.node, socket.operand)) : std::nullopt;
}

QString WireTool::tipAt(QPointF at) const {
  const Socket socket = socketAt(at);
  if (!socket.node.valid() || socket.operand < 0) return {};
  const auto inputs = hints_.inputs(socket.node);
  const auto k = static_cast<size_t>(socket.operand);
  if (k >= inputs.size()) return {};
  return socket.open ? QObject::tr("%1: open. Drag a wire here, or click to type a value").arg(inputs[k].name)
                     : QObject::tr("%1: drag to another input, or off to unwire").arg(inputs[k].name);
}

// --- dragging

bool WireTool::press(const Pointer& pointer) {
  if (pointer.button != Qt::LeftButton) return false;
  if (isSticky()) return true;
  const QPointF at = pointer.at;
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

void WireTool::drag(const Pointer& pointer) { moveTo(pointer.at, pointer.pressed); }

void WireTool::moveTo(QPointF at, QPointF pressed) {
  if (!wire_ || wire_->held) return;
  wire_->moved = wire_->moved || (at - pressed).manhattanLength() > kMoved;
  wire_->at = at;
  if (!wire_->moved) return;
  const Socket before = wire_->target;
  snap(at);
  if (!before.isSame(wire_->target)) hover();
  canvas_.update();
}

// The reason of a refusal comes a moment later, so that it does not flicker on the way.
void WireTool::hover() {
  wire_->reasonShown = false;
  if (wire_->target.node.valid())
    QTimer::singleShot(kReasonAfterMs, &canvas_, [this, target = wire_->target] {
      if (!wire_ || !wire_->target.isSame(target)) return;
      wire_->reasonShown = true;
      canvas_.update();
    });
  emit canvas_.wireHovered(wire_->value, wire_->target.node, wire_->target.operand);
}

const WireVerdict& WireTool::verdictOf(InstructionId user, int32_t operand) {
  const auto key = std::pair(user, operand);
  if (const auto known = wire_->verdicts.find(key); known != wire_->verdicts.end()) return known->second;
  return wire_->verdicts[key] = hints_.judge(wire_->value, user, operand);
}

// To the nearest input; else on the body of a node to the first that takes the value.
void WireTool::snap(QPointF at) {
  wire_->target = {};
  double nearest = kSnapReach;
  int32_t under = -1;
  for (int32_t node : wirableNodes()) {
    const InstructionId id = nodeAt(node).instruction;
    const QRectF frame = canvas_.frameOf(node);
    const QRectF box = canvas_.viewport().toWidget(frame);
    if (!box.adjusted(-16, -30, 16, 16).contains(at)) continue;
    if (box.contains(at) && nodeAt(node).kind != ViewNode::Kind::OpenGroup) under = node;
    if (wire_->openUser.valid()) {  // drawn from an input: outputs are what it snaps to
      if (id != wire_->openUser && box.adjusted(-4, -4, 4, 10).contains(at)) wire_->target = {id, -1, false, {}};
      continue;
    }
    const auto inputs = inputsOf(node);
    for (size_t k = 0; k < inputs.size(); ++k) {
      const QPointF socket = inputAt(node, static_cast<int32_t>(k));
      const double distance = std::hypot(socket.x() - at.x(), socket.y() - at.y());
      if (distance < nearest) nearest = distance, wire_->target = {id, static_cast<int32_t>(k), false, inputs[k].value};
    }
  }
  if (wire_->openUser.valid() || wire_->target.node.valid() || under < 0) return;
  snapToBody(under);
}

void WireTool::snapToBody(int32_t node) {
  const InstructionId id = nodeAt(node).instruction;
  if (id == wire_->value) return;
  const auto inputs = inputsOf(node);
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

void WireTool::release(const Pointer& pointer) {
  if (!wire_) return;
  moveTo(pointer.at, pointer.pressed);
  const Wire wire = *wire_;
  if (wire.moved || wire.sticky) return drop(wire, pointer.at);
  end();
  if (wire.openUser.valid())
    emit canvas_.inputClicked(wire.openUser, wire.openOperand);
  else
    canvas_.click(pointer.at, Qt::NoModifier);
}

void WireTool::drop(const Wire& wire, QPointF at) {
  const Socket& target = wire.target;
  const bool isBack = target.node.valid() && wire.pulledUser == target.node && wire.pulledOperand == target.operand;
  const bool ends =
      isBack || (wire.openUser.valid() ? target.node.valid() : !target.node.valid() && wire.pulledUser.valid());
  if (ends)
    end();
  else
    wire_->held = true;  // until the listener says how it ends
  if (isBack) return;
  if (wire.openUser.valid()) {
    if (target.node.valid())
      emit canvas_.wireDropped(target.node, wire.openUser, wire.openOperand, at);
    else
      emit canvas_.inputDroppedOnEmpty(wire.openUser, wire.openOperand, at);
  } else if (target.node.valid()) {
    emit canvas_.wireDropped(wire.value, target.node, target.operand, at);
  } else if (wire.pulledUser.valid()) {
    emit canvas_.inputOpened(wire.pulledUser, wire.pulledOperand);
  } else {
    emit canvas_.wireDroppedOnEmpty(wire.value, at);
  }
}

bool WireTool::cancel() {
  if (!wire_) return false;
  end();
  return true;
}

// Into another picture.
void WireTool::pictureChanged() {
  if (!wire_) return;
  if (canvas_.nodeOf(wire_->openUser.valid() ? wire_->openUser : wire_->value) < 0) return end();
  wire_->verdicts.clear();
  wire_->target = {};
}

void WireTool::end() {
  wire_.reset();
  inserted_.clear();
  canvas_.highlights().setPreview({});
}

void WireTool::takeBack() {
  if (!wire_) return;
  inserted_.clear();
  wire_->held = false;
  wire_->sticky = wire_->moved = true;
  canvas_.setFocus();
  canvas_.update();
}

void WireTool::setInserted(QStringList titles) {
  inserted_ = std::move(titles);
  canvas_.update();
}

QString WireTool::shownVerdict() {
  if (!wire_ || !wire_->target.node.valid()) return {};
  const WireVerdict& verdict = verdictOf(wire_->target.node, wire_->target.operand);
  return verdict.fits || wire_->reasonShown ? verdict.text : QString();
}

}  // namespace tessera
