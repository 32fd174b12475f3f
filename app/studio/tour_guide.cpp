// See tour_guide.h.
#include "app/studio/tour_guide.h"

#include <QFileInfo>

#include "app/studio/script/script.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/main_window.h"
#include "editor/lessons/tour_panel.h"

namespace tessera {

TourGuide::TourGuide(MainWindow& window, TourPanel& panel) : QObject(&window), window_(window), panel_(panel) {
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

// A command that fails is told; those behind it would show something else than the words say.
void TourGuide::playNext() {
  if (window_.isBusy()) return;
  if (!left_.isEmpty()) {
    const Status played = startCommand(window_, left_.takeFirst());
    if (played) return;
    left_.clear();
    panel_.showProblem(QString::fromStdString(played.error().toString()));
  }
  tick_.stop();
  panel_.setBusy(false);
}

}  // namespace tessera
