// DiffPanel: the open graph against that of another document: what is matched, changed, added and removed, coloured in
// both, with what it costs. A row or a node that is selected selects its partner in the other graph, too.
#pragma once

#include <QPointer>
#include <QThreadPool>
#include <QWidget>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/tools/diff/diff.h"

class QComboBox;
class QLabel;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace tessera {

class Document;

class DiffPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DiffPanel(Document& document, QWidget* parent = nullptr);
  ~DiffPanel() override;

  // What else is open, asked each time that it is listed.
  using Others = std::function<std::vector<std::pair<QString, Document*>>()>;
  void setOthers(Others others) { others_ = std::move(others); }
  // The other graph is the one before, this one the one after; null: compares no more.
  void compareWith(Document* other);
  Document* other() const;

  const std::shared_ptr<const DiffResult>& result() const { return result_; }
  bool isBusy() const { return busy_ > 0; }
  QComboBox* choice() const { return choice_; }
  QTreeWidget* table() const { return table_; }
  QToolButton* stateButton(DiffState state) const;  // counts, and whether rows of that state are listed
  QToolButton* mergedButton() const { return merged_; }
  QString words() const;  // what both cost
  void step(int by);      // to another difference

 signals:
  void fileWanted();  // another file is to be opened and compared with
  void revealWanted(tessera::InstructionId id);
  void revealInOtherWanted(tessera::InstructionId id);
  void otherChosen(tessera::Document* other);  // it would be good to see it, too
  void mergedWanted();                         // both as one graph, made of result()

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  static constexpr int kLeftId = Qt::UserRole + 2, kRightId = Qt::UserRole + 3;  // data of a row
  struct Compared;
  QWidget* makeBar();
  void listOthers();
  void chooseOther(int index);
  void connectOther();
  void again();
  void compare();
  void take(Compared& compared);
  void clear();
  void fill();
  void addRow(size_t place, DiffState state, InstructionId left, InstructionId right,
              const std::vector<Change>* changes);
  void showWords();
  void paintBoth();
  void selectRow();
  void followSelection(bool fromOther);
  InstructionId partnerOf(InstructionId id, bool ofOther) const;

  Document& document_;
  QPointer<Document> other_;
  Others others_;
  QThreadPool pool_;
  QComboBox* choice_;
  QToolButton *changed_, *added_, *removed_, *merged_;
  QLabel* words_;
  QTreeWidget* table_;
  std::shared_ptr<const DiffResult> result_;
  CostDelta costs_;
  std::vector<std::pair<double, double>> rowCosts_;  // of each row: flops and bytes more
  uint64_t request_ = 0;
  int busy_ = 0;
  bool choosing_ = false, pending_ = false;
};

}  // namespace tessera
