// The clock round every outermost event.
#include "app/studio/studio_application.h"

#include <chrono>

namespace tessera {
namespace {
constexpr double kBudgetMs = 50;
}

bool StudioApplication::notify(QObject* receiver, QEvent* event) {
  if (depth_ > 0) return QApplication::notify(receiver, event);
  const QString name = QLatin1String(receiver->metaObject()->className());  // the receiver may die meanwhile
  const int type = event->type();
  ++depth_;
  const auto begin = std::chrono::steady_clock::now();
  const bool handled = QApplication::notify(receiver, event);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  --depth_;
  if (ms > kBudgetMs) ++overBudget_;
  if (ms > longestMs_) {
    longestMs_ = ms;
    longestWhat_ = QStringLiteral("%1, event %2").arg(name).arg(type);
  }
  return handled;
}

void StudioApplication::resetTiming() {
  longestMs_ = 0;
  overBudget_ = 0;
  longestWhat_.clear();
}

}  // namespace tessera
