// SlotMemory: the slots of a plan in a device's memory: one arena for temporary values, constants that are
// written once, arguments and results. All of it is taken before the first run and kept; nothing leaks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/plan/device_plan.h"

namespace tessera::cuda {

class SlotMemory {
 public:
  // The device outlives it.
  SlotMemory(Device& device, const DevicePlan& plan, const Module& module)
      : device_(device), plan_(plan), module_(module) {}
  ~SlotMemory();
  SlotMemory(const SlotMemory&) = delete;
  SlotMemory& operator=(const SlotMemory&) = delete;

  // Allocates the memory and writes the constants, once. ErrorKind::Runtime tells how much is
  // needed, how much is free, and which value is the largest.
  Status prepare();
  DeviceAddress at(int slot) const { return addresses_[static_cast<size_t>(slot)]; }
  int64_t neededBytes() const;

 private:
  Result<DeviceAddress> take(int64_t bytes);
  Status takeAll();
  Status writeConstants();
  std::string shortage(const std::string& cause);
  void giveBack();

  Device& device_;
  const DevicePlan& plan_;
  const Module& module_;
  std::vector<DeviceAddress> addresses_, taken_;
};

}  // namespace tessera::cuda
