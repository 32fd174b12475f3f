// See tour_guide.h.
#include "app/studio/start/tour_guide.h"

#include <QFileInfo>

#include "app/studio/start/start_page.h"
#include "editor/lessons/tour_panel.h"

namespace tessera {

TourGuide::TourGuide(TourPanel& panel, std::function<bool()> isBusy, QObject* parent)
    : QObject(parent), panel_(panel), isBusy_(std::move(isBusy)) {
  constexpr int kTickMs = 30;
  tick_.setInterval(kTickMs);
  connect(&tick_, &QTimer::timeout, this, &TourGuide::playNext);
  connect(&panel_, &TourPanel::stepWanted, this, &TourGuide::showStep);
  connect(&panel_, &TourPanel::closed, this, &TourGuide::end);
}

QString TourGuide::folder() {
  const QString examples = StartPage::examplesFolder();
  const QString out = examples + QStringLiteral("/tours");
  return !examples.isEmpty() && QFileInfo(out).isDir() ? out : QString();
}

void TourGuide::begin(const Tour& tour) {
  tour_ = tour;
  showStep(0);
}

void TourGuide::end() {
  tick_.stop();
  left_.clear();
  tour_.reset();
  panel_.hide();
}

void TourGuide::showStep(int step) {
  if (!tour_ || step < 0 || static_cast<size_t>(step) >= tour_->steps.size()) return;
  left_ = tour_->steps[static_cast<size_t>(step)].commands;
  panel_.showStep(*tour_, step);
  panel_.setBusy(!left_.isEmpty());
  if (!left_.isEmpty()) tick_.start();
}

// An error of a command is shown, and the commands behind it are not played: the text would not match the picture.
void TourGuide::playNext() {
  if (isBusy_()) return;
  if (!left_.isEmpty()) {
    const QString command = left_.takeFirst();
    const Status played = player_ ? player_(command) : Status(fail("nothing plays the commands of this tour"));
    if (played) return;
    left_.clear();
    panel_.showProblem(QString::fromStdString(played.error().toString()));
  }
  tick_.stop();
  panel_.setBusy(false);
}

}  // namespace tessera
