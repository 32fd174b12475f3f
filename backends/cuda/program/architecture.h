// Architectures that kernels are made for: "sm_70" to the newest that LLVM knows. Code of one runs on all later ones,
// whose drivers compile it again; that of "sm_90a", which has wgmma, on this one alone.
#pragma once

#include <string>
#include <string_view>

#include "backends/cuda/device.h"
#include "core/base/result.h"

namespace tessera::cuda {

// The first whose tensor cores multiply bf16, and matrices that are 16 deep.
inline constexpr int kFirstWithMatrices = 80;

struct Architecture {
  std::string name;                   // "sm_90"
  std::string features;               // of LLVM's target: the least version of PTX that has it
  int number = 0;                     // 90
  unsigned sharedBytes = 0;           // that a block can ask for
  bool hasWarpgroupProducts = false;  // wgmma, and runs on no other
  bool runsOn(int device) const { return hasWarpgroupProducts ? device == number : device >= number; }
};

// The newest that is not newer than the one named ("sm_120" gives "sm_90"). ErrorKind::Usage where it is no name of an
// architecture, ErrorKind::Unsupported where it is too old.
Result<Architecture> architectureOf(std::string_view name);
// The name of the one whose code a device runs best: "sm_90a" for compute capability 9.0, where the driver knows it.
std::string bestArchitectureFor(const DeviceInfo& device);

}  // namespace tessera::cuda
