// The cells of a ValueSlice for a table; texts are made when they are painted.
#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <optional>

#include "editor/values/value_slice.h"

namespace tessera {

class SliceModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  // Which dimension runs down and which across, in their colours; none: nothing is known.
  struct Axis {
    size_t dimension = 0;
    QString letter;
    QColor color;
  };
  void setAxes(std::optional<Axis> rows, std::optional<Axis> columns);
  void setSlice(const ValueSlice& slice, const ValueSummary& summary, bool dark);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  ValueSlice slice_;
  ValueSummary summary_;
  std::optional<Axis> axes_[2];  // rows, columns
  bool dark_ = false;
};

}  // namespace tessera
