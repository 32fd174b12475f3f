// A part is a number in the view that it was made from; with another view all parts are made anew.
#include "editor/canvas/accessible_canvas.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include "editor/canvas/accessible_parts.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/tools/wire_tool.h"

namespace tessera {
namespace {

using View = std::shared_ptr<const GraphView>;

QString spoken(const std::string& text) { return QString::fromStdString(text); }
const ViewNode& nodeAt(const View& view, int node) { return view->nodes[static_cast<size_t>(node)]; }
const ViewEdge& edgeAt(const View& view, int edge) { return view->edges[static_cast<size_t>(edge)]; }

// Titles of the nodes at the other ends of a node's wires.
QString neighbours(const View& view, int node, bool operands) {
  QStringList out;
  for (const ViewEdge& edge : view->edges) {
    const int32_t here = operands ? edge.to : edge.from, there = operands ? edge.from : edge.to;
    if (here == node && there >= 0) out << spoken(nodeAt(view, there).title);
  }
  out.removeDuplicates();
  return out.join(QStringLiteral(", "));
}

// Shape, and what it is wired to.
QString described(const View& view, int node) {
  QStringList out{spoken(nodeAt(view, node).subtitle)};
  if (const QString from = neighbours(view, node, true); !from.isEmpty()) out << QObject::tr("from %1").arg(from);
  if (const QString to = neighbours(view, node, false); !to.isEmpty()) out << QObject::tr("to %1").arg(to);
  if (nodeAt(view, node).result) out << QObject::tr("the result");
  out.removeAll(QString());
  return out.join(QStringLiteral("; "));
}

QString titleOfPort(const ViewPort& port, bool isResult) {
  if (isResult) return QObject::tr("output");
  const QString name = port.name.empty() ? QObject::tr("input %1").arg(port.operand) : spoken(port.name);
  return port.open ? QObject::tr("%1, open").arg(name) : name;
}

QString kindOfPort(const ViewPort& port) {
  switch (port.kind) {
    case ViewPort::Kind::Array: return QObject::tr("array of %1").arg(spoken(std::string(nameOf(port.type))));
    case ViewPort::Kind::Tuple: return QObject::tr("tuple");
    case ViewPort::Kind::Token: return QObject::tr("token");
  }
  return {};
}

// A node, port or wire. `parent` outlives it.
class Part : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  Part(Canvas& canvas, QAccessibleInterface* parent) : canvas_(&canvas), view_(canvas.view()), parent_(parent) {}

  bool isValid() const override { return canvas_ && view_ && canvas_->view() == view_; }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return parent_->window(); }
  QAccessibleInterface* parent() const override { return parent_; }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text what) const override {
    if (!isValid()) return {};
    return what == QAccessible::Name ? name() : what == QAccessible::Description ? description() : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect there = frame().toAlignedRect();
    return {canvas_->mapToGlobal(there.topLeft()), there.size()};
  }
  QAccessible::State state() const override {
    QAccessible::State out;
    out.invalid = !isValid();
    if (out.invalid) return out;
    out.offscreen = !frame().intersects(QRectF(canvas_->rect()));
    setMore(out);
    return out;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return {pressAction()}; }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }
  void doAction(const QString& action) override {
    if (isValid() && action == pressAction()) press();
  }

 protected:
  virtual QString name() const = 0;
  virtual QString description() const = 0;
  virtual QRectF frame() const = 0;  // on the canvas
  virtual void press() = 0;
  virtual void setMore(QAccessible::State&) const {}
  QRectF onCanvas(const QRectF& scene) const {
    return {canvas_->viewport().toWidget(scene.topLeft()), canvas_->viewport().toWidget(scene.bottomRight())};
  }

  QPointer<Canvas> canvas_;
  View view_;

 private:
  QAccessibleInterface* parent_;
};

class PortPart : public Part {
 public:
  PortPart(Canvas& canvas, QAccessibleInterface* parent, int node, int number)
      : Part(canvas, parent), node_(node), number_(number) {}
  QAccessible::Role role() const override { return QAccessible::Button; }

 protected:
  bool isResult() const { return static_cast<size_t>(number_) == nodeAt(view_, node_).inputs.size(); }
  const ViewPort& port() const {
    const ViewNode& node = nodeAt(view_, node_);
    return isResult() ? node.output : node.inputs[static_cast<size_t>(number_)];
  }
  QString name() const override {
    return QObject::tr("%1 of %2").arg(titleOfPort(port(), isResult()), spoken(nodeAt(view_, node_).title));
  }
  QString description() const override { return kindOfPort(port()); }
  QRectF frame() const override {
    constexpr double kReach = 6;
    const QPointF at = isResult() ? canvas_->wires().outputAt(node_) : canvas_->wires().inputAt(node_, port().operand);
    return {at - QPointF(kReach, kReach), QSizeF(2 * kReach, 2 * kReach)};
  }
  void press() override {
    const InstructionId id = nodeAt(view_, node_).instruction;
    isResult() ? canvas_->changeSelection({id}) : emit canvas_->sourceWanted(id, port().operand);
  }

 private:
  int node_, number_;  // inputs first, then the result
};

class WirePart : public Part {
 public:
  WirePart(Canvas& canvas, QAccessibleInterface* parent, int edge) : Part(canvas, parent), edge_(edge) {}
  QAccessible::Role role() const override { return QAccessible::Link; }

 protected:
  const ViewEdge& edge() const { return edgeAt(view_, edge_); }
  QString name() const override {
    return QObject::tr("wire from %1 to %2")
        .arg(spoken(nodeAt(view_, edge().from).title), spoken(nodeAt(view_, edge().to).title));
  }
  QString description() const override {
    return QObject::tr("%1; input %2").arg(spoken(nodeAt(view_, edge().from).subtitle)).arg(edge().operand);
  }
  QRectF frame() const override {
    return QRectF(canvas_->wires().outputAt(edge().from), canvas_->wires().inputAt(edge().to, edge().operand))
        .normalized();
  }
  void press() override { canvas_->changeSelection({edge().value}); }

 private:
  int edge_;
};

class NodePart : public Part {
 public:
  NodePart(Canvas& canvas, QAccessibleInterface* parent, int node) : Part(canvas, parent), node_(node) {}
  QAccessible::Role role() const override {
    return nodeAt(view_, node_).kind == ViewNode::Kind::OpenGroup ? QAccessible::Grouping : QAccessible::Graphic;
  }
  int childCount() const override {
    const ViewNode& node = nodeAt(view_, node_);
    return isValid() && node.kind == ViewNode::Kind::Instruction ? static_cast<int>(node.inputs.size()) + 1 : 0;
  }
  QAccessibleInterface* child(int number) const override {
    if (number < 0 || number >= childCount()) return nullptr;
    return ports_.at(number, [&] { return new PortPart(*canvas_, const_cast<NodePart*>(this), node_, number); });
  }
  int indexOfChild(const QAccessibleInterface* child) const override { return ports_.numberOf(child); }
  // What it is computed from controls it.
  QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations(QAccessible::Relation match) const override {
    QList<QPair<QAccessibleInterface*, QAccessible::Relation>> out;
    for (const ViewEdge& edge : view_->edges) {
      if (edge.to == node_ && (match & QAccessible::Controlled))
        out.append({parent()->child(edge.from), QAccessible::Controlled});
      if (edge.from == node_ && (match & QAccessible::Controller))
        out.append({parent()->child(edge.to), QAccessible::Controller});
    }
    return out;
  }

 protected:
  QString name() const override { return spoken(nodeAt(view_, node_).title); }
  QString description() const override { return described(view_, node_); }
  QRectF frame() const override { return onCanvas(canvas_->frameOf(node_)); }
  void press() override { canvas_->selectNode(node_); }
  void setMore(QAccessible::State& state) const override {
    const auto& selected = canvas_->selectedNodes();
    state.selectable = state.focusable = true;
    state.selected = std::ranges::find(selected, node_) != selected.end();
    state.focused = state.selected && canvas_->hasFocus();
    state.expandable = nodeAt(view_, node_).kind == ViewNode::Kind::CollapsedGroup;
    state.expanded = nodeAt(view_, node_).kind == ViewNode::Kind::OpenGroup;
  }

 private:
  int node_;
  mutable AccessibleParts ports_;
};

// Children: nodes, then wires.
class AccessibleCanvas : public QAccessibleWidget {
 public:
  explicit AccessibleCanvas(Canvas& canvas)
      : QAccessibleWidget(&canvas, QAccessible::Canvas, QObject::tr("Graph")), canvas_(canvas) {}

  int childCount() const override { return view() ? nodes() + static_cast<int>(view()->edges.size()) : 0; }
  QAccessibleInterface* child(int number) const override {
    if (number < 0 || number >= childCount()) return nullptr;
    if (madeOf_ != view()) parts_.clear(), madeOf_ = view();
    auto* self = const_cast<AccessibleCanvas*>(this);
    return parts_.at(number, [&]() -> QAccessibleInterface* {
      if (number < nodes()) return new NodePart(canvas_, self, number);
      return new WirePart(canvas_, self, number - nodes());
    });
  }
  int indexOfChild(const QAccessibleInterface* child) const override { return parts_.numberOf(child); }
  QAccessibleInterface* childAt(int x, int y) const override {
    const int32_t item = canvas_.itemAt(canvas_.mapFromGlobal(QPoint(x, y)));
    if (item < 0) return nullptr;
    const int32_t node = canvas_.picture()->items[static_cast<size_t>(item)].viewNode;
    return node < 0 ? nullptr : child(node);
  }
  QAccessibleInterface* focusChild() const override {
    return canvas_.selectedNodes().empty() ? nullptr : child(canvas_.selectedNodes().back());
  }

 private:
  const View& view() const { return canvas_.view(); }
  int nodes() const { return static_cast<int>(view()->nodes.size()); }

  Canvas& canvas_;
  mutable View madeOf_;
  mutable AccessibleParts parts_;
};

QAccessibleInterface* canvasFactory(const QString&, QObject* object) {
  auto* canvas = qobject_cast<Canvas*>(object);
  return canvas ? new AccessibleCanvas(*canvas) : nullptr;
}

}  // namespace

void makeCanvasAccessible() { QAccessible::installFactory(canvasFactory); }

void tellPictureChanged(Canvas& canvas) {
  if (!QAccessible::isActive()) return;
  QAccessibleEvent event(&canvas, QAccessible::ObjectReorder);
  QAccessible::updateAccessibility(&event);
}

void tellSelectionChanged(Canvas& canvas, int anyNode) {
  if (!QAccessible::isActive() || anyNode < 0) return;
  for (const auto what : {QAccessible::Focus, QAccessible::Selection}) {
    QAccessibleEvent event(&canvas, what);
    event.setChild(anyNode);
    QAccessible::updateAccessibility(&event);
  }
}

}  // namespace tessera
