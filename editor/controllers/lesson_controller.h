// Lessons: opens the graph of a lesson and puts its words beside it. Used by the main window: from its start page and
// its Help menu.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

namespace tessera {

class Canvas;
class Document;
class LessonPanel;

class LessonController : public QObject {
  Q_OBJECT

 public:
  LessonController(Document& document, Canvas& canvas, LessonPanel& panel, QObject* parent);
  // Whether what is open may be left; without it, it may.
  void setMayLeave(std::function<bool()> mayLeave) { mayLeave_ = std::move(mayLeave); }

  LessonPanel& panel() { return panel_; }
  bool isOn() const { return on_; }  // the document is a lesson's
  void begin(int lesson);
  void end();  // the graph stays

 signals:
  void panelWanted(QString name);  // that the lesson needs; empty: none

 private:
  void arrived();

  Document& document_;
  Canvas& canvas_;
  LessonPanel& panel_;
  std::function<bool()> mayLeave_;
  bool on_ = false, opening_ = false;
};

}  // namespace tessera
