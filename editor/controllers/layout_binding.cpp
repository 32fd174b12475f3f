// A layout is edited in the panel where HLO leaves a choice, and only shown elsewhere.
#include "editor/controllers/layout_binding.h"

#include <QEvent>
#include <utility>

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
  const bool known = document_.module().contains(shown_.first);
  if (document_.selected().valid() || known) return document_.selected();
  const Module& module = document_.module();
  return module.contains(module.entry()) ? module.at(module.entry()).root : InstructionId();
}

void LayoutBinding::show() {
  if (!panel_.isVisible() || !document_.isOpen() || document_.isPlainGraph()) return;
  const InstructionId id = wanted();
  if (!id.valid()) {  // nothing of another graph, or of what was deleted, stays
    if (std::exchange(shown_, {}).first.valid()) panel_.setPreset(QStringLiteral("row-major"));
    return;
  }
  const Instruction& instruction = document_.module().at(id);
  if (shown_ == std::pair(id, instruction.shape)) return;
  shown_ = {id, instruction.shape};
  panel_.showShape(*instruction.shape,
                   QString::fromUtf8(instruction.name.data(), static_cast<qsizetype>(instruction.name.size())),
                   document_.view().huesOf(id), QString::fromStdString(whyNoLayout(document_.module(), id)));
}

void LayoutBinding::take(const Shape& shape) {
  const InstructionId id = document_.selected();
  if (!document_.isOpen() || !document_.module().contains(id) || !whyNoLayout(document_.module(), id).empty() ||
      shape == document_.module().shapeOf(id))
    return;
  shown_ = {};
  document_.perform(settingLayout(document_.module(), id, shape));
}

}  // namespace tessera
