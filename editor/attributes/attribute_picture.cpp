// Which attribute has which picture.
#include "editor/attributes/attribute_picture.h"

#include <optional>

#include "editor/attributes/dimension_choice.h"
#include "editor/attributes/dimension_pairs.h"
#include "editor/attributes/index_form.h"
#include "editor/attributes/label_rows.h"
#include "editor/attributes/literal_table.h"
#include "editor/attributes/permutation_row.h"
#include "editor/attributes/replica_matrix.h"
#include "editor/attributes/window_picture.h"

namespace tessera {

void AttributePicture::emitText(InstructionId id, Attr name, const std::string& text, bool continues) {
  emit edited(Edit{"Edit " + std::string(nameOf(name)), {SetAttribute{id, name, text}}}, continues);
}

namespace {

using ChoiceForm = DimensionChoice::Form;

// Dimensions that are chosen by a click; none: they are no choice of this kind.
std::optional<ChoiceForm> choiceOf(Opcode opcode, Attr name) {
  if (name == Attr::iota_dimension && opcode == Opcode::Iota) return ChoiceForm::Bare;
  if (name != Attr::dimensions) return std::nullopt;
  switch (opcode) {
    case Opcode::Reduce:
    case Opcode::Reverse: return ChoiceForm::Several;
    case Opcode::Concatenate:
    case Opcode::Sort: return ChoiceForm::One;
    default: return std::nullopt;
  }
}

}  // namespace

AttributePicture* makeAttributePicture(Opcode opcode, Attr name, QWidget* parent) {
  if (name == Attr::window) return new WindowPicture(parent);
  if (name == Attr::replica_groups) return new ReplicaMatrix(parent);
  if (name == Attr::dim_labels) return new LabelRows(parent);
  if (opcode == Opcode::Transpose && name == Attr::dimensions) return new PermutationRow(parent);
  if (const auto form = choiceOf(opcode, name)) return new DimensionChoice(name, *form, parent);
  if (opcode == Opcode::Dot && name == Attr::lhs_contracting_dims) return new DimensionPairs(parent);
  if (opcode == Opcode::Gather && name == Attr::slice_sizes) return new IndexForm(parent);
  if (opcode == Opcode::Scatter && name == Attr::to_apply) return new IndexForm(parent);
  if (opcode == Opcode::Gather && name == Attr::offset_dims) return new GatherRows(parent);
  return nullptr;
}

AttributePicture* makeLiteralPicture(const Module& module, InstructionId constant, QWidget* parent) {
  return LiteralTable::canShow(module, constant) ? new LiteralTable(parent) : nullptr;
}

}  // namespace tessera
