// Learning: opens the graph of a lesson and puts its words beside it. Before: the Learn entry of the start page and the
// Help menu; after: Document and LessonPanel.
#pragma once

#include <QObject>

namespace tessera {

class LessonPanel;
class MainWindow;

class LessonController : public QObject {
  Q_OBJECT

 public:
  LessonController(MainWindow& window, LessonPanel& panel);

  LessonPanel& panel() { return panel_; }
  bool isOn() const { return on_; }  // the document is a lesson's
  void begin(int lesson);
  void end();  // the graph stays

 private:
  void arrived();

  MainWindow& window_;
  LessonPanel& panel_;
  bool on_ = false, opening_ = false;
};

}  // namespace tessera
