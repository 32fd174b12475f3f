// The Arrange menu: where things stand on the canvas and how they look. Its keys act only while the canvas has the
// focus.
#pragma once

#include <QObject>
#include <QPoint>
#include <functional>

class QKeySequence;
class QMenu;
class QMenuBar;

namespace tessera {

class Actions;
class ArrangeController;
class CurrentDocument;

class ArrangeMenu : public QObject {
  Q_OBJECT

 public:
  ArrangeMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, QObject* parent);

 private:
  using Run = std::function<void(ArrangeController&)>;
  void add(QMenu& menu, const char* id, const QString& text, const QKeySequence& key, Run run);
  bool watchesSelection() const;
  void addFlows(QMenu& menu);
  void addAlignments(QMenu& menu);
  QPoint pointerOnCanvas() const;  // where the pointer is over the canvas, else its middle

  Actions& actions_;
  CurrentDocument& current_;
};

}  // namespace tessera
