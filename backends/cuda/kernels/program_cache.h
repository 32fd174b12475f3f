// ProgramCache: what a compilation makes, kept between processes in a codegen/code_cache: whole programs (plan and PTX)
// by the optimised module, and the driver's code of each module of PTX by driver and architecture.
#pragma once

#include <optional>
#include <string>

#include "backends/codegen/code_cache.h"
#include "backends/cuda/device.h"
#include "backends/cuda/program/architecture.h"
#include "backends/cuda/program/device_plan.h"
#include "core/hlo/module.h"

namespace tessera::cuda {

class ProgramCache {
 public:
  // folder "": off.
  explicit ProgramCache(const std::string& folder) : cache_(folder) {}

  bool isOn() const { return cache_.isOn(); }
  // libraries: what of NVIDIA's is here, which a plan may use.
  codegen::CodeKey keyOf(const Module& optimized, const Architecture& architecture, const std::string& libraries) const;
  std::optional<DeviceProgram> find(const codegen::CodeKey& key) const;
  void store(const codegen::CodeKey& key, DeviceProgram& program);

  // The device's code of PTX; isFresh: what is kept is not used, since the device refuses it.
  Result<std::string> assemble(Device& device, const std::string& ptx, bool isFresh);

 private:
  codegen::CodeCache cache_;
};

}  // namespace tessera::cuda
