// Libraries: what NVIDIA's libraries compute on a device where they are installed. Which calls they take is known
// before a plan is made; what they do not take, kernels of our own do.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/program/library_call.h"

namespace tessera::cuda {

class Libraries {
 public:
  // The device outlives it. Of a device that is no card there are none.
  static std::unique_ptr<Libraries> open(Device& device);
  virtual ~Libraries() = default;

  // The library that takes the call, with its version: "cuBLASLt 13.1". Fills in workspaceBytes. ErrorKind::Unsupported
  // says why none does.
  virtual Result<std::string> choose(LibraryCall& call) = 0;
  virtual Status run(const LibraryCall& call, std::span<const DeviceAddress> operands,
                     std::span<const DeviceAddress> results, DeviceAddress workspace, StreamId stream) = 0;
  // What they are, for keys of caches: another version may choose otherwise.
  virtual std::string versions() const = 0;
};

}  // namespace tessera::cuda
