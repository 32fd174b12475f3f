// The time of a step on many devices, from what one device's own work takes and from the links between them. Each
// device keeps its work, the arrays of collectives keep their size, and one axis of the grid grows. Communication that
// is split into start and done is hidden behind the work between them. Used by `tessera scale`.
#pragma once

#include <string>
#include <vector>

#include "core/devices/communicator.h"
#include "core/hlo/module.h"
#include "core/profile/profile.h"
#include "core/scaling/collective_time.h"

namespace tessera {

// A collective of one device's program.
struct Communication {
  std::string name;  // "%ar (all-reduce)"
  Movement movement = Movement::AllReduce;
  double bytes = 0;
  double times = 0;                   // in a step
  int64_t groupSize = 1, stride = 1;  // devices of a group, and from one to the next; of pairs: all devices
  double hiddenSeconds = 0;           // work between its start and its done
};

// Of one device.
struct DeviceWork {
  DeviceGrid grid;
  double computeSeconds = 0;
  std::vector<Communication> communications;
};
// profile: of runs of device 0 of the grid alone (EchoCommunicator), in terms of `optimized`.
DeviceWork workOf(const Module& optimized, const Profile& profile, DeviceGrid grid);

enum class GridAxis : uint8_t { Replicas, Partitions };
// Replicas where a collective joins them or nothing is joined, else partitions.
GridAxis likelyAxis(const DeviceWork& work);

struct StepPrediction {
  DeviceGrid grid;
  double computeSeconds = 0, communicationSeconds = 0;
  double exposedSeconds = 0;  // of communication, which the device waits for
  double stepSeconds() const { return computeSeconds + exposedSeconds; }
  double efficiency() const { return stepSeconds() > 0 ? computeSeconds / stepSeconds() : 1; }
};
// The grid with so many devices; ErrorKind::Usage where the other axis does not divide them.
Result<DeviceGrid> grownGrid(const DeviceWork& work, GridAxis axis, int64_t devices);
StepPrediction predictStep(const DeviceWork& work, const Links& links, DeviceGrid grid);

}  // namespace tessera
