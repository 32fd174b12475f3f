// The Edit menu: what is done to the selection. Its keys act only while the canvas has the focus, but for undo, redo
// and finding.
#pragma once

#include <QKeySequence>
#include <QObject>
#include <functional>

class QMenu;
class QMenuBar;

namespace tessera {

class Actions;
class CurrentDocument;
class DocumentOpener;
class PartTaker;
class PreferenceControl;

class EditMenu : public QObject {
  Q_OBJECT

 public:
  EditMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, DocumentOpener& opener, PartTaker& parts,
           PreferenceControl& preferences, QObject* parent);

 private:
  using Can = std::function<bool()>;
  void add(QMenu& menu, const char* id, const QString& text, const QList<QKeySequence>& keys, const Can& can,
           const std::function<void()>& run);  // over the canvas
  void addSteps(QMenu& menu);
  void addBuildItems(QMenu& menu);
  void addSelecting(QMenu& menu);
  void addPartItems(QMenu& menu);  // computations, blocks, a part by itself
  void addFindItems(QMenu& menu);  // in the text where the text has the keys, else in the graph

  QMenuBar& bar_;
  Actions& actions_;
  CurrentDocument& current_;
  DocumentOpener& opener_;
  PartTaker& parts_;
  PreferenceControl& preferences_;
};

}  // namespace tessera
