// DevicesPanel: the same graph on the processor and on a card: what each node takes on either, side by side, and where
// their values part. A worker runs both; a row selects its node.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace tessera {

class DeviceChooser;
class Document;
class Literal;
class Module;

class DevicesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DevicesPanel(Document& document, QWidget* parent = nullptr);
  ~DevicesPanel() override;

  QPushButton* runButton() const { return run_; }
  QTreeWidget* table() const { return table_; }
  DeviceChooser* other() const { return other_; }
  QString words() const;
  bool isBusy() const { return cancel_ != nullptr; }
  void runBoth();
  void cancelRunning();

 signals:
  void runningChanged();

 private:
  struct Answer;
  struct Row;
  static Answer runOn(const Module& module, const class FileAccess& files, const struct RunSettings& settings,
                      const std::string& other, const std::atomic<bool>& cancel);
  static Status compareInto(Answer& answer, const Module& module, std::span<const Literal> arguments,
                            const std::string& other, const std::atomic<bool>& cancel);
  void forget();
  void show(const Answer& answer);
  void add(const Row& row, double longestNs);

  Document& document_;
  QThreadPool pool_;
  QLabel* words_;
  DeviceChooser* other_;
  QPushButton* run_;
  QTreeWidget* table_;
  std::vector<InstructionId> ids_;  // by row
  std::shared_ptr<std::atomic<bool>> cancel_;
  uint64_t request_ = 0;
};

}  // namespace tessera
