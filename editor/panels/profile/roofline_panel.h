// RooflinePanel: the kernels of a run or profile under the roofline of this machine or of a device of the table, and
// what if: how the selection would move with another element type or other edges of its kernels, with the model's error
// on all other kernels beside it. A dot selects its instructions everywhere, and the selection marks its dots.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <memory>

#include "core/analysis/roofline_model.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace tessera {

class Document;
class RooflineView;

class RooflinePanel : public QWidget {
  Q_OBJECT

 public:
  explicit RooflinePanel(Document& document, QWidget* parent = nullptr);
  ~RooflinePanel() override;

  RooflineView* view() const { return view_; }
  QComboBox* device() const { return device_; }
  QComboBox* grouping() const { return grouping_; }
  QComboBox* type() const { return type_; }
  QComboBox* edges() const { return edges_; }
  QToolButton* againButton() const { return again_; }
  QString words() const;    // the device, and how good the model is
  QString details() const;  // of the selection, and of what would become of it
  bool isBusy() const { return busy_ > 0; }

 signals:
  void revealWanted(tessera::InstructionId id);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeBar();
  QWidget* makeSide();
  void fillDevices();
  void showDevice();
  void chooseDevice(int index);
  void show();
  void showWords();
  void choose(int dot);
  void showSelection();
  void ask();
  void showAnswer(const Result<WhatIfAnswer>& answer);

  Document& document_;
  QThreadPool pool_;
  RooflineView* view_;
  QComboBox *device_, *grouping_, *type_, *edges_;
  QToolButton* again_;
  QLabel *words_, *details_, *empty_;
  uint64_t request_ = 0;
  int busy_ = 0;
  bool choosing_ = false;
  bool wantsThisMachine_ = false;  // for another program's profile, once it is measured
};

}  // namespace tessera
