// ProfilePanel: where the time goes: a tree (scope > fusion > instruction, or grouped otherwise) with inclusive and own
// time, rates and what the machine would allow, and the same as nested boxes. A row that becomes current selects its
// instructions everywhere, and the selection of the document marks its row.
#pragma once

#include <QWidget>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/profile/op_tree.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace tessera {

class Document;
class IcicleView;
class OpTreeModel;
class Treemap;
struct CostScope;

class ProfilePanel : public QWidget {
  Q_OBJECT

 public:
  explicit ProfilePanel(Document& document, QWidget* parent = nullptr);
  ~ProfilePanel() override;

  QTreeView* table() const { return table_; }
  IcicleView* icicle() const { return icicle_; }
  QComboBox* grouping() const { return grouping_; }
  QComboBox* modules() const { return modules_; }  // of the profile; hidden where it holds one
  QLineEdit* filter() const { return filter_; }
  QToolButton* boxesButton() const { return boxes_; }
  Treemap* treemap() const { return map_; }
  QToolButton* treemapButton() const { return mapButton_; }
  QString words() const;  // where the times come from
  const OpTree& tree() const;
  QString copied() const;               // the selected rows, with a tab between columns
  void exportCsv(const QString& path);  // failed() may follow

 signals:
  void revealWanted(tessera::InstructionId id);
  void failed(QString message);
  void moduleWanted(QString profile, QString module);  // another one of the profile

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeBar();
  void connectParts();
  void show();
  void grow();
  void showWords();
  void showEmptyText();
  void selectRows();
  void choose(int32_t row);
  void showForm();
  void showSelection();
  void reveal(int32_t row);
  void chooseExport();

  Document& document_;
  OpTreeModel* model_;
  QLabel *words_, *empty_;
  QComboBox *modules_, *grouping_;
  QLineEdit* filter_;
  QToolButton *boxes_, *mapButton_;
  QStackedWidget* stack_;
  QTreeView* table_;
  IcicleView* icicle_;
  Treemap* map_;
  std::unique_ptr<CostScope> areas_;     // the tree as the treemap draws it
  std::shared_ptr<const OpTimes> held_;  // against the device
  bool choosing_ = false;                // the selection comes from here
};

}  // namespace tessera
