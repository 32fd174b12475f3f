// LeftBehindBar: unsaved work of sessions that ended badly, a document a row, each to be restored or discarded. What is
// not decided is offered again at the next start. Stands above the documents of the main window.
#pragma once

#include <QFrame>
#include <vector>

#include "editor/document/recovery.h"

class QVBoxLayout;

namespace tessera {

class LeftBehindBar : public QFrame {
  Q_OBJECT

 public:
  explicit LeftBehindBar(QWidget* parent);
  void offer(const std::vector<Recovery::Left>& left);

 signals:
  void restoreWanted(tessera::Recovery::Left left);

 private:
  void addRow(const Recovery::Left& left);
  void removeRow(QWidget* row);

  QVBoxLayout* rows_;
  int count_ = 0;
};

}  // namespace tessera
