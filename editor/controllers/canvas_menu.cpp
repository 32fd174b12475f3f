// See canvas_menu.h. An id names an action of the canvas (its object name); "-" is a line.
#include "editor/controllers/canvas_menu.h"

#include <QAction>
#include <QMenu>
#include <algorithm>

#include "editor/canvas/canvas.h"
#include "editor/canvas/tools/wire_tool.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/document/document.h"

namespace tessera {

CanvasMenu::CanvasMenu(Document& document, Canvas& canvas, GraphEditController& edits)
    : QObject(&edits), document_(document), canvas_(canvas), edits_(edits) {
  connect(&canvas_, &Canvas::menuWanted, this, &CanvasMenu::open);
}

void CanvasMenu::open(const CanvasSpot& spot) {
  auto* menu = new QMenu(&canvas_);
  menu->setObjectName(QStringLiteral("canvas-menu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fill(*menu, spot);
  menu->popup(canvas_.mapToGlobal(spot.at.toPoint()));
}

void CanvasMenu::fill(QMenu& menu, const CanvasSpot& spot) {
  using Kind = CanvasSpot::Kind;
  if (document_.isPlainGraph()) {
    addItem(menu, tr("&Fit all"), tr("A"), [this] { canvas_.fitAll(); });
    return;
  }
  switch (spot.kind) {
    case Kind::Node: return fillNode(menu, spot.instruction);
    case Kind::Group: return fillGroup(menu, spot);
    case Kind::Input: return fillInput(menu, spot);
    case Kind::Output: return fillOutput(menu, spot);
    case Kind::Wire: return fillWire(menu, spot);
    case Kind::Empty: return fillPage(menu);
    case Kind::PageItem: break;
  }
  addItem(menu, tr("&Edit the text"), tr("Double click"),
          [this, item = spot.pageItem] { emit canvas_.pageItemActivated(item); });
  addEach(menu, {"color", "delete"});
}

template <class Run>
void CanvasMenu::addItem(QMenu& menu, const QString& text, const QString& key, Run run) {
  connect(menu.addAction(key.isEmpty() ? text : text + QLatin1Char('\t') + key), &QAction::triggered, this, run);
}

template <size_t N>
void CanvasMenu::addEach(QMenu& menu, const char* const (&ids)[N]) const {
  for (const char* id : ids) addActionOf(menu, QLatin1String(id));
}

void CanvasMenu::addActionOf(QMenu& menu, const QString& id) const {
  if (id == QLatin1String("-")) {
    menu.addSeparator();
    return;
  }
  const auto actions = canvas_.actions();
  const auto found = std::ranges::find_if(actions, [&](const QAction* each) { return each->objectName() == id; });
  if (found == actions.end()) return;
  (*found)->setShortcutVisibleInContextMenu(true);
  menu.addAction(*found);
}

bool CanvasMenu::isResult(InstructionId id) const {
  const Module& module = document_.module();
  return module.contains(id) && module.contains(module.entry()) && module.entryComputation().root == id;
}

// What only some nodes have is offered there alone.
void CanvasMenu::fillNode(QMenu& menu, InstructionId id) {
  const bool known = document_.module().contains(id);
  const bool parameter = known && document_.module().at(id).opcode == Opcode::Parameter;
  const size_t inputs = known ? document_.module().at(id).operands.size() : 0;
  addActionOf(menu, QStringLiteral("replace"));
  if (parameter) addActionOf(menu, QStringLiteral("argument-source"));
  if (inputs > 0) addActionOf(menu, QStringLiteral("pick-source"));
  if (inputs > 1) addActionOf(menu, QStringLiteral("swap"));
  addEach(menu, {"pull-out", "size", "make-result", "mute", "-"});
  if (parameter || isResult(id)) addActionOf(menu, QStringLiteral("feed back"));
  addEach(*menu.addMenu(tr("Val&ue")), {"value", "watch-value", "enlarge", "fields"});
  addEach(menu, {"-", "cut", "copy", "paste", "duplicate", "delete", "delete-open", "-", "frame", "tidy", "-",
                 "isolate", "hide", "-"});
  addEach(*menu.addMenu(tr("&Build from it")),
          {"group", "inline", "promote", "gradient", "extract", "take-out", "save-block"});
  addEach(*menu.addMenu(tr("Se&lect")), {"select-same", "select-needed", "select-users", "invert", "select-all"});
}

void CanvasMenu::fillGroup(QMenu& menu, const CanvasSpot& spot) {
  const ViewNode& node = canvas_.view()->nodes[static_cast<size_t>(spot.viewNode)];
  const bool open = node.kind == ViewNode::Kind::OpenGroup;
  addItem(menu, open ? tr("Close the g&roup") : tr("Open the g&roup"), tr("Enter"),
          [this, group = QString::fromStdString(node.group)] { emit canvas_.groupToggled(group); });
  if (node.caller)
    addItem(menu, tr("Show wh&at it calls"), {}, [this, id = node.instruction] {
      if (!document_.module().contains(id)) return;
      const auto callees = document_.module().callees(document_.module().at(id));
      if (!callees.empty()) document_.view().showComputation(callees.front());
    });
  menu.addSeparator();
  if (node.caller) return fillNode(menu, node.instruction);
  addEach(menu,
          {"isolate", "hide", "-", "frame", "tidy", "-", "select-needed", "select-users", "invert", "select-all"});
}

void CanvasMenu::fillInput(QMenu& menu, const CanvasSpot& spot) {
  const auto inputs = canvas_.wires().hints().inputs(spot.instruction);
  const auto k = static_cast<size_t>(spot.operand);
  const bool open = k < inputs.size() && !inputs[k].value.valid();
  addItem(menu, tr("Choose &what feeds it …"), QString::number(spot.operand + 1),
          [this, spot] { edits_.pickSource(spot.instruction, spot.operand); });
  if (open)
    addItem(menu, tr("&Type a value …"), tr("Click"),
            [this, spot] { edits_.typeValue(spot.instruction, spot.operand); });
  addItem(menu, tr("&Add what gives it …"), tr("Drag to the page"),
          [this, spot] { edits_.addBefore(spot.instruction, spot.operand, spot.at); });
  if (!open)
    addItem(menu, tr("&Unwire"), tr("Drag off"), [this, spot] { edits_.unwire(spot.instruction, spot.operand); });
  menu.addSeparator();
  addEach(menu, {"swap", "pull-out"});
}

void CanvasMenu::fillOutput(QMenu& menu, const CanvasSpot& spot) {
  addItem(menu, tr("&Add what takes it …"), tr("Drag to the page"),
          [this, spot] { edits_.addAfter(spot.instruction, spot.at); });
  addItem(menu, tr("&Watch its value"), tr("Ctrl+Shift+click"),
          [this, spot] { emit canvas_.valueWanted(spot.instruction); });
  menu.addSeparator();
  if (isResult(spot.instruction)) addActionOf(menu, QStringLiteral("feed back"));
  addEach(menu, {"make-result", "gradient", "select-users"});
}

void CanvasMenu::fillWire(QMenu& menu, const CanvasSpot& spot) {
  const ViewEdge& edge = canvas_.view()->edges[static_cast<size_t>(spot.viewEdge)];
  const InstructionId value = edge.value, user = canvas_.view()->nodes[static_cast<size_t>(edge.to)].instruction;
  addItem(menu, tr("&Add an operation into it …"), tr("Drop on it"), [this, at = spot.at] {
    edits_.openSearch(at.toPoint());
    edits_.aimAt(at);
  });
  addItem(menu, tr("Add a &point"), tr("Double click"),
          [this, spot] { emit canvas_.wireActivated(spot.viewEdge, canvas_.viewport().toScene(spot.at)); });
  addItem(menu, tr("&Cut the wire"), tr("Ctrl+right drag"), [this, spot] { emit canvas_.wiresCut({spot.viewEdge}); });
  menu.addSeparator();
  addItem(menu, tr("Select what &gives it"), {}, [this, value] { document_.select({value}); });
  addItem(menu, tr("Select what &reads it"), {}, [this, user] { document_.select({user}); });
}

void CanvasMenu::fillPage(QMenu& menu) {
  addEach(menu,
          {"add", "paste", "paste-keep", "-", "note", "tidy", "turn-flow", "-", "select-all", "invert", "-", "leave"});
  addItem(menu, tr("&Fit all"), tr("A"), [this] { canvas_.fitAll(); });
}

}  // namespace tessera
