// See dimension_choice.h.
#include "editor/attributes/dimension_choice.h"

#include <algorithm>

#include "core/edit/sizes/dimension_words.h"
#include "core/hlo/module.h"
#include "core/ops/inference/infer_checks.h"

namespace tessera {

DimensionChoice::DimensionChoice(Attr name, Form form, QWidget* parent) : ChipRows(parent), name_(name), form_(form) {
  setAccessibleName(tr("Dimensions"));
  const QString help = form == Form::Several ? tr("Click the dimensions that it goes over") : tr("Click the dimension");
  setToolTip(help);
}

void DimensionChoice::show(const Module& module, InstructionId id) {
  id_ = id;
  const Instruction& instruction = module.at(id);
  const AttributeSet& attributes = *instruction.attributes;
  if (form_ == Form::Bare)
    chosen_ = attributes.has(name_) ? std::vector{attributes.intOr(name_, 0)} : std::vector<int64_t>();
  else
    chosen_ = attributes.ints(name_);
  const Shape* shape = arrayCounted(module, instruction, name_);
  setVisible(shape && shape->rank() > 0);
  if (isHidden()) return setRows({});
  const bool ofResult = name_ == Attr::iota_dimension;
  const InstructionId counted = ofResult ? id : instruction.operands[0];
  Row row{form_ == Form::Several ? tr("over") : tr("along"), {}};
  for (size_t d = 0; d < shape->dimensions.size(); ++d)
    row.chips.push_back({QString::number(d), QString::number(shape->dimensions[d]),
                         std::ranges::find(chosen_, static_cast<int64_t>(d)) != chosen_.end(),
                         dimensionAt(counted, d)});
  setRows({std::move(row)});
}

void DimensionChoice::clicked(int, int place) {
  if (form_ == Form::Bare) return emitText(id_, name_, std::to_string(place), false);
  if (form_ == Form::One) return emitText(id_, name_, listOf({place}), false);
  std::vector<int64_t> next = chosen_;
  if (std::erase(next, place) == 0) next.push_back(place);
  std::ranges::sort(next);
  emitText(id_, name_, listOf(next), false);
}

}  // namespace tessera
