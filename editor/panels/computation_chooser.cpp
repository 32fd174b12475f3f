// See computation_chooser.h.
#include "editor/panels/computation_chooser.h"

#include "editor/document/document.h"

namespace tessera {

ComputationChooser::ComputationChooser(QWidget* parent) : QComboBox(parent) {
  setAccessibleName(tr("Computation"));
  setToolTip(tr("The computation on the canvas"));
  setMinimumContentsLength(24);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  connect(this, &QComboBox::activated, this,
          [this](int row) { document_->view().showComputation(ComputationId(itemData(row).toUInt())); });
}

void ComputationChooser::setDocument(Document& document) {
  document_ = &document;
  list();
}

void ComputationChooser::showCurrent() {
  const uint32_t shown = document_->view().computation().value;
  if (findData(shown) < 0) list();
  const QSignalBlocker blocker(this);
  setCurrentIndex(findData(shown));
}

void ComputationChooser::list() {
  const QSignalBlocker blocker(this);
  clear();
  setEnabled(document_->isOpen());
  if (!document_->isOpen()) return;
  const Module& module = document_->module();
  const auto add = [&](ComputationId id) {
    const QString name = QString::fromStdString(module.at(id).name);
    addItem(id == module.entry() ? tr("%1 (entry)").arg(name) : name, id.value);
  };
  add(module.entry());
  constexpr size_t kMaxListed = 2000;
  for (ComputationId id : module.order())
    if (id != module.entry() && static_cast<size_t>(count()) < kMaxListed) add(id);
}

}  // namespace tessera
