// See machine_peaks.h.
#include "editor/document/machine_peaks.h"

#include <utility>

#include "backends/machine_peaks.h"

namespace tessera {

MachinePeaks& MachinePeaks::ofThisMachine() {
  static MachinePeaks out;
  return out;
}

const std::shared_ptr<const DevicePeaks>& MachinePeaks::peaks() {
  if (!std::exchange(looked_, true))
    if (auto kept = keptPeaks()) peaks_ = std::make_shared<const DevicePeaks>(*std::move(kept));
  return peaks_;
}

void MachinePeaks::measure() {
  if (!peaks() && !measuring_) start();
}

void MachinePeaks::measureAgain() {
  if (!measuring_) start();
}

void MachinePeaks::start() {
  measuring_ = true;
  pool_.start([this] {
    auto found = std::make_shared<const DevicePeaks>(measurePeaks());
    QMetaObject::invokeMethod(
        this,
        [this, found] {
          peaks_ = found;
          measuring_ = false;
          emit ready();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace tessera
