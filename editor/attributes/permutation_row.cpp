// The layout lab's chips with another meaning.
#include "editor/attributes/permutation_row.h"

#include <QGuiApplication>
#include <QVBoxLayout>

#include "core/hlo/module.h"
#include "editor/canvas/dimension_color.h"
#include "editor/layout_lab/dimension_chips.h"

namespace tessera {

PermutationRow::PermutationRow(QWidget* parent) : AttributePicture(parent), chips_(new DimensionChips(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(chips_);
  chips_->setCaptions({.first = tr("↑ becomes dimension 0"),
                       .last = tr("becomes the last ↑"),
                       .shortFirst = tr("↑ dimension 0"),
                       .accessibleName = tr("dimensions"),
                       .toolTip = tr("The operand's dimensions in the order of the result: drag, or Ctrl and arrows")});
  connect(chips_, &DimensionChips::orderChanged, this, [this](const std::vector<int64_t>& order) {
    std::string text = "{";
    for (size_t i = 0; i < order.size(); ++i) text += (i ? "," : "") + std::to_string(order[i]);
    emitText(id_, Attr::dimensions, text + "}", std::exchange(moving_, true));
  });
  connect(chips_, &DimensionChips::orderCommitted, this, [this] { moving_ = false; });
}

void PermutationRow::show(const Module& module, InstructionId id) {
  id_ = id;
  if (QGuiApplication::mouseButtons() == Qt::NoButton)
    moving_ = false;  // a drag that ended where it began says nothing
  if (moving_) return;
  const Instruction& instruction = module.at(id);
  const bool connected = !instruction.operands.empty() && module.contains(instruction.operands[0]);
  const std::vector<int64_t>& order = instruction.attributes->ints(Attr::dimensions);
  const Shape* shape = connected ? &module.shapeOf(instruction.operands[0]) : nullptr;
  setVisible(shape && shape->isArray() && shape->dimensions.size() == order.size() && order.size() > 1);
  if (isHidden()) return;
  std::vector<DimensionChips::Chip> chips;
  const auto dimensions = dimensionsOf(instruction.operands[0]);
  for (int64_t d : order) {
    if (d < 0 || d >= static_cast<int64_t>(order.size())) return setVisible(false);
    const QString size = QString::number(shape->dimensions[static_cast<size_t>(d)]);
    const QString letter = letterOf(dimensions, static_cast<size_t>(d));
    chips.push_back({d, letter.isEmpty() ? tr("size %1").arg(size) : tr("%1 = %2").arg(letter, size), size,
                     dimensions.empty() ? QColor() : dimensionColor(dimensions, static_cast<size_t>(d), palette())});
  }
  chips_->setChips(std::move(chips));
}

}  // namespace tessera
