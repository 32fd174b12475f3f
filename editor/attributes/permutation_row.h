// A permutation as chips, the operand's dimensions in the order of the result, put in order by drag or Ctrl + arrows.
#pragma once

#include "editor/attributes/attribute_picture.h"

namespace tessera {

class DimensionChips;

class PermutationRow : public AttributePicture {
  Q_OBJECT

 public:
  explicit PermutationRow(QWidget* parent = nullptr);
  void show(const Module& module, InstructionId id) override;
  DimensionChips* chips() const { return chips_; }

 private:
  DimensionChips* chips_;
  InstructionId id_;
  bool moving_ = false;
};

}  // namespace tessera
