// See tour_panel.h.
#include "editor/lessons/tour_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "editor/look/icon.h"
#include "editor/look/type_scale.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kTourWidth = 340;

}  // namespace

TourPanel::TourPanel(QWidget* parent)
    : QWidget(parent),
      tour_(new PlainLabel(this)),
      title_(new PlainLabel(this)),
      words_(new PlainLabel(this)),
      place_(new PlainLabel(this)),
      problem_(new ErrorLabel(this)),
      previous_(new QPushButton(tr("‹ Previous"), this)),
      next_(new QPushButton(tr("Next ›"), this)) {
  setFixedWidth(kTourWidth);
  setAutoFillBackground(true);
  QFont larger = sized(title_->font(), TypeSize::Heading);
  larger.setBold(true);
  title_->setFont(larger);
  words_->setTextFormat(Qt::MarkdownText);  // of the program's own files
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words_->setAlignment(Qt::AlignTop);
  for (QLabel* each : {tour_, title_, words_, problem_}) each->setWordWrap(true);
  tour_->setForegroundRole(QPalette::PlaceholderText);
  auto* close = new QToolButton(this);
  showIcon(*close, "close", tr("Close the tour"));
  close->setAutoRaise(true);
  auto* head = new QHBoxLayout;
  head->addWidget(tour_, 1);
  head->addWidget(close, 0, Qt::AlignTop);
  auto* page = new QWidget;
  auto* inside = new QVBoxLayout(page);
  inside->setContentsMargins(0, 0, 8, 0);
  inside->addWidget(title_);
  inside->addWidget(words_, 1);
  scroll_ = new QScrollArea(this);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(page);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(previous_);
  buttons->addWidget(place_, 1, Qt::AlignCenter);
  buttons->addWidget(next_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 12);
  layout->addLayout(head);
  layout->addSpacing(8);
  layout->addWidget(scroll_, 1);
  layout->addWidget(problem_);
  layout->addLayout(buttons);
  connect(previous_, &QPushButton::clicked, this, [this] { emit stepWanted(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { emit stepWanted(step_ + 1); });
  connect(close, &QToolButton::clicked, this, &TourPanel::closed);
  hide();
}

void TourPanel::showStep(const Tour& tour, int step) {
  step_ = step;
  steps_ = static_cast<int>(tour.steps.size());
  const TourStep& shown = tour.steps[static_cast<size_t>(step)];
  tour_->setText(tour.title);
  title_->setText(shown.title);
  words_->setText(shown.words);
  place_->setText(tr("%1 of %2").arg(step + 1).arg(steps_));
  showProblem({});
  show();
}

// A button that is disabled hands the focus on, at last to the one that closes: a second press of Space would end the
// tour. So it waits beside the buttons.
void TourPanel::setBusy(bool busy) {
  QPushButton* held = next_->hasFocus() ? next_ : previous_->hasFocus() ? previous_ : nullptr;
  if (busy && held) {
    waiting_ = held;
    scroll_->setFocus();
  }
  previous_->setEnabled(!busy && step_ > 0);
  next_->setEnabled(!busy && step_ + 1 < steps_);
  if (busy || !waiting_) return;
  QPushButton* back = std::exchange(waiting_, nullptr);
  (back->isEnabled() ? back : back == next_ ? previous_ : next_)->setFocus();
}

void TourPanel::showProblem(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
}

QString TourPanel::words() const { return title_->text() + QLatin1Char('\n') + words_->text(); }
QString TourPanel::problem() const { return problem_->text(); }

}  // namespace tessera
