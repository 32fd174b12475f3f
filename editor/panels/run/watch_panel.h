// WatchPanel: chosen values of a graph of any size over a run of many steps, their statistics as lines. A step feeds
// outputs back to inputs as the player does.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <atomic>
#include <memory>
#include <vector>

#include "backends/watch.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QToolButton;
class QTreeWidget;

namespace tessera {

class Document;
class WatchChart;

class WatchPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WatchPanel(Document& document, QWidget* parent = nullptr);
  ~WatchPanel() override;

  void watch(const std::vector<InstructionId>& values);  // arrays of the entry beside those that are watched already
  const std::vector<InstructionId>& watched() const { return watched_; }
  QToolButton* addButton() const { return add_; }
  QToolButton* removeButton() const { return remove_; }
  QPushButton* runButton() const { return run_; }
  QSpinBox* steps() const { return steps_; }
  QComboBox* statistic() const { return statistic_; }
  QTreeWidget* list() const { return list_; }
  WatchChart* chart() const { return chart_; }
  QString words() const;
  void exportCsv(const QString& path);  // a row a step and value
  bool isBusy() const { return busy_ > 0; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeBar();
  void addSelection();
  void removeChosen();
  void forget();
  void listWatched();
  void run();
  void take(const Result<WatchSeries>& series);
  QString resultWords() const;
  void showStatistics();
  void showSelection();

  Document& document_;
  QThreadPool pool_;
  QToolButton *add_, *remove_, *logarithmic_, *csv_;
  QPushButton* run_;
  QSpinBox* steps_;
  QComboBox* statistic_;
  QLabel* words_;
  QTreeWidget* list_;
  WatchChart* chart_;
  std::vector<InstructionId> watched_, shown_;  // shown_: of the chart's lines
  std::shared_ptr<std::atomic<bool>> cancel_;
  int busy_ = 0;
  bool choosing_ = false;
};

}  // namespace tessera
