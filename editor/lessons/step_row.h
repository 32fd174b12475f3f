// StepRow: a step of a lesson: a mark that says whether it is done, its words, and the choices of a question with what
// is said of the one that was chosen. Used by LessonPanel.
#pragma once

#include <QFrame>
#include <vector>

class QAbstractButton;
class QLabel;

namespace tessera {

struct LessonStep;

class StepRow : public QFrame {
  Q_OBJECT

 public:
  enum class State : uint8_t { Ahead, Current, Done };
  StepRow(const LessonStep& step, int number, QWidget* parent);

  void setState(State state);
  State state() const { return state_; }
  QLabel* words() const { return words_; }
  const std::vector<QAbstractButton*>& choices() const { return choices_; }
  QString said() const;  // of the choice that was chosen last

 signals:
  void answered();                // rightly
  void linkChosen(QString link);  // of its words

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void addChoices();
  void choose(size_t choice);
  void showMark();

  const LessonStep& step_;
  const int number_;
  State state_ = State::Ahead;
  QLabel *mark_, *words_, *said_ = nullptr;
  std::vector<QAbstractButton*> choices_;
};

}  // namespace tessera
