// A lesson ends when another document is opened.
#include "editor/controllers/lesson_controller.h"

#include <utility>

#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/lessons/lesson.h"
#include "editor/lessons/lesson_panel.h"

namespace tessera {

LessonController::LessonController(Document& document, Canvas& canvas, LessonPanel& panel, QObject* parent)
    : QObject(parent), document_(document), canvas_(canvas), panel_(panel) {
  connect(&panel_, &LessonPanel::lessonWanted, this, &LessonController::begin);
  connect(&panel_, &LessonPanel::closed, this, &LessonController::end);
  connect(&document_, &Document::opened, this, &LessonController::arrived);
}

void LessonController::begin(int lesson) {
  if (lesson < 0 || static_cast<size_t>(lesson) >= lessons().size()) return;
  if (!on_ && mayLeave_ && !mayLeave_()) return;
  panel_.showLesson(lesson);
  on_ = opening_ = true;
  document_.file().createFrom(std::string(lessons()[static_cast<size_t>(lesson)].project));
}

void LessonController::end() {
  panel_.hide();
  on_ = false;
}

void LessonController::arrived() {
  if (!std::exchange(opening_, false)) return end();
  panel_.show();
  const Lesson& lesson = lessons()[static_cast<size_t>(panel_.lesson())];
  const QString name = QString::fromUtf8(lesson.panel.data(), static_cast<qsizetype>(lesson.panel.size()));
  // In the next event: the window puts its docks where they were first.
  QMetaObject::invokeMethod(
      this, [this, name] { emit panelWanted(name); }, Qt::QueuedConnection);
  if (const auto id = document_.module().findInstruction(lesson.selects)) document_.select({*id});
  canvas_.setFocus();
}

}  // namespace tessera
