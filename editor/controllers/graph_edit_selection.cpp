// What keys of the canvas do to the selection: delete, duplicate, copy and paste, and leaving the computation.
#include <QClipboard>
#include <QGuiApplication>
#include <algorithm>

#include "core/edit/structure/duplicate.h"
#include "core/edit/structure/fragment.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/document/document.h"

namespace tessera {

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
  const auto& selection = document_.selection();
  Edit edit{selection.size() == 1 ? "Delete " + std::string(document_.module().at(selection[0]).name) : "Delete", {}};
  const Module& module = document_.module();
  const auto isSelected = [&](InstructionId id) { return std::ranges::find(selection, id) != selection.end(); };
  if (gap == Gap::Open)
    for (InstructionId user : module.at(module.at(selection[0]).computation).instructions)
      for (size_t k = 0; !isSelected(user) && k < module.at(user).operands.size(); ++k)
        if (isSelected(module.at(user).operands[k]))
          edit.actions.push_back(SetOperand{user, static_cast<int32_t>(k), {}});
  for (InstructionId id : selection) edit.actions.push_back(RemoveInstruction{id});
  document_.perform(std::move(edit));
}

void GraphEditController::duplicateSelection() {
  Edit edit = duplicating(document_.module(), document_.selection());
  if (edit.actions.empty()) return;
  emit placed();
  document_.perform(std::move(edit));
}

void GraphEditController::makeResult() {
  if (const InstructionId id = document_.selected(); id.valid())
    document_.perform({"Make it the result", {SetRoot{id}}});
}

void GraphEditController::copySelection() {
  const std::string text = fragmentText(document_.module(), document_.selection());
  if (!text.empty()) QGuiApplication::clipboard()->setText(QString::fromStdString(text));
}

void GraphEditController::cutSelection() {
  copySelection();
  removeSelection();
}

void GraphEditController::paste(bool keepInputs) {
  const QString text = QGuiApplication::clipboard()->text();
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  if (text.trimmed().isEmpty()) return emit explained(tr("The clipboard holds no text to paste."));
  auto edit = pasting(document_.module(), computation(), text.toStdString(), keepInputs);
  if (!edit) return emit explained(QString::fromStdString(edit.error().message));
  emit placed();
  document_.perform(std::move(*edit));
}

}  // namespace tessera
