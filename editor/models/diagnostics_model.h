// The diagnostics of a document as table rows: severity, place, message.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/base/diagnostics.h"

namespace tessera {

// What an unfinished graph leaves open is listed, and is no error.
bool isOpenPlace(const Diagnostic& d);

class DiagnosticsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  void setDiagnostics(std::vector<Diagnostic> diagnostics);
  InstructionId instructionAt(int row) const;
  int rowOf(InstructionId id) const;  // the first one; -1: none

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace tessera
