// ValuePanel: the value of the selected instruction, which follows edits and play; another one can be pinned beside it
// for comparison. A scalar input has a slider. Uses Document's live and fetched values.
#pragma once

#include <QWidget>
#include <memory>

#include "core/base/ids.h"
#include "core/hlo/literal.h"
#include "editor/document/gesture.h"

class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSlider;
class QSplitter;

namespace tessera {

class Document;
class ValueView;

class ValuePanel : public QWidget {
  Q_OBJECT

 public:
  explicit ValuePanel(Document& document, QWidget* parent = nullptr);
  // Also where nothing is live: then the value is computed.
  void want(InstructionId id);
  ValueView* current() const { return current_; }
  ValueView* pinned() const { return pinned_; }
  QString difference() const;
  QSlider* slider() const { return slider_; }
  QPushButton* pinButton() const { return pin_; }
  void copyText() const;
  void copyCsv() const;
  void saveNpy(const QString& path);
  void setRange(double from, double to);  // of the slider

 protected:
  bool event(QEvent* event) override;

 private:
  void makeSlider();
  QPushButton* makeCopyButton();
  void connectParts();
  void follow();
  void refresh();
  void showSlider();
  void slide(int place);
  void pin(bool on);
  void compare();
  void askForNpy();

  Document& document_;
  QSplitter* views_ = nullptr;
  ValueView *current_, *pinned_;
  QLabel* difference_;
  QPushButton* pin_;
  QWidget* sliderRow_;
  QSlider* slider_;
  QDoubleSpinBox *from_, *to_;
  InstructionId shown_, pinnedId_;
  InstructionId wanted_;                    // that was asked for where nothing is live
  std::shared_ptr<const Literal> fetched_;  // of `shown_`, where nothing is live
  uint64_t fetchedRevision_ = 0;            // of the graph that gave it
  bool sliding_ = false;
  Gesture gesture_;  // of the slider
};

}  // namespace tessera
