// Marks are the errors of the document and the warnings that came with the scene; nothing is judged here.
#include "editor/controllers/canvas_binding.h"

#include <QToolTip>
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ops/inference/unfinished.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/dimension_color.h"
#include "editor/canvas/highlights.h"
#include "editor/canvas/value_strips.h"
#include "editor/document/document.h"
#include "editor/panels/inspect/instruction_facts.h"

namespace tessera {
namespace {

constexpr size_t kMaxMarks = 400;

bool hasOpenInput(const Module& module, InstructionId id) {
  return module.contains(id) &&
         std::ranges::any_of(module.at(id).operands, [](InstructionId operand) { return !operand.valid(); });
}

}  // namespace

CanvasBinding::CanvasBinding(Document& document, Canvas& canvas, QObject* parent)
    : QObject(parent), document_(document), canvas_(canvas) {
  connect(&document_.view(), &SceneView::changed, this, &CanvasBinding::showScene);
  connect(&document_, &Document::diagnosticsChanged, this, &CanvasBinding::showMarks);
  connect(&document_, &Document::selectionChanged, this,
          [this] { canvas_.setSelection(document_.selection(), followsSelection_); });
  connect(&document_.view(), &SceneView::groupSelected, this,
          [this] { canvas_.setSelectedGroup(document_.view().selectedGroup()); });
  connect(&document_.live(), &LiveValues::changed, this, &CanvasBinding::showValues);
  connect(&document_.watched(), &WatchedValues::changed, this, &CanvasBinding::showValues);
  connect(&document_.search(), &ModuleSearch::changed, this, &CanvasBinding::showLight);
  connect(&document_.shownSearches(), &ShownSearches::changed, this, &CanvasBinding::showLight);
  connect(&document_.view(), &SceneView::cancelled, &canvas_, &Canvas::forgetToggled);
  connect(&document_.view(), &SceneView::cancelled, this, [this] { reveals_ = false; });
  connect(&document_.view(), &SceneView::lightChanged, this, &CanvasBinding::showLight);
  connect(&canvas_, &Canvas::selectionChanged, &document_, &Document::select);
  connect(&canvas_, &Canvas::groupSelected, &document_.view(), &SceneView::selectGroup);
  connect(&document_.view(), &SceneView::groupWanted, this, [this](const QString& group) {
    const QRectF frame = canvas_.view() ? canvas_.frameOf(canvas_.view()->findGroup(group.toStdString())) : QRectF();
    if (!frame.isEmpty()) canvas_.viewport().fit(frame);
  });
  connect(&document_.view(), &SceneView::groupOpened, this,
          [this](const QString& group) { canvas_.bringGroupIntoView(canvas_.view()->findGroup(group.toStdString())); });
  connect(&canvas_, &Canvas::allFitted, &document_.view(), &SceneView::fitToRoom);
  connect(&canvas_, &Canvas::groupToggled, &document_.view(), &SceneView::toggleGroup);
  connect(&canvas_, &Canvas::instructionActivated, this, &CanvasBinding::activate);
  canvas_.setTooltipProvider([this](InstructionId id) { return tooltipFor(id); });
}

void CanvasBinding::reveal(InstructionId id) {
  reveals_ = followsSelection_;
  document_.view().reveal(id);
}

void CanvasBinding::followNext() { follows_ = true; }

// What is selected, with all that was not there before.
QRectF CanvasBinding::newSince(const GraphView* before) const {
  QRectF all;
  for (InstructionId id : document_.selection()) all |= canvas_.boxOf(id);
  const GraphView& now = *canvas_.view();
  for (size_t v = 0; before && before->computation == now.computation && v < now.nodes.size(); ++v)
    if (const InstructionId shown = now.nodes[v].shows(); shown.valid() && before->boxOf(shown) < 0)
      all |= canvas_.frameOf(static_cast<int32_t>(v));
  return all;
}

// Where a person placed things, the view is theirs, too; but all that is in sight stays so while groups open and close.
void CanvasBinding::showScene(bool keepView) {
  const Scene& scene = document_.view().scene();
  const bool edited = std::exchange(revision_, document_.revision()) != document_.revision();
  const bool toggled = scene.options.openGroups != openGroups_ && !edited;
  openGroups_ = scene.options.openGroups;
  const auto kept = scene.options.placed.empty() || toggled ? Canvas::KeepView::Boxes : Canvas::KeepView::Place;
  const auto before = canvas_.view();
  canvas_.setPicture(scene.picture, scene.view, keepView ? kept : Canvas::KeepView::No, scene.index);
  const bool reveals = reveals_ && !document_.view().isMaking();  // else it is in the scene that comes
  if (reveals) reveals_ = false;
  canvas_.setSelection(document_.selection(), reveals);
  if (std::exchange(follows_, false) && !canvas_.viewport().bringIntoView(newSince(before.get())))
    canvas_.bringIntoView();
  if (reveals && !canvas_.showsSelection()) canvas_.fitSelection();
  showMarks();
  showLight();
  emit pictureShown();
}

void CanvasBinding::showValues() {
  NodeValues values = document_.live().values();
  for (const auto& [id, value] : document_.watched().values()) values.try_emplace(id, value);
  canvas_.values().set(std::move(values));
}

void CanvasBinding::showLight() {
  const ModuleSearch& search = document_.search();
  const auto& lit = document_.view().lit();
  canvas_.highlights().setFound(search.isOn() ? std::optional(search.hits())
                                : lit         ? lit
                                              : document_.shownSearches().filtered());
  canvas_.highlights().setColored(document_.shownSearches().colored());
  canvas_.highlights().setTints(document_.view().tints());
}

// One a node: what is wrong first, and how much more there is.
void CanvasBinding::showMarks() {
  std::vector<std::pair<InstructionId, QString>> marks;
  std::unordered_map<uint32_t, size_t> said;
  const auto say = [&](InstructionId id, const QString& text) {
    if (marks.size() < kMaxMarks && ++said[id.value] == 1) marks.emplace_back(id, text);
  };
  for (const Diagnostic& d : document_.diagnostics()) {
    if (d.severity != Severity::Error || !d.instruction.valid()) continue;
    if (d.label == kUnfinished && document_.isOpen() && hasOpenInput(document_.module(), d.instruction))
      continue;  // its field says so
    say(d.instruction, QString::fromStdString(d.message));
  }
  for (const SceneWarning& warning : document_.view().scene().warnings)
    say(warning.instruction, tr("warning: %1").arg(QString::fromStdString(warning.text)));
  for (auto& [id, text] : marks)
    if (said[id.value] > 1) text = tr("%1 (and %2 more)").arg(text).arg(said[id.value] - 1);
  canvas_.highlights().setMarks(std::move(marks));
}

// Into what it calls; the picture may be older than the graph.
void CanvasBinding::activate(InstructionId id) {
  const Module& module = document_.module();
  if (!module.contains(id) || (editor_ && editor_(id))) return;
  const auto callees = module.callees(module.at(id));
  if (callees.empty()) return emit detailsWanted(id);
  document_.view().showComputation(callees.front());
}

QString CanvasBinding::tooltipFor(InstructionId id) const {
  if (!document_.isOpen() || !document_.module().contains(id)) return {};
  const Module& module = document_.module();
  QString out =
      tooltipOf(module, id, legendOf(document_.view().huesOf(id), module.shapeOf(id).dimensions, QToolTip::palette()));
  QString why = document_.live().whyNone(id);
  if (why.isEmpty()) why = document_.watched().whyNone(id);
  if (const QString call = document_.watched().callOf(id); why.isEmpty() && !call.isEmpty())
    out += QStringLiteral("<br>") + tr("The value is %1").arg(call.toHtmlEscaped());
  if (!why.isEmpty()) out += QStringLiteral("<br>") + tr("No value: %1").arg(why.toHtmlEscaped());
  return out;
}

}  // namespace tessera
