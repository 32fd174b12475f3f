// Rows of the results table.
#include "editor/models/outputs_model.h"

#include "editor/look/type_scale.h"
#include "editor/text/plain_text.h"

namespace tessera {

void OutputsModel::setOutputs(std::vector<Shape> shapes, std::vector<QString> values, std::vector<QString> names) {
  beginResetModel();
  shapes_ = std::move(shapes);
  values_ = std::move(values);
  names_ = std::move(names);
  endResetModel();
}

int OutputsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shapes_.size());
}
int OutputsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant OutputsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto row = static_cast<size_t>(index.row());
  if (role == Qt::FontRole && index.column() != kNumber) return monoFont();
  if (role == Qt::ToolTipRole) return asPlainText(values_[row]);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case kNumber: return row < names_.size() ? names_[row] : QStringLiteral("out%1").arg(row);
    case kShape: return QString::fromStdString(toString(shapes_[row], false));
    default: return QString(values_[row]).replace(QLatin1Char('\n'), QStringLiteral("   ·   "));
  }
}

QVariant OutputsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Output"), tr("Shape"), tr("Value")};
  return titles[section];
}

}  // namespace tessera
