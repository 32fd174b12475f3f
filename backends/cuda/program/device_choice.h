// Devices by the names that people give them: "0" or another card's number, "simulated", "simulated:sm_90",
// "simulated:sm_90:1048576" (with so many bytes of memory); "": the first card.
#pragma once

#include <memory>
#include <string>

#include "backends/cuda/device.h"

namespace tessera::cuda {

// What a name means, before anything is opened.
struct DeviceChoice {
  bool isSimulated = false;
  bool isOpen = false;  // the name was "": any card will do
  int ordinal = 0;
  std::string architecture;  // of a simulated one; "": not said
  int64_t memoryBytes = int64_t{8} << 30;
};

// ErrorKind::Usage on a name that means nothing.
Result<DeviceChoice> readDeviceChoice(const std::string& name);
// defaultArchitecture: of a simulated device whose name says none.
Result<std::unique_ptr<Device>> openChosen(const DeviceChoice& choice, const std::string& defaultArchitecture);

}  // namespace tessera::cuda
