// MemoryPanel: the memory of the graph over its schedule: bytes live, lives of buffers, what lives at a moment by size
// and padding, allocations, and edits that lower the peak. A moment that is chosen lights its buffers on the canvas.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "editor/panels/profile/memory_measure.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;
class QToolButton;
class QTreeWidget;

namespace tessera {

class Document;
class MemoryChart;

class MemoryPanel : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryPanel(Document& document, QWidget* parent = nullptr);
  ~MemoryPanel() override;

  MemoryChart* chart() const { return chart_; }
  QComboBox* source() const { return source_; }
  QTabWidget* tabs() const { return tabs_; }
  QTreeWidget* live() const { return live_; }
  QTreeWidget* edits() const { return edits_; }
  QLabel* why() const { return why_; }
  QPushButton* applyButton() const { return apply_; }
  QToolButton* peakButton() const { return peak_; }
  QString words() const;
  bool isBusy() const { return busy_ > 0; }
  bool isChecking() const { return check_ != nullptr; }  // an edit is applied, and both graphs run
  void cancelCheck();
  const std::shared_ptr<const MemoryReport>& report() const { return shown_.report; }
  void measure();
  void openAssignment(const QString& path);  // of an XLA dump whose module is open

 signals:
  void revealWanted(tessera::InstructionId id);
  void failed(QString message);
  void checkingChanged();
  void moduleMade(QString name, std::string hlo, QString verdict);  // by an edit that was applied

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeBar();
  QWidget* makeTables();
  void start(std::function<std::function<void()>()> work);
  void forget();
  void show(MeasuredMemory measured);
  void findEdits(MemorySource source);
  void showWords();
  void chooseMoment(size_t moment);
  void clearMoment();
  void showLive();
  void showAllocations();
  void showEdits();
  void showWhy();
  void selectRows();
  void showSelection();
  void choose(const std::vector<size_t>& buffers);
  void applyEdit();

  Document& document_;
  QThreadPool pool_;
  QComboBox* source_;
  QToolButton* peak_;
  QLabel *words_, *why_;  // why_: the selected suggestion in full
  MemoryChart* chart_;
  QTabWidget* tabs_;
  QTreeWidget *live_, *allocations_, *edits_;
  QPushButton* apply_;
  MeasuredMemory shown_;
  std::vector<MemoryEdit> found_;  // edits of the graph that lower the peak
  std::shared_ptr<std::atomic<bool>> check_;
  std::string assignment_, assignmentPath_;
  uint64_t request_ = 0;
  int busy_ = 0;
  bool stale_ = true, choosing_ = false;
};

}  // namespace tessera
