// NumericsPanel: the open graph computed two ways on the same arguments, value by value: the CPU against the reference,
// another precision, or another open document. The first divergence, where NaN and infinities come from, the error as
// an overlay, its growth as a lit path; and the smallest module that shows it, written as a folder.
#pragma once

#include <QPointer>
#include <QThreadPool>
#include <QWidget>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/ids.h"

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;
class QTreeWidget;

namespace tessera {

class Document;
struct NumericsFound;

class NumericsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit NumericsPanel(Document& document, QWidget* parent = nullptr);
  ~NumericsPanel() override;

  // What else is open, asked each time that it is listed.
  using Others = std::function<std::vector<std::pair<QString, Document*>>()>;
  void setOthers(Others others) { others_ = std::move(others); }

  QComboBox* choice() const { return choice_; }  // what it is compared with
  QPushButton* compareButton() const { return compare_; }
  QToolButton* firstButton() const { return first_; }
  QToolButton* pathButton() const { return path_; }
  QToolButton* writeButton() const { return write_; }
  QTreeWidget* table() const { return table_; }
  QString words() const;
  bool isBusy() const { return busy_ > 0; }
  void writeTo(const QString& folder);  // the reproducer

 signals:
  void revealWanted(tessera::InstructionId id);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeBar();
  void listChoices();
  void compare();
  void take(std::shared_ptr<const NumericsFound> found);
  void forget();
  void fill();
  void selectRow();
  void showSelection();
  void goToFirst();
  void showPath(bool shown);
  void chooseFolder();

  Document& document_;
  Others others_;
  QThreadPool pool_;
  QComboBox* choice_;
  QPushButton* compare_;
  QToolButton *first_, *special_, *path_, *write_;
  QLabel* words_;
  QTreeWidget* table_;
  std::shared_ptr<const NumericsFound> found_;
  uint64_t request_ = 0;
  int busy_ = 0;
  bool choosing_ = false;
};

}  // namespace tessera
