// Actions: what the menus, the tool bar and keys of the window can do, each with the condition under which it can be
// done. Menus are made of specs; the rest of the window finds an action by its id. Used by the main window.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <functional>
#include <utility>
#include <vector>

class QAction;
class QMenu;
class QWidget;

namespace tessera {

struct ActionSpec {
  QString text;
  QList<QKeySequence> keys = {};
  std::function<void(bool checked)> run;
  QString id = {};                                 // by which it is found; empty: only the menu has it
  std::function<bool()> isEnabled = nullptr;       // null: always
  std::function<bool()> isChecked = nullptr;       // null: it cannot be checked
  std::function<QString()> currentText = nullptr;  // null: always `text`
};

class Actions : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  QAction* add(QMenu& menu, ActionSpec spec);
  QAction* addOverCanvas(QMenu& menu, ActionSpec spec);    // its keys act only while a canvas has the focus
  QAction* addAlsoOnCanvas(QMenu& menu, ActionSpec spec);  // its keys act everywhere; menus of the canvas find it, too
  void addCanvas(QWidget& canvas);
  QAction* find(const QString& id) const;  // which must be there
  void update();                           // evaluates every condition
  void updateOne(const QString& id);       // evaluates whether it can be done

 private:
  const std::pair<QAction*, ActionSpec>& entry(const QString& id) const;

  std::vector<std::pair<QAction*, ActionSpec>> all_;
  std::vector<QAction*> ofCanvas_;
};

}  // namespace tessera
