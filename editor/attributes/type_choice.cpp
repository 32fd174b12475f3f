// See type_choice.h.
#include "editor/attributes/type_choice.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>

#include "core/hlo/element_type.h"
#include "core/hlo/module.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr ElementType kUsual[] = {ElementType::F32,    ElementType::BF16, ElementType::F16,  ElementType::F64,
                                  ElementType::S32,    ElementType::S64,  ElementType::S16,  ElementType::S8,
                                  ElementType::S4,     ElementType::U32,  ElementType::U64,  ElementType::U16,
                                  ElementType::U8,     ElementType::U4,   ElementType::Pred, ElementType::F8E4M3FN,
                                  ElementType::F8E5M2, ElementType::C64,  ElementType::C128};

QString nameOfType(ElementType type) {
  const std::string_view name = nameOf(type);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace

TypeChoice::TypeChoice(QWidget* parent) : AttributePicture(parent), list_(new QComboBox(this)) {
  list_->setAccessibleName(tr("Element type"));
  list_->setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new PlainLabel(tr("element type"), this));
  layout->addWidget(list_, 1);
  connect(list_, &QComboBox::activated, this, &TypeChoice::take);
}

void TypeChoice::show(const Module& module, InstructionId id) {
  id_ = id;
  const Instruction& instruction = module.at(id);
  const bool known = !instruction.operands.empty() && module.contains(instruction.operands[0]) &&
                     module.shapeOf(instruction.operands[0]).isArray() && instruction.shape->isArray();
  setVisible(known);
  if (!known) return;
  from_ = module.shapeOf(instruction.operands[0]);
  shown_ = *instruction.shape;
  const QSignalBlocker blocker(list_);
  list_->clear();
  const bool bits = instruction.opcode == Opcode::BitcastConvert;  // keeps the width
  for (const ElementType type : kUsual)
    if (type != from_.type && (!bits || info(type).bits == info(from_.type).bits)) list_->addItem(nameOfType(type));
  if (list_->findText(nameOfType(shown_.type)) < 0) list_->insertItem(0, nameOfType(shown_.type));
  list_->setCurrentText(nameOfType(shown_.type));
}

void TypeChoice::take() {
  const auto type = elementTypeFromName(list_->currentText().toStdString());
  if (!type || *type == shown_.type) return;
  const bool keepsLayout = shown_.dimensions == from_.dimensions;
  Shape shape = keepsLayout ? shown_ : Shape::array(*type, from_.dimensions);
  shape.type = *type;
  emit edited(Edit{"Type of a conversion", {SetShape{id_, std::move(shape)}}}, false);
}

}  // namespace tessera
