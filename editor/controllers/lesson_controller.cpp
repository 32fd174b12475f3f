// A lesson ends when another document is opened. Steps are done in their order.
#include "editor/controllers/lesson_controller.h"

#include <utility>

#include "editor/canvas/canvas.h"
#include "editor/controllers/lesson_checks.h"
#include "editor/document/document.h"
#include "editor/lessons/lesson.h"
#include "editor/lessons/lesson_panel.h"
#include "editor/preferences/preferences.h"
#include "editor/text/unit_words.h"

namespace tessera {

LessonController::LessonController(Document& document, Canvas& canvas, LessonPanel& panel, QObject* parent)
    : QObject(parent), document_(document), canvas_(canvas), panel_(panel) {
  connect(&panel_, &LessonPanel::lessonWanted, this, &LessonController::begin);
  connect(&panel_, &LessonPanel::closed, this, &LessonController::end);
  connect(&panel_, &LessonPanel::answered, this, &LessonController::advance);
  connect(&panel_, &LessonPanel::linkChosen, this, &LessonController::follow);
  connect(&document_, &Document::opened, this, &LessonController::arrived);
  connect(&document_, &Document::moduleChanged, this, &LessonController::checkSteps);
  connect(&document_.view(), &SceneView::changed, this, &LessonController::takeScene);
  connect(&document_.live(), &LiveValues::changed, this, &LessonController::checkSteps);
}

const Lesson& LessonController::lesson() const { return lessons()[static_cast<size_t>(panel_.lesson())]; }

QString LessonController::title() const {
  return on_ ? tr("Lesson %1: %2").arg(panel_.lesson() + 1).arg(toQString(lesson().id)) : QString();
}

void LessonController::begin(int lesson) {
  if (lesson < 0 || static_cast<size_t>(lesson) >= lessons().size()) return;
  if (!on_ && mayLeave_ && !mayLeave_()) return;
  panel_.showLesson(lesson);
  preferences().lesson = this->lesson().id;
  emit progressed();
  done_ = 0;
  on_ = opening_ = true;
  document_.file().createFrom(std::string(this->lesson().project));
}

void LessonController::end() {
  panel_.hide();
  canvas_.viewport().keepReadable(std::nullopt);
  if (std::exchange(on_, false)) emit ended();
}

void LessonController::arrived() {
  if (!std::exchange(opening_, false)) return end();
  panel_.show();
  // In the next event: the window puts its docks where they were first.
  QMetaObject::invokeMethod(
      this,
      [this, name = toQString(lesson().panel)] {
        emit begun(name);
        arrives_ = true;
      },
      Qt::QueuedConnection);
  if (const auto id = document_.module().findInstruction(lesson().selects)) document_.select({*id});
  keepHandleReadable();
  canvas_.setFocus();
}

// With the names of its nodes, which are put below them when it has begun, a graph is arranged otherwise.
void LessonController::takeScene() {
  if (!std::exchange(arrives_, false)) return;
  QMetaObject::invokeMethod(
      this,
      [this] {
        keepHandleReadable();
        canvas_.viewport().fitAll();
      },
      Qt::QueuedConnection);
}

// A number that is dragged is drawn only where it can be read.
void LessonController::keepHandleReadable() {
  const Scene& scene = document_.view().scene();
  const auto id = document_.module().findInstruction(lesson().handle);
  const int32_t box = id ? scene.view->boxOf(*id) : -1;
  canvas_.viewport().keepReadable(std::nullopt);
  if (box < 0) return;
  const RectF at = scene.arrangement->boxes[static_cast<size_t>(box)];
  canvas_.viewport().keepReadable(QPointF(at.x + at.width / 2, at.y + at.height / 2));
  if (canvas_.viewport().showsAll()) canvas_.viewport().fitAll();
}

// One change may complete several steps.
void LessonController::checkSteps() {
  if (!on_ || opening_) return;
  while (done_ < lesson().steps.size() && holds(lesson().steps[done_].check, document_)) advance();
}

void LessonController::advance() {
  if (!on_ || done_ >= lesson().steps.size()) return;
  const bool isLast = ++done_ == lesson().steps.size();
  if (isLast) preferences().lessonsDone.insert(std::string(lesson().id));
  panel_.setStepsDone(done_);
  emit stepDone(done_);
  if (isLast) emit progressed();
  if (!isLast) QMetaObject::invokeMethod(this, &LessonController::checkSteps, Qt::QueuedConnection);
}

void LessonController::follow(const QString& link) {
  const QString what = link.section(QLatin1Char(':'), 0, 0), name = link.section(QLatin1Char(':'), 1);
  if (what == QLatin1String("new")) return emit newWanted();
  if (what == QLatin1String("chapter")) return emit chapterWanted(name);
  if (what == QLatin1String("lesson")) return begin(name.toInt());
  const auto id = document_.module().findInstruction(name.toStdString());
  if (!id) return;
  document_.select({*id});
  emit revealWanted();
  if (panel_.isLinkClicked()) canvas_.setFocus();
}

}  // namespace tessera
