// WireTool: drawing wires with the pointer: sockets, a wire that snaps to inputs, inputs that cannot take it dimmed,
// the reason beside the pointer, and what a drop means. It changes no graph: GraphEditController receives the drop, and
// the wire stays until that ends it or takes it back.
#pragma once

#include <QRectF>
#include <QStringList>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "editor/canvas/tools/tool.h"
#include "editor/canvas/wire_hints.h"

class QPainterPath;

namespace tessera {

struct GraphView;
struct ViewNode;

class WireTool : public CanvasTool {
 public:
  using CanvasTool::CanvasTool;

  // Makes wires drawable: from an output to an input or onto a node, from an open input, off an input.
  void setHints(WireHints hints);
  const WireHints& hints() const { return hints_; }
  bool isCarrying() const { return wire_.has_value(); }
  bool isSticky() const { return wire_ && wire_->sticky; }  // follows the pointer without a button
  QString shownVerdict();                                   // what stands beside the pointer; empty: nothing
  // After a drop: it ends, or it follows the pointer again.
  void end();
  void takeBack();
  void setInserted(QStringList titles);  // nodes that a repair would put into the wire

  // Sockets of a view node, in widget pixels.
  QPointF outputAt(int32_t node) const;
  QPointF inputAt(int32_t node, int32_t operand) const;
  QRectF fieldOf(int32_t node, int32_t operand) const { return plateOf(node, operand); }  // of an open input
  // The input or output at a place, with what the pointer would say of it.
  std::optional<std::pair<InstructionId, int32_t>> portAt(QPointF at) const;  // -1: the output
  QString tipAt(QPointF at) const;

  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  bool cancel() override;
  void pictureChanged();
  void paint(QPainter& painter) override;
  void paintSockets(QPainter& painter);

 private:
  struct Socket {
    InstructionId node;
    int32_t operand = -1;  // -1: the output
    bool open = false;
    InstructionId value;  // of a connected input
    bool isSame(const Socket& other) const { return node == other.node && operand == other.operand; }
  };
  // From a value, or from an open input.
  struct Wire {
    InstructionId value, openUser, pulledUser;
    int32_t openOperand = -1, pulledOperand = -1;
    QPointF at;
    Socket target;  // what it snapped to
    bool moved = false, held = false, sticky = false, reasonShown = false;
    std::map<std::pair<InstructionId, int32_t>, WireVerdict> verdicts;
  };
  const ViewNode& nodeAt(int32_t node) const;
  std::vector<int32_t> wirableNodes() const;
  std::vector<CanvasInput> inputsOf(int32_t node) const;
  Socket socketAt(QPointF at) const;
  int32_t attachedTo(int32_t user, int32_t operand) const;
  const std::unordered_multimap<int32_t, int32_t>& attached() const;
  void moveTo(QPointF at, QPointF pressed);
  void hover();
  void drop(const Wire& wire, QPointF at);
  void snap(QPointF at);
  void snapToBody(int32_t node);
  const WireVerdict& verdictOf(InstructionId user, int32_t operand);
  QRectF plateOf(int32_t node, int32_t operand) const;
  bool showsPlates(int32_t node) const;
  void paintPorts(QPainter& painter, int32_t node);
  void paintPlates(QPainter& painter, int32_t node, const std::vector<CanvasInput>& inputs);
  void paintTargets(QPainter& painter, int32_t node, InstructionId id, const std::vector<CanvasInput>& inputs);
  void paintInserted(QPainter& painter, const QPainterPath& wire);
  void paintVerdict(QPainter& painter);

  WireHints hints_;
  std::optional<Wire> wire_;
  QStringList inserted_;
  // By node: what stands in it or at its left, of the view that it was made for.
  mutable std::unordered_multimap<int32_t, int32_t> attached_;
  mutable std::shared_ptr<const GraphView> attachedView_;
};

}  // namespace tessera
