// See machine_peaks.h.
#include "editor/document/machine_peaks.h"

#include <algorithm>

#include "backends/roofline.h"

namespace tessera {
namespace {

DevicePeaks peaksOf(const Roofline& roofline) {
  DevicePeaks out;
  out.name = roofline.processor;
  for (const ArithmeticPeak& peak : roofline.arithmetic) out.flopsPerSecond[peak.type] = peak.allCores;
  for (const MemoryPeak& peak : roofline.memory)
    if (peak.level == "memory") out.bytesPerSecond = std::max(out.bytesPerSecond, peak.allCores);
  return out;
}

}  // namespace

MachinePeaks& MachinePeaks::ofThisMachine() {
  static MachinePeaks out;
  return out;
}

void MachinePeaks::measure() {
  constexpr double kSeconds = 0.02;  // a figure
  if (peaks_ || measuring_) return;
  measuring_ = true;
  pool_.start([this] {
    auto found = std::make_shared<const DevicePeaks>(peaksOf(measureRoofline(kSeconds)));
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
