// Searching, placing, wiring, typing values. What keys do to the selection is in graph_edit_selection.cpp.
#include "editor/controllers/graph_edit_controller.h"

#include <algorithm>

#include "core/edit/wiring/field.h"
#include "core/ops/inference/unfinished.h"
#include "core/ops/op.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/tools/wire_tool.h"
#include "editor/controllers/canvas_menu.h"
#include "editor/controllers/wire_fit.h"
#include "editor/document/document.h"
#include "editor/panels/popups/add_search.h"
#include "editor/panels/popups/choice_list.h"
#include "editor/panels/popups/source_pick.h"
#include "editor/panels/popups/value_field.h"

namespace tessera {
namespace {

QString textOf(const Diagnostic& d) { return QString::fromStdString(d.message); }

uint32_t additionsIn(const Edit& edit) {
  size_t count = 0;
  for (const EditAction& action : edit.actions) {
    count += std::holds_alternative<AddInstruction>(action);
    if (const auto* gradient = std::get_if<AddGradient>(&action); gradient && gradient->of.valid())
      count += gradient->withRespectTo.size();
  }
  return static_cast<uint32_t>(count);
}

// What a way puts between: "transpose f32[3,2]".
QStringList insertedBy(const ConnectionOption& way) {
  QStringList out;
  for (const EditAction& action : way.edit.actions)
    if (const auto* add = std::get_if<AddInstruction>(&action)) {
      const std::string_view name = nameOf(add->opcode);
      out << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) +
                 (add->shape ? QLatin1Char(' ') + QString::fromStdString(toString(*add->shape, false)) : QString());
    }
  return out;
}

}  // namespace

GraphEditController::GraphEditController(Document& document, Canvas& canvas, QObject* parent)
    : QObject(parent),
      document_(document),
      canvas_(canvas),
      search_(new AddSearch(&canvas)),
      choices_(new ChoiceList(&canvas)),
      field_(new ValueField(&canvas)),
      sources_(new SourcePick(&canvas)) {
  for (PopupFrame* each : std::initializer_list<PopupFrame*>{search_, choices_, field_, sources_})
    each->setAround([&canvas] { return canvas.boxesInSight(); });
  connect(&document_, &Document::opened, this, &GraphEditController::forget);
  connectCanvas();
  new CanvasMenu(document_, canvas_, *this);
  connect(search_, &AddSearch::chosen, this, &GraphEditController::place);
  connect(search_, &AddSearch::cancelled, this, &GraphEditController::forgetDrop);
  connect(search_, &AddSearch::moreWanted, this, [this] { addsMore_ = true; });
  connect(&document_.view(), &SceneView::changed, this, &GraphEditController::goOnAdding, Qt::QueuedConnection);
  connect(search_, &AddSearch::blockChosen, this, [this] { droppedValue_ = droppedUser_ = replaced_ = {}; });
  connect(&canvas_, &Canvas::sourceWanted, this, &GraphEditController::pickSource);
  connect(sources_, &SourcePick::typed, this, &GraphEditController::fillPicked);
  connect(sources_, &SourcePick::chosen, this, [this](InstructionId value) {
    dropWire(value, pickedUser_, pickedOperand_, canvas_.viewport().toWidget(canvas_.boxOf(pickedUser_).topLeft()));
  });
  connect(choices_, &ChoiceList::chosen, this, &GraphEditController::takeWay);
  connect(choices_, &ChoiceList::cancelled, this, [this] { canvas_.wires().takeBack(); });
  connect(choices_, &ChoiceList::highlighted, this, [this](int line) {
    if (line >= 0 && static_cast<size_t>(line) < ways_.size())
      canvas_.wires().setInserted(insertedBy(ways_[static_cast<size_t>(line)]));
  });
}

// Another document: what is open over the canvas speaks of the one before. A Graphviz graph has no operations to wire.
void GraphEditController::forget() {
  for (QWidget* over : std::initializer_list<QWidget*>{search_, choices_, field_, sources_}) over->hide();
  ways_.clear();
  forgetDrop();
  canvas_.wires().setHints(document_.isPlainGraph() ? WireHints() : hints());
}

void GraphEditController::forgetDrop() {
  canvas_.wires().end();
  forgetSpot();
}

void GraphEditController::forgetSpot() {
  droppedValue_ = droppedUser_ = replaced_ = {};
  addsMore_ = false;
  spot_.reset();
}

WireHints GraphEditController::hints() const {
  return {[this](InstructionId id) { return canvasInputsOf(document_, id); },
          [this](InstructionId value, InstructionId user, int32_t operand) {
            return verdictOn(document_, value, user, operand);
          },
          [this](InstructionId node, int32_t edge) { return inserts_ && inserts_(node, edge); }};
}

void GraphEditController::connectCanvas() {
  connect(&canvas_, &Canvas::emptyActivated, this, [this](QPointF at) {
    openSearch(at.toPoint());
    aimAt(at);
  });
  connect(&canvas_, &Canvas::wireDropped, this, &GraphEditController::dropWire);
  connect(&canvas_, &Canvas::wireDroppedOnEmpty, this, &GraphEditController::addAfter);
  connect(&canvas_, &Canvas::inputDroppedOnEmpty, this, &GraphEditController::addBefore);
  connect(&canvas_, &Canvas::inputOpened, this, &GraphEditController::unwire);
  connect(&canvas_, &Canvas::inputClicked, this, &GraphEditController::openField);
}

bool GraphEditController::hasInput(InstructionId user, int operand) const {
  const Module& module = document_.module();
  return module.contains(user) && operand >= 0 &&
         static_cast<size_t>(operand) < module.at(user).operands.size() + (arityOf(module.at(user).opcode) < 0 ? 1 : 0);
}

// --- searching and placing

void GraphEditController::openSearch(QPoint at) {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  forgetSpot();
  const bool empty = !document_.view().computation().valid() ||
                     document_.module().at(document_.view().computation()).instructions.empty();
  search_->openAt(at, empty ? AddSearch::Page::Empty : AddSearch::Page::Begun);
  // A pointer that was not moved since means no place: the next node goes where its wires say.
  const auto pointed = pointer();
  if (!pointed || pointed->toPoint() != at || *pointed == lastPointer_) return;
  aimAt(*pointed);
  lastPointer_ = *pointed;
}

// The next search, below what was just made; in sight of it.
void GraphEditController::goOnAdding() {
  if (std::exchange(addsMore_, false)) openSearchBesideSelection(belowSelection());
}

void GraphEditController::openSearchBesideSelection(QPoint at) {
  search_->standBeside({canvas_.viewport().toWidget(canvas_.boxOf(document_.selected())).toAlignedRect()});
  openSearch(at);
}

// A pointer over a node chose it, and means no place.
void GraphEditController::openSearchByKey() {
  const auto pointed = pointer();
  const bool moved = pointed && *pointed != lastPointer_, isPlace = moved && !isOverNode(*pointed);
  if (moved && !isPlace) lastPointer_ = *pointed;
  openSearchBesideSelection(isPlace ? pointed->toPoint() : belowSelection());
}

QPoint GraphEditController::belowSelection() const {
  const QRectF box = canvas_.boxOf(document_.selected());
  const QPointF at = box.isEmpty() ? QRectF(canvas_.rect()).center() : canvas_.viewport().toWidget(box.bottomLeft());
  constexpr int kBelow = 12;
  return at.toPoint() + QPoint(0, kBelow);
}

Edit GraphEditController::placingFrom(const PaletteEntry& entry, std::vector<InstructionId> sources,
                                      uint32_t& meant) const {
  Edit edit = placing(document_.module(), computation(), entry, sources);
  meant = std::max(additionsIn(edit), 1u) - 1;  // a gradient of a selection says itself what it adds
  return edit;
}

// Whether what an edit adds has no other fault than open inputs.
bool GraphEditController::agrees(const Edit& edit) const {
  const auto done = apply(document_.module(), edit);
  if (!done) return false;
  return std::ranges::none_of(done->diagnostics.items(), [&](const Diagnostic& d) {
    return d.label != kUnfinished && std::ranges::find(done->added, d.instruction) != done->added.end();
  });
}

// A dropped wire is the first input; the selection fills the others as far as that fits.
Edit GraphEditController::placingAround(const PaletteEntry& entry, uint32_t& meant) {
  for (InstructionId* dropped : {&droppedUser_, &droppedValue_})  // undone while the search was open
    if (!document_.module().contains(*dropped)) *dropped = {};
  if (droppedUser_.valid()) {
    PaletteEntry shaped = entry;
    const auto shapes = operandShapes(document_.module(), document_.module().at(droppedUser_));
    for (const Shape* shape : shapes)
      if (!shaped.shape && arityOf(entry.opcode) == 0 && shape && shape->isArray())
        shaped.shape = withoutLayout(*shape);
    Edit edit = placingFrom(shaped, {}, meant);
    edit.actions.push_back(SetOperand{droppedUser_, droppedOperand_, newInstruction(meant)});
    return edit;
  }
  if (!droppedValue_.valid()) return placingFrom(entry, selectedSources(), meant);
  std::vector<InstructionId> sources{droppedValue_};
  for (InstructionId id : selectedSources())
    if (id != droppedValue_) sources.push_back(id);
  Edit all = placingFrom(entry, sources, meant);
  if (sources.size() == 1 || agrees(all)) return all;
  return placingFrom(entry, {droppedValue_}, meant);
}

// A name in the line that means nothing here is told; nothing is made then.
bool GraphEditController::knowsInputs(const PaletteEntry& entry) {
  for (const std::string& each : entry.inputs) {
    const std::string name = each.substr(each.find('=') + 1);
    if (valueNamed(document_.module(), computation(), name).valid()) continue;
    emit explained(
        tr("%1: there is no value named %2 here").arg(QString::fromStdString(each), QString::fromStdString(name)));
    return false;
  }
  return true;
}

void GraphEditController::place(const PaletteEntry& entry) {
  if (!knowsInputs(entry)) return canvas_.wires().end();
  if (replaced_.valid()) return replaceBy(entry);
  uint32_t meant = 0;
  auto inserted = spot_ && spot_->wire.first.valid() ? placingInto(entry, spot_->wire, meant) : std::nullopt;
  Edit edit = inserted ? *std::move(inserted) : placingAround(entry, meant);
  giveSpot(edit, meant);
  forgetDrop();
  emit placed();
  document_.perform(std::move(edit), newInstruction(meant));
}

void GraphEditController::placeBlock(const BlockPlacing& placing) {
  const InputSpot wire = spot_ ? spot_->wire : InputSpot();
  std::optional<Edit> inserted;
  uint32_t meant = 0;
  if (const InstructionId value = carriedTo(wire); value.valid())
    if (auto edit = placing({value})) inserted = putInto(*std::move(edit), wire, meant);
  Result<Edit> edit = inserted ? Result<Edit>(*std::move(inserted)) : placing(document_.selection());
  if (!edit) {
    forgetDrop();
    return emit explained(QString::fromStdString(edit.error().message));
  }
  if (const uint32_t additions = additionsIn(*edit)) giveSpot(*edit, additions - 1);
  forgetDrop();
  emit placed();
  document_.perform(*std::move(edit));
}

void GraphEditController::begin(const QString& line) {
  if (line.isEmpty()) return openSearch(canvas_.rect().center() - QPoint(search_->width() / 2, search_->height() / 2));
  forgetDrop();
  canvas_.setFocus();
  if (const auto found = searchPalette(line.toStdString(), 1); !found.empty()) place(found[0]);
}

// --- wires

void GraphEditController::dropWire(InstructionId value, InstructionId user, int operand, QPointF at) {
  const Module& module = document_.module();
  if (operand < 0 || !module.contains(value) || !module.contains(user) || value == user ||
      module.at(value).computation != module.at(user).computation)
    return canvas_.wires().end();
  ConnectionCheck fit = fitOf(module, value, user, operand);
  if (fit.ways.size() == 1) {
    canvas_.wires().end();
    return wire(std::move(fit.ways[0].edit), value, user);
  }
  if (fit.fits()) return offer(std::move(fit.ways), value, user, tr("Choose how it fits"), at);
  std::vector<ConnectionOption> repairs = repairsOf(module, value, user, operand);
  const QString reason = QString::fromStdString(fit.reason);
  if (!repairs.empty()) return offer(std::move(repairs), value, user, reason, at);
  canvas_.wires().takeBack();
  emit explained(reason);
}

void GraphEditController::offer(std::vector<ConnectionOption> ways, InstructionId value, InstructionId user,
                                const QString& heading, QPointF at) {
  ways_ = std::move(ways);
  waysUser_ = user;
  waysValue_ = value;
  QStringList lines;
  for (const ConnectionOption& way : ways_)
    lines << QStringLiteral("%1  →  %2")
                 .arg(QString::fromStdString(way.title), QString::fromStdString(toString(way.result, false)));
  choices_->standBeside(boxAndWire(user, canvas_.wires().outputAt(canvas_.nodeOf(value)), at));
  choices_->openAt(at.toPoint() + QPoint(12, 12), heading, lines);
}

void GraphEditController::takeWay(int line) {
  canvas_.wires().end();
  if (line < 0 || static_cast<size_t>(line) >= ways_.size()) return;
  wire(std::move(ways_[static_cast<size_t>(line)].edit), waysValue_, waysUser_);
  ways_.clear();
}

// The result follows to what takes it, where that is the end of what is being built: it is read by nobody.
void GraphEditController::wire(Edit edit, InstructionId value, InstructionId user) {
  const Module& module = document_.module();
  const ComputationId computation = module.at(user).computation;
  if (computation == module.entry() && module.at(computation).root == value && document_.usersOf(user).empty())
    edit.actions.emplace_back(SetRoot{user});
  document_.perform(std::move(edit), user);
}

// --- values

void GraphEditController::openField(InstructionId user, int operand) {
  const Module& module = document_.module();
  if (!module.contains(user)) return;
  field_->standBeside({canvas_.viewport().toWidget(canvas_.boxOf(user)).toAlignedRect()});
  askFor(user, canvas_.boxOf(user).topLeft(), QPoint(0, 40), inputName(module, user, static_cast<size_t>(operand)), {},
         [this, user, operand](const std::string& typed) { return filling(document_.module(), user, operand, typed); });
}

// What is typed is an edit of `id`, which may be gone by then.
void GraphEditController::askFor(InstructionId id, QPointF scene, QPoint above, const QString& name,
                                 const QString& text, std::function<Result<Edit>(const std::string&)> editOf) {
  const auto tried = [this, id, editOf = std::move(editOf)](const QString& typed) -> Result<Edit> {
    if (!document_.isOpen() || !document_.module().contains(id)) return fail("what this was a value of is gone");
    return editOf(typed.toStdString());
  };
  disconnect(field_, &ValueField::entered, this, nullptr);
  connect(field_, &ValueField::entered, this, [this, id, tried](const QString& typed) {
    auto edit = tried(typed);
    if (edit)
      document_.perform(std::move(*edit), id);
    else
      emit explained(textOf(edit.error()));
  });
  field_->openAt(canvas_.viewport().toWidget(scene).toPoint() - above, name, text, [tried](const QString& typed) {
    const auto edit = tried(typed);
    return edit ? QString() : textOf(edit.error());
  });
}

// In place: over the row of its reader.
bool GraphEditController::editInput(const ViewNode& field, int32_t box) {
  const Module& module = document_.module();
  const GraphView& view = *canvas_.view();
  const auto edge = std::ranges::find(view.edges, box, &ViewEdge::from);
  const InstructionId user = view.nodes[static_cast<size_t>(field.owner)].instruction;
  if (edge == view.edges.end() || !module.contains(user)) return false;
  const int32_t operand = edge->operand;
  const auto text = fieldText(module, user, operand);
  if (!text) return false;
  askFor(
      user, {canvas_.boxOf(user).left(), canvas_.boxOf(field.instruction).top()}, QPoint(4, 8),
      QString::fromStdString(field.label), QString::fromStdString(*text),
      [this, user, operand](const std::string& typed) { return refilling(document_.module(), user, operand, typed); });
  return true;
}

void GraphEditController::toggleFields() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  QStringList paths;
  for (InstructionId id : document_.selection()) {
    const int32_t box = document_.view().scene().view->boxOf(id);
    if (box < 0) continue;
    const ViewNode& node = document_.view().scene().view->nodes[static_cast<size_t>(box)];
    const QString path = QString::fromStdString(node.group);
    if ((node.owner >= 0 || node.pulled) && !paths.contains(path)) paths << path;
  }
  if (paths.isEmpty())
    return emit hinted(
        tr("Select the field of a constant, a broadcast number or an iota, or what was pulled out of one."));
  for (const QString& path : paths) document_.view().toggleGroup(path);
}

bool GraphEditController::editConstant(InstructionId id) {
  const Module& module = document_.module();
  if (!module.contains(id)) return false;
  const int32_t node = canvas_.view() ? canvas_.view()->boxOf(id) : -1;
  if (node >= 0 && canvas_.view()->nodes[static_cast<size_t>(node)].owner >= 0)
    return editInput(canvas_.view()->nodes[static_cast<size_t>(node)], node);
  const QRectF box = canvas_.boxOf(id);
  if (module.at(id).opcode == Opcode::Broadcast && module.at(id).operands.size() == 1 &&
      module.contains(module.at(id).operands[0]))
    id = module.at(id).operands[0];
  if (module.at(id).opcode != Opcode::Constant || !module.at(id).shape->isArray()) return false;
  field_->standBeside({canvas_.viewport().toWidget(box).toAlignedRect()});
  askFor(id, box.topLeft(), QPoint(0, 40), tr("value"),
         QString::fromStdString(valueOf(document_.module(), id).value_or("")),
         [this, id](const std::string& typed) { return resetting(document_.module(), id, typed); });
  return true;
}

}  // namespace tessera
