// A lesson ends when another document is opened.
#include "app/studio/lesson_controller.h"

#include <utility>

#include "app/studio/main_window.h"
#include "app/studio/panels.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/lessons/lesson.h"
#include "editor/lessons/lesson_panel.h"

namespace tessera {

LessonController::LessonController(MainWindow& window, LessonPanel& panel)
    : QObject(&window), window_(window), panel_(panel) {
  connect(&panel_, &LessonPanel::lessonWanted, this, &LessonController::begin);
  connect(&panel_, &LessonPanel::closed, this, &LessonController::end);
  connect(&window_.document(), &Document::opened, this, &LessonController::arrived);
}

void LessonController::begin(int lesson) {
  if (lesson < 0 || static_cast<size_t>(lesson) >= lessons().size()) return;
  if (!on_ && !window_.mayLeave()) return;
  panel_.showLesson(lesson);
  on_ = opening_ = true;
  window_.document().file().createFrom(std::string(lessons()[static_cast<size_t>(lesson)].project));
}

void LessonController::end() {
  panel_.hide();
  on_ = false;
}

void LessonController::arrived() {
  if (!std::exchange(opening_, false)) return end();
  panel_.show();
  const Lesson& lesson = lessons()[static_cast<size_t>(panel_.lesson())];
  // In the next event: the window puts its docks where they were first. A lesson without a panel below has the height
  // for its graph.
  const auto showPanel = [this,
                          name = QString::fromUtf8(lesson.panel.data(), static_cast<qsizetype>(lesson.panel.size()))] {
    if (name == QLatin1String("inspector")) window_.panels().lower(window_);
    window_.panels().raise(name);
  };
  QMetaObject::invokeMethod(&window_, showPanel, Qt::QueuedConnection);
  if (const auto id = window_.document().module().findInstruction(lesson.selects)) window_.document().select({*id});
  window_.canvas().setFocus();
}

}  // namespace tessera
