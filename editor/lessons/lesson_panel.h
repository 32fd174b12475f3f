// LessonPanel: the column beside a lesson's graph: which lesson, its idea, its steps with what is done, what comes
// next. Used by LessonController, which knows when a step is done.
#pragma once

#include <QWidget>
#include <vector>

#include "editor/text/link_press.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace tessera {

class StepRow;

class LessonPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LessonPanel(QWidget* parent = nullptr);
  void showLesson(int lesson);
  void setStepsDone(size_t done);  // from the first one on
  int lesson() const { return lesson_; }
  QComboBox* list() const { return list_; }
  QPushButton* nextButton() const { return next_; }
  QPushButton* previousButton() const { return previous_; }
  const std::vector<StepRow*>& steps() const { return steps_; }
  bool isLinkClicked() const { return press_.isMouse(); }  // the last one that was chosen
  QString ending() const;                                  // empty: the lesson is not done
  QString progress() const;                                // "2 of 9 lessons are done"

 signals:
  void lessonWanted(int lesson);
  void answered();                // the question of the current step, rightly
  void linkChosen(QString link);  // "node:NAME", "new:", "chapter:NAME"
  void closed();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLayout* makeHead();
  QWidget* makePage();
  QLayout* makeFoot();
  void makeSteps();
  void orderKeys();
  void showProgress();
  void showEnding(bool isDone);
  void nameButtons(bool asArrows);
  void showCurrent();

  QComboBox* list_;
  QProgressBar* progress_;
  QLabel *progressWords_, *idea_, *ending_, *kept_ = nullptr;
  QVBoxLayout* column_ = nullptr;  // of the steps
  QScrollArea* scroll_ = nullptr;
  QPushButton *previous_, *next_;
  std::vector<StepRow*> steps_;
  QHBoxLayout *head_ = nullptr, *buttons_ = nullptr;  // in which the two buttons stand
  LinkPress press_;
  size_t done_ = 0;
  int lesson_ = -1;
};

}  // namespace tessera
