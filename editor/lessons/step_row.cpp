// A question keeps its choices when it is answered: whoever comes back reads why.
#include "editor/lessons/step_row.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QVBoxLayout>

#include "editor/lessons/lesson.h"
#include "editor/look/icon.h"
#include "editor/look/qt_colors.h"
#include "editor/text/plain_text.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

// Chosen by a click anywhere in its row.
class ChoiceButton : public QRadioButton {
 public:
  using QRadioButton::QRadioButton;

 protected:
  bool hitButton(const QPoint& at) const override { return rect().contains(at); }
};

}  // namespace

StepRow::StepRow(const LessonStep& step, int number, QWidget* parent)
    : QFrame(parent), step_(step), number_(number), mark_(new PlainLabel(this)), words_(new PlainLabel(this)) {
  words_->setText(toQString(step.words));
  words_->setTextFormat(Qt::RichText);
  words_->setWordWrap(true);
  words_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  connect(words_, &QLabel::linkActivated, this, &StepRow::linkChosen);
  auto* column = new QVBoxLayout;
  column->setSpacing(4);
  column->addWidget(words_);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 4, 0, 4);
  row->setSpacing(8);
  row->addWidget(mark_, 0, Qt::AlignTop);
  row->addLayout(column, 1);
  addChoices();
  setState(State::Ahead);
}

void StepRow::addChoices() {
  auto* column = static_cast<QVBoxLayout*>(layout()->itemAt(1)->layout());
  for (size_t i = 0; i < step_.choices.size() && !step_.choices[i].words.empty(); ++i) {
    auto* button = new ChoiceButton(toQString(step_.choices[i].words), this);
    connect(button, &QAbstractButton::clicked, this, [this, i] { choose(i); });
    column->addWidget(button);
    choices_.push_back(button);
  }
  if (choices_.empty()) return;
  said_ = new PlainLabel(this);
  said_->setWordWrap(true);
  said_->setForegroundRole(QPalette::PlaceholderText);
  said_->hide();
  column->addWidget(said_);
}

void StepRow::choose(size_t choice) {
  const Choice& chosen = step_.choices[choice];
  said_->setText(toQString(chosen.why));
  said_->show();
  choices_[choice]->setAccessibleDescription(said_->text());
  if (chosen.isRight) emit answered();
}

QString StepRow::said() const { return said_ && !said_->isHidden() ? said_->text() : QString(); }

void StepRow::setState(State state) {
  state_ = state;
  words_->setForegroundRole(state == State::Ahead ? QPalette::PlaceholderText : QPalette::WindowText);
  for (QAbstractButton* choice : choices_) {
    choice->setVisible(state != State::Ahead);
    choice->setEnabled(state == State::Current);
  }
  setAccessibleName(state == State::Done ? tr("Step %1, done").arg(number_) : tr("Step %1").arg(number_));
  showMark();
}

void StepRow::showMark() {
  const int side = kIconSize;
  mark_->setFixedWidth(side);
  if (state_ == State::Done)
    return mark_->setPixmap(
        iconOf(QStringLiteral("done"), colorOf(Ink::Added, palette())).pixmap(QSize(side, side), devicePixelRatioF()));
  mark_->setText(QStringLiteral("%1").arg(number_));
  mark_->setAlignment(Qt::AlignHCenter);
  mark_->setForegroundRole(state_ == State::Current ? QPalette::WindowText : QPalette::PlaceholderText);
}

void StepRow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && state_ == State::Done) showMark();
  QFrame::changeEvent(event);
}

}  // namespace tessera
