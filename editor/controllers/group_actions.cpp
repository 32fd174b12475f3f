// Whether a selection can be grouped is found out before anything is asked, so that a choice is never refused
// afterwards.
#include "editor/controllers/group_actions.h"

#include <QFileDialog>
#include <algorithm>

#include "core/edit/structure/differentiating.h"
#include "core/edit/structure/grouping.h"
#include "core/edit/wiring/field.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/document/file_export.h"
#include "editor/panels/popups/choice_list.h"

namespace tessera {
namespace {

// Where boxes have places, the group stands in the middle of what it holds.
std::vector<PlaceInstruction> placeOf(const Document& document, const Canvas& canvas,
                                      const std::vector<InstructionId>& members) {
  if (!document.page() || document.page()->instructions.empty()) return {};
  QPointF sum;
  int count = 0;
  for (InstructionId id : members)
    if (const QRectF box = canvas.boxOf(id); !box.isEmpty()) sum += box.topLeft(), ++count;
  if (!count) return {};
  return {{newInstruction(0), {sum.x() / count, sum.y() / count}}};
}

}  // namespace

GroupActions::GroupActions(Document& document, Canvas& canvas, QObject* parent)
    : QObject(parent), document_(document), canvas_(canvas), choices_(new ChoiceList(&canvas)) {
  choices_->setAround([&canvas] { return canvas.boxesInSight(); });
  connect(choices_, &ChoiceList::chosen, this, &GroupActions::take);
  connect(&document_, &Document::opened, choices_, &QWidget::hide);  // they are of the document before
}

void GroupActions::group() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  const auto grouping = groupingOf(document_.module(), document_.view().selectedInstructions());
  if (!grouping) return emit explained(QString::fromStdString(grouping.error().message));
  const auto places = placeOf(document_, canvas_, grouping->members);
  std::vector<Choice> choices;
  const auto add = [&](const QString& line, Opcode caller, const char* name, const char* kind) {
    choices.push_back(
        {line, {"Group", {GroupInstructions{grouping->members, name, caller, kind}}, places}, newInstruction(0)});
  };
  add(tr("a call: a computation of its own"), Opcode::Call, "group", "");
  if (checkFusible(document_.module(), grouping->members)) {
    add(tr("a fusion, kLoop: one kernel"), Opcode::Fusion, "fusion", "kLoop");
    add(tr("a fusion, kInput: one kernel that ends in a reduction"), Opcode::Fusion, "fusion", "kInput");
    add(tr("a fusion, kOutput: one kernel that begins with a product"), Opcode::Fusion, "fusion", "kOutput");
  }
  offer(std::move(choices),
        grouping->members.size() == 1 ? tr("One node becomes") : tr("%1 nodes become").arg(grouping->members.size()));
}

void GroupActions::inlineSelection() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  const Module& module = document_.module();
  Edit edit{"Inline", {}};
  InstructionId next;
  for (InstructionId id : document_.selection()) {
    const Instruction& call = module.at(id);
    if (call.opcode != Opcode::Call && call.opcode != Opcode::Fusion) continue;
    edit.actions.push_back(InlineCall{id});
    if (const auto callees = module.callees(call); !callees.empty()) next = module.at(callees[0]).root;
  }
  if (edit.actions.empty()) return emit hinted(tr("Only a call or a fusion can be inlined; none is selected."));
  document_.perform(std::move(edit), next);
}

void GroupActions::promote() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  const Module& module = document_.module();
  const std::vector<InstructionId> constants = constantsOf(module, document_.selected());
  if (constants.empty()) return emit hinted(tr("Select a constant, or a node with a number in one of its inputs."));
  std::vector<Choice> choices;
  for (InstructionId id : constants)
    choices.push_back(
        {tr("%1: %2").arg(
             QString::fromUtf8(module.at(id).name.data(), static_cast<qsizetype>(module.at(id).name.size())),
             QString::fromStdString(valueOf(module, id).value_or(toString(module.shapeOf(id), false)))),
         {"Make it a parameter", {PromoteConstant{id}}},
         id});
  offer(std::move(choices), tr("Which becomes a parameter?"));
}

void GroupActions::gradient() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  const auto meant = gradientOfSelection(document_.module(), document_.selection());
  if (!meant) return emit explained(QString::fromStdString(meant.error().message));
  document_.perform({"Gradient", {*meant}}, newInstruction(0));
}

void GroupActions::offer(std::vector<Choice> choices, const QString& heading) {
  offered_ = std::move(choices);
  if (offered_.size() == 1) return take(0);
  QStringList lines;
  for (const Choice& each : offered_) lines << each.line;
  const QRectF box = canvas_.boxOf(document_.selected());
  std::vector<QRect> selected;
  for (InstructionId id : document_.selection())
    selected.push_back(canvas_.viewport().toWidget(canvas_.boxOf(id)).toAlignedRect());
  choices_->standBeside(std::move(selected));
  choices_->openAt(canvas_.viewport().toWidget(box.topRight()).toPoint() + QPoint(12, 0), heading, lines);
}

void GroupActions::take(int line) {
  if (line < 0 || static_cast<size_t>(line) >= offered_.size()) return;
  Choice chosen = std::move(offered_[static_cast<size_t>(line)]);
  offered_.clear();
  document_.perform(std::move(chosen.edit), chosen.selects);
}

void GroupActions::askWhereToExtract() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  if (const auto grouping = groupingOf(document_.module(), document_.view().selectedInstructions()); !grouping)
    return emit explained(QString::fromStdString(grouping.error().message));
  const QString path = QFileDialog::getSaveFileName(&canvas_, tr("Extract the selection as a module"),
                                                    QStringLiteral("extracted.hlo"), tr("HLO text (*.hlo *.txt)"));
  if (!path.isEmpty()) extract(path);
}

void GroupActions::extract(const QString& path) {
  exportFile(
      this, path,
      [module = document_.module(), selected = document_.view().selectedInstructions()]() -> Result<std::string> {
        TESSERA_ASSIGN_OR_RETURN(const Module cut, selectionAsModule(module, selected, "extracted"));
        return printHloText(cut);
      },
      [this, path](const Status& written) {
        if (written) return emit extracted(path);
        emit explained(QString::fromStdString(written.error().toString()));
      });
}

}  // namespace tessera
