// WarpPanel: what a warp of the selected instruction's kernels does to memory: its accesses in order, with how well
// each fits the memory, and a picture of the one that is chosen. The graph runs on the simulated card for it.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <atomic>
#include <memory>
#include <vector>

#include "backends/backend.h"
#include "core/base/ids.h"

class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace tessera {

class Document;
class WarpPicture;

class WarpPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WarpPanel(Document& document, QWidget* parent = nullptr);
  ~WarpPanel() override;

  QPushButton* lookButton() const { return look_; }
  QListWidget* list() const { return list_; }
  QSpinBox* block() const { return block_; }
  QSpinBox* warp() const { return warp_; }
  WarpPicture* picture() const { return picture_; }
  QString words() const;
  bool isBusy() const { return cancel_ != nullptr; }
  void look();
  void cancelLooking();

 signals:
  void lookingChanged();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Answer;
  static Answer lookAt(const Module& module, const class FileAccess& files, const struct RunSettings& settings,
                       InstructionId id, WarpPlace place, const std::atomic<bool>& cancel);
  void forget();
  void follow();
  void show(const Answer& answer);

  Document& document_;
  QThreadPool pool_;
  QLabel* words_;
  QSpinBox *block_, *warp_;
  QPushButton* look_;
  QListWidget* list_;
  WarpPicture* picture_;
  std::vector<WarpAccess> accesses_;
  std::shared_ptr<std::atomic<bool>> cancel_;
  uint64_t request_ = 0;
  InstructionId shown_;
};

}  // namespace tessera
