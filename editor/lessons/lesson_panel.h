// LessonPanel: the text of a lesson beside its graph, the list of lessons, previous and next. Used by LessonController.
#pragma once

#include <QWidget>

class QLabel;
class QListWidget;
class QPushButton;

namespace tessera {

class LessonPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LessonPanel(QWidget* parent = nullptr);
  void showLesson(int lesson);
  int lesson() const { return lesson_; }
  QListWidget* list() const { return list_; }
  QPushButton* nextButton() const { return next_; }
  QPushButton* previousButton() const { return previous_; }
  QString words() const;

 signals:
  void lessonWanted(int lesson);
  void closed();

 private:
  QWidget* makePage();  // title and text
  QListWidget* list_;
  QLabel *title_, *words_;
  QPushButton *previous_, *next_;
  int lesson_ = -1;
};

}  // namespace tessera
