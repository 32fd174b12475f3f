// What keys of the canvas do to the selection: delete, duplicate, copy and paste, and leaving the computation.
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <algorithm>
#include <unordered_set>

#include "core/edit/structure/duplicate.h"
#include "core/edit/structure/fragment.h"
#include "core/formats/stablehlo.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

// Beside the text: where what was copied stands, a line "X Y NAME" each.
constexpr const char* kPlacesMime = "application/x-tessera-places";

QByteArray printPlaces(const std::map<std::string, QPointF>& places) {
  QByteArray out;
  for (const auto& [name, at] : places)
    out += QByteArray::number(at.x()) + ' ' + QByteArray::number(at.y()) + ' ' + QByteArray::fromStdString(name) + '\n';
  return out;
}

std::map<std::string, QPointF> readPlaces(const QByteArray& text) {
  std::map<std::string, QPointF> out;
  for (const QByteArray& line : text.split('\n')) {
    const auto first = line.indexOf(' '), second = line.indexOf(' ', first + 1);
    if (first > 0 && second > 0)
      out[line.mid(second + 1).toStdString()] = {line.left(first).toDouble(),
                                                 line.mid(first + 1, second - first - 1).toDouble()};
  }
  return out;
}

// A copy's addition by the name of its original: both stand in the order of the computation.
void nameAfterOriginals(Edit& edit, const Module& module, const std::vector<InstructionId>& originals) {
  auto action = edit.actions.begin();
  for (InstructionId id : module.at(module.at(originals.front()).computation).instructions) {
    if (std::ranges::find(originals, id) == originals.end() || module.at(id).opcode == Opcode::Unknown) continue;
    while (action != edit.actions.end() && !std::holds_alternative<AddInstruction>(*action)) ++action;
    if (action == edit.actions.end()) return;
    std::get<AddInstruction>(*action++).name = std::string(module.at(id).name);
  }
}

}  // namespace

void GraphEditController::leaveComputation() {
  if (!document_.isOpen()) return;
  const Module& module = document_.module();
  for (ComputationId id : module.order())
    for (InstructionId caller : module.at(id).instructions)
      if (const auto callees = module.callees(module.at(caller));
          std::ranges::find(callees, document_.view().computation()) != callees.end()) {
        document_.view().showComputation(id);
        return document_.select({caller});
      }
}

void GraphEditController::removeSelection(Gap gap) {
  if (document_.selection().empty() || document_.isPlainGraph()) return;
  const std::vector<InstructionId> selection = document_.view().selectedInstructions();
  Edit edit{selection.size() == 1 ? "Delete " + std::string(document_.module().at(selection[0]).name) : "Delete", {}};
  const Module& module = document_.module();
  std::unordered_set<uint32_t> selected;
  for (InstructionId id : selection) selected.insert(id.value);
  const auto isSelected = [&](InstructionId id) { return selected.contains(id.value); };
  if (gap == Gap::Open)
    for (InstructionId user : module.at(module.at(selection[0]).computation).instructions)
      for (size_t k = 0; !isSelected(user) && k < module.at(user).operands.size(); ++k)
        if (isSelected(module.at(user).operands[k]))
          edit.actions.push_back(SetOperand{user, static_cast<int32_t>(k), {}});
  for (InstructionId id : selection) edit.actions.push_back(RemoveInstruction{id});
  document_.perform(std::move(edit));
}

void GraphEditController::duplicateSelection() {
  const std::vector<InstructionId> selection = document_.view().selectedInstructions();
  Edit edit = duplicating(document_.module(), selection);
  if (edit.actions.empty()) return;
  nameAfterOriginals(edit, document_.module(), selection);
  giveSpots(edit, placesOfSelection(), {});
  for (EditAction& action : edit.actions)
    if (auto* add = std::get_if<AddInstruction>(&action)) add->name.clear();
  emit placed();
  document_.perform(std::move(edit), kAllAdded);
}

void GraphEditController::makeResult() {
  if (const InstructionId id = document_.selected(); id.valid())
    document_.perform({"Make it the result", {SetRoot{id}}});
}

void GraphEditController::copySelection() {
  const std::string text = fragmentText(document_.module(), document_.view().selectedInstructions());
  if (text.empty()) return;
  auto* data = new QMimeData;
  data->setText(QString::fromStdString(text));
  data->setData(QLatin1String(kPlacesMime), printPlaces(placesOfSelection()));
  QGuiApplication::clipboard()->setMimeData(data);
}

void GraphEditController::cutSelection() {
  copySelection();
  removeSelection();
}

bool GraphEditController::clipboardHoldsDocument() const {
  const QMimeData* data = QGuiApplication::clipboard()->mimeData();
  if (!data || !data->hasText() || data->hasFormat(QLatin1String(kPlacesMime))) return false;
  const QString text = data->text().trimmed();
  return text.startsWith(QLatin1String("HloModule ")) || looksLikeStableHlo(text.toStdString());
}

void GraphEditController::paste(bool keepInputs) {
  const QString text = QGuiApplication::clipboard()->text();
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  if (text.trimmed().isEmpty()) return emit hinted(tr("The clipboard holds no text to paste."));
  auto edit = pasting(document_.module(), computation(), text.toStdString(), keepInputs);
  if (!edit) return emit explained(QString::fromStdString(edit.error().message));
  const QMimeData* data = QGuiApplication::clipboard()->mimeData();
  const auto pointed = pointer();
  giveSpots(*edit, readPlaces(data ? data->data(QLatin1String(kPlacesMime)) : QByteArray()),
            pointed ? std::optional(canvas_.viewport().toScene(*pointed)) : std::nullopt);
  emit placed();
  document_.perform(std::move(*edit), kAllAdded);
}

}  // namespace tessera
