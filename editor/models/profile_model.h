// The profile of the last run as table rows: one per source instruction, with its time and whether it was measured or
// apportioned. Texts are made when they are painted and sorting is done on plain numbers, so 100,000 rows cost a frame.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "core/profile/profile.h"

namespace tessera {

class ProfileModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kOpcode, kShape, kTime, kShare, kHow, kFlops, kBytes, kRate, kColumns };

  using QAbstractTableModel::QAbstractTableModel;
  void setProfile(const Module& module, const Profile& profile);
  void clear();
  InstructionId instructionAt(int row) const;
  int rowOf(InstructionId id) const;  // -1: none

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  QString textOf(const SourceProfile& row, int column) const;
  void sortRows();

  std::optional<Module> module_;
  std::vector<SourceProfile> rows_;
  int sortColumn_ = kTime;
  Qt::SortOrder sortOrder_ = Qt::DescendingOrder;
  double totalNs_ = 0;
  double runs_ = 1;
};

}  // namespace tessera
