// Both clocks round every outermost event.
#include "app/studio/studio_application.h"

#include <time.h>

namespace tessera {
namespace {

constexpr double kBudgetMs = 50;

double millisecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void note(StudioApplication::Longest& longest, double ms, const char* receiver, int event) {
  if (ms > kBudgetMs) ++longest.overBudget;
  if (ms <= longest.ms) return;
  longest.ms = ms;
  longest.what = QStringLiteral("%1, event %2").arg(QLatin1String(receiver)).arg(event);
}

}  // namespace

bool StudioApplication::notify(QObject* receiver, QEvent* event) {
  if (depth_ > 0) return QApplication::notify(receiver, event);
  const char* name = receiver->metaObject()->className();  // outlives the receiver
  const int type = event->type();
  ++depth_;
  const double clock = millisecondsOf(CLOCK_MONOTONIC), processor = millisecondsOf(CLOCK_THREAD_CPUTIME_ID);
  const bool handled = QApplication::notify(receiver, event);
  note(byClock_, millisecondsOf(CLOCK_MONOTONIC) - clock, name, type);
  note(byProcessor_, millisecondsOf(CLOCK_THREAD_CPUTIME_ID) - processor, name, type);
  --depth_;
  return handled;
}

void StudioApplication::resetTiming() {
  byClock_ = {};
  byProcessor_ = {};
}

}  // namespace tessera
