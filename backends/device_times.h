// One module on two devices: what each instruction took on either, side by side. Used by `tessera compare --times` and
// the studio.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/profile/profile.h"

namespace tessera {

// Of an instruction of the source module, in one run.
struct NodeTimes {
  InstructionId instruction;
  double leftNs = 0, rightNs = 0;  // 0: it takes no time of its own there
  bool leftMeasured = false, rightMeasured = false;
};
struct DeviceTimes {
  double leftNs = 0, rightNs = 0;  // of a run, copies to and from a card included
  std::vector<NodeTimes> nodes;    // by instruction
};

// left, right: backends with their devices ("cpu", "cuda:0"); of `runs` profiled ones after one to warm up, the median.
Result<DeviceTimes> timesOnDevices(const Module& module, std::span<const Literal> arguments, const std::string& left,
                                   const std::string& right, int runs, const std::atomic<bool>* cancel = nullptr);

}  // namespace tessera
