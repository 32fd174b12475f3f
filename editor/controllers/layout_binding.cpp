// A parameter's layout can be edited in the panel; any other instruction's is only shown.
#include "editor/controllers/layout_binding.h"

#include <QEvent>

#include "core/edit/parameter_edits.h"
#include "core/edit/sizes/dimension_hues.h"
#include "editor/document/document.h"
#include "editor/layout_lab/layout_panel.h"

namespace tessera {

LayoutBinding::LayoutBinding(Document& document, LayoutPanel& panel, QObject* parent)
    : QObject(parent), document_(document), panel_(panel) {
  connect(&document_, &Document::selectionChanged, this, &LayoutBinding::show);
  connect(&document_, &Document::moduleChanged, this, &LayoutBinding::show);
  connect(&document_, &Document::opened, this, [this] {
    shown_ = {};
    show();
  });
  connect(&panel_, &LayoutPanel::layoutEdited, this, &LayoutBinding::take);
  panel_.installEventFilter(this);
}

bool LayoutBinding::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show) show();
  return QObject::eventFilter(watched, event);
}

// The selected instruction; of a graph that was just opened the result, so that nothing of another one stays.
InstructionId LayoutBinding::wanted() const {
  if (document_.selected().valid() || shown_.first.valid()) return document_.selected();
  const Module& module = document_.module();
  return module.contains(module.entry()) ? module.at(module.entry()).root : InstructionId();
}

void LayoutBinding::show() {
  if (!panel_.isVisible() || !document_.isOpen() || document_.isPlainGraph()) return;
  const InstructionId id = wanted();
  if (!id.valid()) return;
  const Instruction& instruction = document_.module().at(id);
  if (shown_ == std::pair(id, instruction.shape)) return;
  shown_ = {id, instruction.shape};
  panel_.showShape(*instruction.shape,
                   QString::fromUtf8(instruction.name.data(), static_cast<qsizetype>(instruction.name.size())),
                   document_.view().huesOf(id));
}

void LayoutBinding::take(const Shape& shape) {
  const InstructionId id = document_.selected();
  if (!id.valid() || document_.module().at(id).opcode != Opcode::Parameter || shape == document_.module().shapeOf(id))
    return;
  shown_ = {};
  document_.perform(settingLayout(document_.module(), id, shape));
}

}  // namespace tessera
