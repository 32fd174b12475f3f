// See nsight_devices.h.
#include "core/profile/sources/nsight_devices.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// Equal for what is one device.
std::string identityOf(const ProcessDevice& device, const std::vector<KnownDevice>& known) {
  const auto [process, number] = device;
  const auto row = std::ranges::find_if(known, [&, number = number](const KnownDevice& each) {
    return each.pid == pidOf(process) && each.number == number;
  });
  if (row == known.end()) return fmt::format("process {} device {}", process, number);
  if (!row->uuid.empty()) return row->uuid;
  return fmt::format("machine {} gpu {}", process >> 48, row->gpu);
}

}  // namespace

std::map<ProcessDevice, std::string> deviceNames(const std::set<ProcessDevice>& used,
                                                 const std::vector<KnownDevice>& known) {
  std::map<std::string, ProcessDevice> firstOf;  // by identity
  for (const ProcessDevice& device : used) firstOf.try_emplace(identityOf(device, known), device);
  std::map<int64_t, int> devices;  // by the number that they are called
  for (const auto& [identity, first] : firstOf) ++devices[first.second];
  std::map<ProcessDevice, std::string> out;
  for (const ProcessDevice& device : used) {
    const auto [process, number] = firstOf.at(identityOf(device, known));
    const bool isAlone = devices.at(number) == 1;
    out[device] = fmt::format("/device:GPU:{}{}", number, isAlone ? "" : fmt::format(" of process {}", pidOf(process)));
  }
  return out;
}

}  // namespace tessera
