// The element types that a conversion may give, as a list. Used by AttributeForm under the shape's field.
#pragma once

#include "editor/attributes/attribute_picture.h"

class QComboBox;

namespace tessera {

class TypeChoice : public AttributePicture {
  Q_OBJECT

 public:
  explicit TypeChoice(QWidget* parent);
  void show(const Module& module, InstructionId id) override;
  QComboBox* list() const { return list_; }

 private:
  void take();

  QComboBox* list_;
  InstructionId id_;
  Shape from_, shown_;  // of the operand, and of what it gives
};

}  // namespace tessera
