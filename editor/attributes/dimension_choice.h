// Dimensions of an operand as chips, chosen by a click: those that a reduction or a reversal goes over, or the one that
// a sort, a concatenation or an iota runs along. Used by makeAttributePicture.
#pragma once

#include "editor/attributes/label_rows.h"

namespace tessera {

class DimensionChoice : public ChipRows {
  Q_OBJECT

 public:
  // several: any number of them, in braces; else just one. bare: one number without braces.
  enum class Form { Several, One, Bare };
  DimensionChoice(Attr name, Form form, QWidget* parent);
  void show(const Module& module, InstructionId id) override;

 protected:
  void clicked(int row, int place) override;

 private:
  const Attr name_;
  const Form form_;
  InstructionId id_;
  std::vector<int64_t> chosen_;
};

}  // namespace tessera
