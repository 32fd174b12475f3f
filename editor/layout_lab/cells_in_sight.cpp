// The visible cells of a pane by number, for accessibility.
#include <algorithm>

#include "editor/layout_lab/cell_pane.h"
#include "editor/layout_lab/layout_model.h"

namespace tessera {

int CellPane::cellCount() const {
  if (!state_->model() || rows_.count() <= 0 || columns_.count() <= 0) return 0;
  return static_cast<int>((rows_.end() - rows_.first()) * (columns_.end() - columns_.first()));
}

CellPane::CellAt CellPane::cellNumbered(int number) const {
  const int64_t across = columns_.end() - columns_.first();
  return {rows_.first() + number / across, columns_.first() + number % across};
}

int CellPane::numberOf(CellAt cell) const {
  return static_cast<int>((cell.row - rows_.first()) * (columns_.end() - columns_.first()) + cell.column -
                          columns_.first());
}

std::optional<int> CellPane::cellAt(QPointF at) const {
  const auto cell = hit(at);
  return cell ? std::optional(numberOf(*cell)) : std::nullopt;
}

std::optional<int> CellPane::chosenCell() const {
  const auto chosen = state_->chosen();
  if (!chosen || !shows(*chosen)) return std::nullopt;
  const auto cell = cellOf(*chosen);
  return cell ? std::optional(numberOf(*cell)) : std::nullopt;
}

void CellPane::chooseCell(int number) { state_->choose(linearAt(cellNumbered(number))); }

QRectF CellPane::rectOfCell(int number) const {
  const CellAt cell = cellNumbered(number);
  return rectAt(cell.row, cell.column);
}

QString CellPane::nameOfCell(int number) const {
  const auto linear = linearAt(cellNumbered(number));
  if (!linear || !state_->model()) return {};
  const auto index = state_->model()->gridIndex(*linear);
  if (!index || state_->model()->kindOf(*linear, index) != CellKind::Element) return tr("padding");
  QStringList numbers;
  for (int64_t each : *index) numbers << QString::number(each);
  return tr("element %1").arg(numbers.join(QStringLiteral(", ")));
}

QString CellPane::placeOfCell(int number) const {
  const auto linear = linearAt(cellNumbered(number));
  return linear ? tr("place %1 in memory").arg(*linear) : tr("no place in memory");
}

}  // namespace tessera
