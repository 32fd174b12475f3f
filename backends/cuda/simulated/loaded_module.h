// PTX that is loaded: its variables in the device's memory and its kernels decoded. Used by simulated_device.cpp.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/simulated/machine/global_memory.h"
#include "backends/cuda/simulated/machine/program.h"
#include "backends/cuda/simulated/ptx/syntax.h"

namespace tessera::cuda::simulated {

class LoadedModule {
 public:
  // Fails if the PTX is invalid, is for another architecture, or needs what the simulated device lacks.
  static Result<std::unique_ptr<LoadedModule>> load(std::string_view ptx, int architecture, GlobalMemory& memory);
  LoadedModule(GlobalMemory& memory) : memory_(memory) {}
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  std::shared_ptr<const Kernel> kernel(std::string_view name) const;
  std::string kernelNames() const;  // "a, b, c"

 private:
  Status placeVariables();
  Status initialise(const Variable& variable);
  Status decodeKernels();

  GlobalMemory& memory_;
  PtxModule module_;
  std::map<std::string_view, DeviceAddress> addresses_;
  std::map<std::string, std::shared_ptr<const Kernel>, std::less<>> kernels_;
};

}  // namespace tessera::cuda::simulated
