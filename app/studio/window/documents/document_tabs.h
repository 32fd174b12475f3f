// DocumentTabs: a tab a document, in the row of the menus. It names them (by their folders where names repeat), marks
// what is not saved and keeps their order; the main window handles its signals.
#pragma once

#include <QTabBar>
#include <vector>

class QMenuBar;

namespace tessera {

class DocumentPane;

class DocumentTabs : public QTabBar {
  Q_OBJECT

 public:
  explicit DocumentTabs(QWidget* parent = nullptr);

  void add(DocumentPane& pane);
  void remove(const DocumentPane& pane);
  DocumentPane* pane(int index) const;          // null: no such tab
  int indexOf(const DocumentPane& pane) const;  // -1: it has no tab
  std::vector<DocumentPane*> panes() const;     // from left to right
  QString titleOf(const DocumentPane& pane) const;
  void refresh();  // names and marks

 signals:
  void othersCloseWanted(int index);

 protected:
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
};

// The row right of the menus, which takes what they leave.
class TabRow : public QWidget {
  Q_OBJECT

 public:
  TabRow(DocumentTabs& tabs, QMenuBar& menus);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 private:
  QMenuBar& menus_;
  DocumentTabs& tabs_;
};

}  // namespace tessera
