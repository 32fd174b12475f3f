// What this machine can do at most, measured once a session by a worker when somebody first asks. Used by ProfilePanel.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <memory>

#include "core/profile/op_times.h"

namespace tessera {

class MachinePeaks : public QObject {
  Q_OBJECT

 public:
  static MachinePeaks& ofThisMachine();

  // Null: not measured yet.
  const std::shared_ptr<const DevicePeaks>& peaks() const { return peaks_; }
  bool isMeasuring() const { return measuring_; }
  void measure();  // ready() follows; nothing where it is known or going on

 signals:
  void ready();

 private:
  QThreadPool pool_;
  std::shared_ptr<const DevicePeaks> peaks_;
  bool measuring_ = false;
};

}  // namespace tessera
