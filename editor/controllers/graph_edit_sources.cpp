// What feeds an input and what an output feeds, asked for by key or menu; where new instructions go; an operation in
// place of another; what of the page is selected.
#include <QPainterPath>
#include <algorithm>

#include "core/edit/palette/replacing.h"
#include "core/edit/wiring/field.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/paths.h"
#include "editor/canvas/tools/wire_tool.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/document/document.h"
#include "editor/panels/popups/add_search.h"
#include "editor/panels/popups/source_pick.h"

namespace tessera {
namespace {

constexpr size_t kMostJudged = 300;  // sources that are tried at an input

QString words(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// The values that an input takes, the last made first: what is wired by hand was mostly just made.
std::vector<SourcePick::Source> sourcesFor(const Module& module, InstructionId user, int operand) {
  std::vector<SourcePick::Source> out;
  const auto& all = module.at(module.at(user).computation).instructions;
  for (auto id = all.rbegin(); id != all.rend() && out.size() < kMostJudged; ++id) {
    if (*id == user) continue;
    const ConnectionCheck fit = fitOf(module, *id, user, operand);
    if (!fit.fits()) continue;
    out.push_back({*id, words(module.at(*id).name),
                   QString::fromStdString(titleOf(module, *id) + "  " + subtitleOf(module, *id)),
                   QStringLiteral("→ ") + QString::fromStdString(toString(fit.ways[0].result, false))});
  }
  return out;
}

// The first that is open, else the first.
int firstInput(const Module& module, InstructionId user) {
  if (!module.contains(user)) return -1;
  const auto& operands = module.at(user).operands;
  const auto open = std::ranges::find(operands, InstructionId());
  return open == operands.end() ? 0 : static_cast<int>(open - operands.begin());
}

}  // namespace

// Where new instructions go: to what they read, else to what is selected in sight, else to what is shown.
ComputationId GraphEditController::computation() const {
  const Module& module = document_.module();
  for (InstructionId id : {droppedValue_, droppedUser_})
    if (id.valid() && module.contains(id)) return module.at(id).computation;
  const InstructionId selected = document_.selected();
  if (selected.valid() && module.contains(selected) && isInSight(module.at(selected).computation))
    return module.at(selected).computation;
  return document_.view().computation();
}

bool GraphEditController::isInSight(ComputationId computation) const {
  return computation == document_.view().computation() ||
         std::ranges::any_of(document_.module().at(computation).instructions,
                             [this](InstructionId id) { return document_.view().isDrawn(id); });
}

// What is selected where new instructions go.
std::vector<InstructionId> GraphEditController::selectedSources() const {
  std::vector<InstructionId> out = document_.selection();
  const ComputationId home = computation();
  std::erase_if(out, [&](InstructionId id) { return document_.module().at(id).computation != home; });
  return out;
}

// On the canvas: a node, and piece by piece the wire that is in the hand.
std::vector<QRect> GraphEditController::boxAndWire(InstructionId node, QPointF from, QPointF to) const {
  constexpr int kPieces = 12;
  constexpr double kBend = 24, kClear = 3;
  std::vector<QRect> out{canvas_.viewport().toWidget(canvas_.boxOf(node)).toAlignedRect()};
  const QPainterPath wire = looseWire(from, to, canvas_.view()->flow, kBend);
  for (int i = 0; i < kPieces; ++i)
    out.push_back(QRectF(wire.pointAtPercent(double(i) / kPieces), wire.pointAtPercent(double(i + 1) / kPieces))
                      .normalized()
                      .adjusted(-kClear, -kClear, kClear, kClear)
                      .toAlignedRect());
  return out;
}

void GraphEditController::addAfter(InstructionId value, QPointF at) {
  if (!document_.module().contains(value)) return canvas_.wires().end();  // the picture may be older than the graph
  search_->standBeside(boxAndWire(value, canvas_.wires().outputAt(canvas_.nodeOf(value)), at));
  openSearch(at.toPoint());
  droppedValue_ = value;
  spot_ = {canvas_.viewport().toScene(at)};
  search_->openFor(at.toPoint(), document_.module().shapeOf(value));
}

void GraphEditController::addBefore(InstructionId user, int operand, QPointF at) {
  if (!hasInput(user, operand)) return canvas_.wires().end();
  search_->standBeside(boxAndWire(user, at, canvas_.wires().inputAt(canvas_.nodeOf(user), operand)));
  openSearch(at.toPoint());
  droppedUser_ = user;
  droppedOperand_ = operand;
  spot_ = {canvas_.viewport().toScene(at), Anchor::End};
  if (auto wanted = shapesWantedAt(document_.module(), user, operand); !wanted.empty())
    search_->openToGive(at.toPoint(), std::move(wanted));
}

void GraphEditController::unwire(InstructionId user, int operand) {
  if (!hasInput(user, operand)) return;
  document_.perform({"Unwire " + std::string(document_.module().at(user).name), {SetOperand{user, operand, {}}}}, user);
}

void GraphEditController::pickSource(InstructionId user, int operand) {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  if (operand < 0) operand = firstInput(document_.module(), user);
  if (!hasInput(user, operand)) return emit explained(tr("It has no input to choose for."));
  const Module& module = document_.module();
  const auto inputs = canvas_.wires().hints().inputs(user);
  const auto k = static_cast<size_t>(operand);
  const QString name = k < inputs.size() ? inputs[k].name : tr("input %1").arg(operand);
  pickedUser_ = user;
  pickedOperand_ = operand;
  sources_->standBeside({canvas_.viewport().toWidget(canvas_.boxOf(user)).toAlignedRect()});
  sources_->openAt(canvas_.viewport().toWidget(canvas_.boxOf(user).topRight()).toPoint() + QPoint(8, 0), name,
                   sourcesFor(module, user, operand), [this](const QString& typed) {
                     if (!hasInput(pickedUser_, pickedOperand_)) return tr("the input is gone");
                     const auto edit = filling(document_.module(), pickedUser_, pickedOperand_, typed.toStdString());
                     return edit ? QString() : QString::fromStdString(edit.error().message);
                   });
}

void GraphEditController::fillPicked(const QString& typed) {
  if (!hasInput(pickedUser_, pickedOperand_)) return;
  auto edit = filling(document_.module(), pickedUser_, pickedOperand_, typed.toStdString());
  if (!edit) return emit explained(QString::fromStdString(edit.error().message));
  document_.perform(*std::move(edit), pickedUser_);
}

// --- replacing

void GraphEditController::replaceSelected() {
  const InstructionId id = document_.selected();
  if (!document_.isOpen() || document_.isPlainGraph() || !document_.module().contains(id)) return;
  const QPoint at = canvas_.viewport().toWidget(canvas_.boxOf(id).topRight()).toPoint() + QPoint(8, 0);
  openSearch(at);
  replaced_ = id;
  spot_.reset();
  search_->openAmong(at, tr("What fits in the place of %1").arg(words(document_.module().at(id).name)),
                     [this, id](const std::string& line) { return replacementsFor(document_.module(), id, line); });
}

void GraphEditController::replaceBy(const PaletteEntry& entry) {
  const InstructionId id = replaced_;
  const auto places = document_.module().contains(id) ? placesOfSelection() : std::map<std::string, QPointF>();
  forgetDrop();
  auto edit = replacing(document_.module(), id, entry);
  if (!edit) return emit explained(QString::fromStdString(edit.error().message));
  const auto additions = std::ranges::count_if(
      edit->actions, [](const EditAction& action) { return std::holds_alternative<AddInstruction>(action); });
  const InstructionId made = newInstruction(static_cast<uint32_t>(additions - 1));
  if (const auto found = places.find(std::string(document_.module().at(id).name)); found != places.end())
    edit->places.push_back({made, {found->second.x(), found->second.y()}});
  document_.perform(*std::move(edit), made);
}

// --- selecting

void GraphEditController::selectAll() {
  if (!document_.isOpen() || !document_.view().computation().valid()) return;
  document_.select(document_.module().at(document_.view().computation()).instructions);
}

void GraphEditController::invertSelection() {
  if (!document_.isOpen() || !document_.view().computation().valid()) return;
  std::vector<InstructionId> chosen = document_.selection(), out;
  std::ranges::sort(chosen);
  for (InstructionId id : document_.module().at(document_.view().computation()).instructions)
    if (!std::ranges::binary_search(chosen, id)) out.push_back(id);
  document_.select(out);
}

void GraphEditController::selectSameType() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  const Module& module = document_.module();
  std::vector<std::string_view> wanted;
  for (InstructionId id : document_.selection())
    if (module.contains(id)) wanted.push_back(module.at(id).opcodeName());
  std::vector<InstructionId> out;
  for (InstructionId id : module.at(document_.view().computation()).instructions)
    if (std::ranges::find(wanted, module.at(id).opcodeName()) != wanted.end()) out.push_back(id);
  document_.select(out);
}

}  // namespace tessera
