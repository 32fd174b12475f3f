// AttributePicture: an attribute as a graphical editor: a window over a grid, dimensions as chips, groups as a matrix,
// a constant as a table. It stands under the attribute's text field, reads the graph and emits edits. Used by
// AttributeForm, which checks them and shows what is wrong.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/edit/edit.h"
#include "core/edit/sizes/dimension_hues.h"

namespace tessera {

class AttributePicture : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  // Reads the graph anew; never during a drag.
  virtual void show(const Module& module, InstructionId id) = 0;
  // How the canvas shows dimensions; null: nothing is known of them. For the next show().
  void setHues(std::shared_ptr<const DimensionHues> hues) { hues_ = std::move(hues); }

 signals:
  void edited(tessera::Edit edit, bool continues);  // continues: the same drag goes on

 protected:
  // One attribute of an instruction, by its text.
  void emitText(InstructionId id, Attr name, const std::string& text, bool continues);
  std::vector<DimensionHue> dimensionsOf(InstructionId id) const {
    return hues_ ? hues_->of(id) : std::vector<DimensionHue>();
  }

 private:
  std::shared_ptr<const DimensionHues> hues_;
};

// Null where the text field says it all.
AttributePicture* makeAttributePicture(Opcode opcode, Attr name, QWidget* parent);
AttributePicture* makeLiteralPicture(const Module& module, InstructionId constant, QWidget* parent);

}  // namespace tessera
