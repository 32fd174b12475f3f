// The outputs of the last run as table rows: number, shape and value in words.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "core/hlo/shape.h"

namespace tessera {

class OutputsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kNumber, kShape, kValue, kColumns };

  using QAbstractTableModel::QAbstractTableModel;
  // Outputs that have no name are out0, out1, …
  void setOutputs(std::vector<Shape> shapes, std::vector<QString> values, std::vector<QString> names = {});

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<Shape> shapes_;
  std::vector<QString> values_, names_;
};

}  // namespace tessera
