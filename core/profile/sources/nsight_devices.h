// Which GPU a process means: each numbers the devices that it sees from 0. Used by the reader of Nsight's export.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

using ProcessDevice = std::pair<int64_t, int64_t>;  // the process's global id, the device's number there

// A row of TARGET_INFO_CUDA_DEVICE.
struct KnownDevice {
  int64_t pid = 0;
  int64_t number = 0;  // in that process
  int64_t gpu = 0;     // the key of TARGET_INFO_GPU
  std::string uuid;    // may be empty
};

// "/device:GPU:0", with the process where others mean another device by that number. A device of several processes is
// called as by the first. Without a row, devices of two processes are two.
std::map<ProcessDevice, std::string> deviceNames(const std::set<ProcessDevice>& used,
                                                 const std::vector<KnownDevice>& known);

// The operating system's numbers in a global id, whose upper 16 bits are the machine's.
constexpr int64_t pidOf(int64_t globalId) { return globalId >> 24 & 0xffffff; }
constexpr int64_t tidOf(int64_t globalId) { return globalId & 0xffffff; }
constexpr int64_t processOf(int64_t globalId) { return globalId & ~int64_t{0xffffff}; }

}  // namespace tessera
