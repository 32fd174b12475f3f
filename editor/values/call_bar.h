// CallBar: which call of a called computation the values are of: the caller, and the iteration of a loop (slider,
// play), the branch taken, or the k-th application of a reducer. Its table lists the tuple that a loop carries, an
// iteration a row. Uses LiveValues; placed by RunController.
#pragma once

#include <QFrame>
#include <QTimer>

#include "core/base/ids.h"

class QComboBox;
class QLabel;
class QSlider;
class QTableWidget;
class QToolButton;

namespace tessera {

class Document;

class CallBar : public QFrame {
  Q_OBJECT

 public:
  CallBar(Document& document, QWidget* parent);
  QComboBox* callers() const { return callers_; }
  QSlider* slider() const { return slider_; }
  QToolButton* playButton() const { return play_; }
  QToolButton* tableButton() const { return tableButton_; }
  QTableWidget* table() const { return table_; }
  QString words() const;
  void lookAt(int64_t application);

 signals:
  void resized();

 private:
  void connectParts();
  void show();
  void fillCallers();
  void chooseCaller(int row);
  void fillTable();
  void advance();

  Document& document_;
  QComboBox* callers_;
  QLabel* words_;
  QSlider* slider_;
  QToolButton *play_, *tableButton_;
  QTableWidget* table_;
  QTimer timer_;
  int64_t wanted_ = 0;
};

}  // namespace tessera
