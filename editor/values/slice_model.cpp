// A cell's ground is its place between least and greatest, as on the canvas, but pale.
#include "editor/values/slice_model.h"

#include <QColor>
#include <algorithm>
#include <cmath>

#include "editor/canvas/render.h"
#include "editor/look/value_color.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int64_t kMaxCells = 1 << 20;  // a QTableView counts in int and lays out its sections
}

void SliceModel::setSlice(const ValueSlice& slice, const ValueSummary& summary, bool dark) {
  const bool same = slice.rows() == slice_.rows() && slice.columns() == slice_.columns();
  if (!same) beginResetModel();
  slice_ = slice;
  summary_ = summary;
  dark_ = dark;
  if (!same) return endResetModel();
  if (rowCount() && columnCount()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void SliceModel::setAxes(std::optional<Axis> rows, std::optional<Axis> columns) {
  axes_[0] = std::move(rows);
  axes_[1] = std::move(columns);
  emit headerDataChanged(Qt::Vertical, 0, std::max(rowCount() - 1, 0));
  emit headerDataChanged(Qt::Horizontal, 0, std::max(columnCount() - 1, 0));
}

int SliceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(std::min(slice_.rows(), kMaxCells));
}
int SliceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(std::min(slice_.columns(), kMaxCells));
}

QVariant SliceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::DisplayRole) return slice_.text(index.row(), index.column());
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::BackgroundRole) return {};
  const double value = slice_.number(index.row(), index.column());
  if (!std::isfinite(value)) return toQColor(ColorRole::Error, dark_ ? Theme::Dark : Theme::Light);
  if (!(summary_.most > summary_.least)) return {};
  QColor color = valueColor(value, summary_.least, summary_.most, dark_ ? Theme::Dark : Theme::Light);
  color.setAlpha(dark_ ? 90 : 110);
  return color;
}

QVariant SliceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  const auto& axis = axes_[orientation == Qt::Vertical ? 0 : 1];
  if (role == Qt::DisplayRole && axis && section == 0) return QStringLiteral("%1 0").arg(axis->letter);
  if (role == Qt::DisplayRole) return section;
  if (!axis) return {};
  if (role == Qt::ForegroundRole) return axis->color;
  if (role != Qt::ToolTipRole) return {};
  return asPlainText(tr("%1 %2 along dimension %3").arg(axis->letter).arg(section).arg(axis->dimension));
  return {};
}

}  // namespace tessera
