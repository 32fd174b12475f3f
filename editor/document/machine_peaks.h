// What this machine can do at most: as it was measured and kept in the cache folder, else measured by a worker when
// somebody first asks. Used by NodeMeasures and the panels of profile, roofline and compiled code.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <memory>

#include "core/profile/device_peaks.h"

namespace tessera {

class MachinePeaks : public QObject {
  Q_OBJECT

 public:
  static MachinePeaks& ofThisMachine();

  // Null: not measured yet.
  const std::shared_ptr<const DevicePeaks>& peaks();
  bool isMeasuring() const { return measuring_; }
  void measure();       // ready() follows; nothing where it is known or going on
  void measureAgain();  // the same, though it is known

 signals:
  void ready();

 private:
  void start();

  QThreadPool pool_;
  std::shared_ptr<const DevicePeaks> peaks_;
  bool measuring_ = false, looked_ = false;
};

}  // namespace tessera
