// TourPanel: a step of a guided tour beside the documents, previous and next. Used by TourGuide.
#pragma once

#include <QWidget>
#include <optional>

#include "editor/lessons/tour.h"

class QLabel;
class QPushButton;
class QScrollArea;

namespace tessera {

class TourPanel : public QWidget {
  Q_OBJECT

 public:
  explicit TourPanel(QWidget* parent = nullptr);
  void showStep(const Tour& tour, int step);
  void setBusy(bool busy);                   // what the step shows is being made: no other step yet
  void showProblem(const QString& problem);  // of its commands; empty: there is none
  int step() const { return step_; }
  QPushButton* nextButton() const { return next_; }
  QPushButton* previousButton() const { return previous_; }
  QString words() const;
  QString problem() const;

 signals:
  void stepWanted(int step);
  void closed();

 private:
  QLabel *tour_, *title_, *words_, *place_, *problem_;
  QScrollArea* scroll_;
  QPushButton *previous_, *next_, *waiting_ = nullptr;  // waiting_: had the focus when the step began
  int step_ = 0, steps_ = 0;
};

}  // namespace tessera
