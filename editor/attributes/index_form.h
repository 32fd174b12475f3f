// The common forms of a gather or scatter as a choice; its dimension numbers have fields of their own. Used
// by makeAttributePicture.
#pragma once

#include "core/edit/index_ways.h"
#include "editor/attributes/attribute_picture.h"

class QComboBox;

namespace tessera {

class IndexForm : public AttributePicture {
  Q_OBJECT

 public:
  explicit IndexForm(QWidget* parent);
  void show(const Module& module, InstructionId id) override;
  QComboBox* ways() const { return list_; }

 private:
  void take(int row);

  QComboBox* list_;
  InstructionId id_;
  std::vector<IndexWay> ways_;
};

}  // namespace tessera
