// Lessons: opens the graph of a lesson, shows its text and checks which of its steps are done. Used by the main
// window: from its start page and its Help menu.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

namespace tessera {

class Canvas;
class Document;
class LessonPanel;
struct Lesson;

class LessonController : public QObject {
  Q_OBJECT

 public:
  LessonController(Document& document, Canvas& canvas, LessonPanel& panel, QObject* parent);
  // Whether what is open may be left; without it, it may.
  void setMayLeave(std::function<bool()> mayLeave) { mayLeave_ = std::move(mayLeave); }

  LessonPanel& panel() { return panel_; }
  bool isOn() const { return on_; }  // the document is a lesson's
  QString title() const;             // of the lesson that is on
  void begin(int lesson);
  void end();  // the graph stays

 signals:
  void begun(QString panel);         // its graph is there; the panel that it needs
  void ended();                      // the graph stays, or another document is there
  void stepDone(size_t done);        // so many of its steps
  void progressed();                 // preferences() know that a lesson was begun, or is done
  void revealWanted();               // of what is selected now
  void newWanted();                  // a graph of one's own
  void chapterWanted(QString name);  // of the manual

 private:
  void arrived();
  void takeScene();
  void keepHandleReadable();
  void checkSteps();
  void advance();
  void follow(const QString& link);
  const Lesson& lesson() const;

  Document& document_;
  Canvas& canvas_;
  LessonPanel& panel_;
  std::function<bool()> mayLeave_;
  size_t done_ = 0;                                      // steps
  bool on_ = false, opening_ = false, arrives_ = false;  // arrives_: its first scene with names comes
};

}  // namespace tessera
