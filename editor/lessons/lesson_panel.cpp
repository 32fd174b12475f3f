// One column, so that a low screen shows the steps: the list of lessons is a field of choices.
#include "editor/lessons/lesson_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/lessons/lesson.h"
#include "editor/lessons/lesson_progress.h"
#include "editor/lessons/step_row.h"
#include "editor/look/icon.h"
#include "editor/look/qt_colors.h"
#include "editor/text/plain_text.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr int kLessonWidth = 340, kLessonMargin = 12, kProgressHeight = 4, kArrowWidth = 30;

QLabel* richLabel(QWidget* parent) {
  auto* out = new PlainLabel(parent);
  out->setTextFormat(Qt::RichText);
  out->setWordWrap(true);
  out->setTextInteractionFlags(Qt::TextBrowserInteraction);
  return out;
}

}  // namespace

LessonPanel::LessonPanel(QWidget* parent)
    : QWidget(parent),
      list_(new QComboBox(this)),
      progress_(new QProgressBar(this)),
      progressWords_(new PlainLabel(this)),
      idea_(richLabel(this)),
      ending_(richLabel(this)),
      previous_(new QPushButton(tr("‹ Previous"), this)),
      next_(new QPushButton(tr("Next ›"), this)) {
  setFixedWidth(kLessonWidth);
  setAutoFillBackground(true);
  list_->setAccessibleName(tr("Lessons"));
  list_->setObjectName(QStringLiteral("lessons"));
  ending_->setObjectName(QStringLiteral("lessonEnding"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kLessonMargin, 8, kLessonMargin, kLessonMargin);
  layout->addLayout(makeHead());
  layout->addWidget(makePage(), 1);
  layout->addLayout(makeFoot());
  connect(list_, &QComboBox::activated, this, &LessonPanel::lessonWanted);
  connect(previous_, &QPushButton::clicked, this, [this] { emit lessonWanted(lesson_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { emit lessonWanted(lesson_ + 1); });
  for (QLabel* each : {idea_, ending_}) {
    press_.watch(*each);
    connect(each, &QLabel::linkActivated, this, &LessonPanel::linkChosen);
  }
  hide();
}

QLayout* LessonPanel::makeHead() {
  auto* close = new QToolButton(this);
  showIcon(*close, "close", tr("Close the lessons"));
  close->setAutoRaise(true);
  connect(close, &QToolButton::clicked, this, &LessonPanel::closed);
  list_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  head_ = new QHBoxLayout;
  head_->addWidget(list_, 1);
  head_->addWidget(close);
  setTabOrder(list_, close);
  progress_->setTextVisible(false);
  progress_->setFixedHeight(kProgressHeight);
  progress_->setRange(0, static_cast<int>(lessons().size()));
  progressWords_->setForegroundRole(QPalette::PlaceholderText);
  auto* out = new QVBoxLayout;
  out->setSpacing(4);
  out->addLayout(head_);
  out->addWidget(progress_);
  out->addWidget(progressWords_);
  return out;
}

QWidget* LessonPanel::makePage() {
  auto* page = new QWidget;
  auto* inside = new QVBoxLayout(page);
  inside->setContentsMargins(0, 0, 8, 0);
  inside->addWidget(idea_);
  column_ = new QVBoxLayout;
  column_->setSpacing(4);
  inside->addLayout(column_);
  inside->addWidget(ending_);
  inside->addStretch(1);
  scroll_ = new QScrollArea(this);
  scroll_->setWidgetResizable(true);
  scroll_->setFocusPolicy(Qt::NoFocus);  // what is inside has it
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(page);
  return scroll_;
}

// Above a panel that takes the height, the room is the steps': the two buttons stand beside the list, as arrows.
void LessonPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int kLow = 360;
  const bool isLow = height() < kLow;
  for (QWidget* each : std::initializer_list<QWidget*>{kept_, progressWords_}) each->setVisible(!isLow);
  if (isLow == (head_->indexOf(next_) >= 0)) return;
  if (isLow) {
    head_->insertWidget(1, previous_);
    head_->insertWidget(2, next_);
  } else {
    buttons_->addWidget(previous_);
    buttons_->addWidget(next_);
  }
  nameButtons(isLow);
  showCurrent();
}

void LessonPanel::nameButtons(bool asArrows) {
  const auto name = [asArrows](QPushButton& button, const QString& arrow, const QString& words) {
    button.setText(asArrows ? arrow : words);
    button.setAccessibleName(words);
    button.setToolTip(asPlainText(asArrows ? words : QString()));
    button.setMaximumWidth(asArrows ? kArrowWidth : QWIDGETSIZE_MAX);
  };
  name(*previous_, QStringLiteral("‹"), tr("‹ Previous"));
  name(*next_, QStringLiteral("›"), tr("Next ›"));
}

// When it has its height.
void LessonPanel::showCurrent() {
  QWidget* now = done_ < steps_.size() ? static_cast<QWidget*>(steps_[done_]) : ending_;
  QTimer::singleShot(0, now, [this, now] { scroll_->ensureWidgetVisible(now); });
}

QLayout* LessonPanel::makeFoot() {
  kept_ = new PlainLabel(tr("What you change here is kept only if you save it."), this);
  kept_->setWordWrap(true);
  kept_->setForegroundRole(QPalette::PlaceholderText);
  buttons_ = new QHBoxLayout;
  buttons_->addWidget(previous_);
  buttons_->addWidget(next_);
  auto* out = new QVBoxLayout;
  out->addWidget(kept_);
  out->addLayout(buttons_);
  return out;
}

void LessonPanel::showLesson(int lesson) {
  if (lesson < 0 || static_cast<size_t>(lesson) >= lessons().size()) return;
  lesson_ = lesson;
  idea_->setText(toQString(lessons()[static_cast<size_t>(lesson)].idea));
  makeSteps();
  previous_->setEnabled(lesson > 0);
  next_->setEnabled(static_cast<size_t>(lesson) + 1 < lessons().size());
  setStepsDone(0);
}

void LessonPanel::makeSteps() {
  setFocusProxy(nullptr);
  for (StepRow* each : std::exchange(steps_, {})) delete each;
  for (const LessonStep& step : lessons()[static_cast<size_t>(lesson_)].steps) {
    auto* row = new StepRow(step, static_cast<int>(steps_.size()) + 1, this);
    connect(row, &StepRow::answered, this, &LessonPanel::answered, Qt::QueuedConnection);
    press_.watch(*row->words());
    connect(row, &StepRow::linkChosen, this, &LessonPanel::linkChosen);
    column_->addWidget(row);
    steps_.push_back(row);
  }
  orderKeys();
}

// Tab goes through the panel as it is read; what is made last would come last.
void LessonPanel::orderKeys() {
  std::vector<QWidget*> all{idea_};
  for (const StepRow* each : steps_) {
    all.push_back(each->words());
    all.insert(all.end(), each->choices().begin(), each->choices().end());
  }
  all.insert(all.end(), {ending_, previous_, next_});
  for (size_t i = 1; i < all.size(); ++i) setTabOrder(all[i - 1], all[i]);
}

void LessonPanel::setStepsDone(size_t done) {
  for (size_t i = 0; i < steps_.size(); ++i)
    steps_[i]->setState(i < done ? StepRow::State::Done : i == done ? StepRow::State::Current : StepRow::State::Ahead);
  showProgress();
  showEnding(done == steps_.size());
  done_ = done;
  if (done < steps_.size()) {  // where keys that come to the panel begin
    const auto& choices = steps_[done]->choices();
    setFocusProxy(choices.empty() ? static_cast<QWidget*>(steps_[done]->words()) : choices.front());
  }
  showCurrent();
}

void LessonPanel::showProgress() {
  list_->clear();
  int number = 0, done = 0;
  for (const Lesson& each : lessons()) {
    list_->addItem(iconOf(isDone(each) ? QStringLiteral("done") : QStringLiteral("not-done")),
                   tr("%1  %2").arg(++number).arg(toQString(each.title)));
    list_->setItemData(number - 1, isDone(each) ? tr("%1, done").arg(toQString(each.title)) : toQString(each.title),
                       Qt::AccessibleTextRole);
    done += isDone(each);
  }
  list_->setCurrentIndex(lesson_);
  progress_->setValue(done);
  progressWords_->setText(done == number ? tr("All %1 lessons are done").arg(number)
                                         : tr("%1 of %2 lessons are done").arg(done).arg(number));
}

// What was learned and, after the last one, where one goes on.
void LessonPanel::showEnding(bool isDone) {
  ending_->setVisible(isDone);
  next_->setDefault(isDone);
  if (!isDone) return;
  const Lesson& lesson = lessons()[static_cast<size_t>(lesson_)];
  const bool isLast = static_cast<size_t>(lesson_) + 1 == lessons().size();
  QString words = tr("<p><b>Done.</b> You have seen: %1</p>").arg(toQString(lesson.learned));
  words += isLast ? tr("<p>That was the last lesson. Go on with <a href=\"new:\">a graph of your own</a>, or read "
                       "<a href=\"chapter:build\">how one is built</a>.</p>")
                  : tr("<p>Next: <a href=\"lesson:%1\">%2</a>.</p>")
                        .arg(lesson_ + 1)
                        .arg(toQString(lessons()[static_cast<size_t>(lesson_) + 1].title));
  ending_->setText(words);
  if (!isLast) next_->setFocus();
}

QString LessonPanel::ending() const { return ending_->isHidden() ? QString() : ending_->text(); }
QString LessonPanel::progress() const { return progressWords_->text(); }

}  // namespace tessera
