// SizePanel: changes the size of a dimension everywhere it flows. Beside the canvas: the dimension of the selected
// instruction, its new size and name, which other dimensions may be meant, and a preview of what changes or cannot
// follow. One edit at the end. Of large graphs sizes are followed by a worker. Uses core/edit/sizes.
#pragma once

#include <QFrame>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/edit/sizes/sizes.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QTimer;

namespace tessera {

class Document;

class SizePanel : public QFrame {
  Q_OBJECT

 public:
  SizePanel(Document& document, QWidget* parent);
  ~SizePanel() override;

  // For the instruction that is selected; `preferred` is the dimension shown first. False: it has no dimensions.
  bool openFor(InstructionId id, int32_t preferred = 0);
  QComboBox* dimensions() const { return dimension_; }
  QLineEdit* sizeField() const { return size_; }
  QLineEdit* nameField() const { return name_; }
  QListWidget* choices() const { return choices_; }
  QListWidget* changes() const { return changes_; }
  QPushButton* button() const { return take_; }
  void look();  // at once, without waiting for a pause in typing

 signals:
  void previewed(std::vector<tessera::InstructionId> touched);
  void closed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void connectParts();
  using Answer = std::function<void()>;
  void work(std::function<Answer()> question);  // by a worker where the graph is large; the last answer counts
  void fillDimensions(int row);
  void showDimension();
  void showFlow();
  void showResizing(Result<Resizing> made, SizeWish wish);
  void listChoices(const Resizing* resizing);
  void take();
  void leave();
  void dismiss();
  void rename();
  std::vector<SizeWish> wishes() const;
  std::set<InstructionId> numbers() const;
  QString nameOfSize(DimensionSpot spot) const;
  void say(const std::vector<Resizing::Line>& lines, bool wrong);

  Document& document_;
  QComboBox* dimension_;
  QLineEdit *size_, *name_;
  QListWidget *choices_, *changes_;
  QLabel* summary_;
  QPushButton* take_;
  QTimer* timer_;
  Module module_;                       // a snapshot: what the sizes are known of
  std::shared_ptr<const Sizes> sizes_;  // null: they are not known yet
  QThreadPool pool_;
  uint64_t asked_ = 0;
  std::vector<DimensionSpot> spots_, others_;
  std::vector<Resizing::Number> offered_;
  std::optional<Resizing> resizing_;
};

}  // namespace tessera
