// The rows of an OpTree for a QTreeView. Texts are made when they are painted; it sorts itself, on plain numbers.
#pragma once

#include <QAbstractItemModel>
#include <unordered_map>
#include <vector>

#include "core/profile/op_tree.h"

namespace tessera {

class OpTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  using QAbstractItemModel::QAbstractItemModel;
  void setTree(OpTree tree);
  const OpTree& tree() const { return tree_; }
  int32_t placeOf(const QModelIndex& index) const { return static_cast<int32_t>(index.internalId()); }
  QModelIndex indexOf(int32_t place, int column = 0) const;
  QModelIndex indexOf(InstructionId id) const;  // invalid: it has no row

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  void numberRows();
  const std::vector<int32_t>& childrenOf(const QModelIndex& parent) const;
  QString tipOf(const OpRow& row) const;

  OpTree tree_;
  std::vector<int> rowInParent_;
  std::unordered_map<InstructionId, int32_t> byInstruction_;
  OpColumn sortColumn_ = OpColumn::Total;
  bool descending_ = true;
};

}  // namespace tessera
