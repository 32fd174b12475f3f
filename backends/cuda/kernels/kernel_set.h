// KernelSet: the kernels of one executable, as one module of PTX. A kernel is described at once, so that the plan hears
// whether there is code for it, and compiled with all others. Equal programs are one kernel. LLVM stays behind Impl;
// the only part of backends/cuda that sees it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/program/architecture.h"
#include "backends/cuda/program/device_plan.h"
#include "core/base/result.h"
#include "core/element/element_program.h"
#include "core/element/region_program.h"

namespace llvm {
class Module;
}

namespace tessera::codegen {
struct RegionMap;
}

namespace tessera::cuda {

// A kernel that is not made of an element program. `emit` adds a function of the given name to the module.
struct KernelTemplate {
  std::string key;  // equal keys: equal kernels
  KernelLaunch launch;
  std::function<Status(llvm::Module& module, const std::string& name)> emit;
};

class KernelSet {
 public:
  static Result<std::unique_ptr<KernelSet>> make(const Architecture& architecture);
  ~KernelSet();

  // Index of the program's kernel. owner: the instruction it is named after. ErrorKind::Unsupported where there is no
  // code for the program on a device.
  Result<size_t> add(LoopProgram program, const std::string& owner);
  Result<size_t> add(const KernelTemplate& kernel, const std::string& owner);
  // A region: its parameters are map.read, then map.written.
  Result<size_t> add(const RegionProgram& region, const codegen::RegionMap& map, const std::string& owner);
  // Whether the program would have a kernel by tiles of attention; ErrorKind::Unsupported says why not.
  static Status checkAttention(const LoopProgram& program, const Architecture& architecture);
  const std::vector<KernelLaunch>& launches() const;
  const Architecture& architecture() const;

  // After the last add: the text of all kernels, as modules; each on a thread of its own, of `threads` at most (0: all
  // cores). None where there are no kernels.
  Result<std::vector<std::string>> compile(int threads = 0);
  // By kernel: which of those modules holds it.
  std::vector<uint32_t> moduleOf() const;
  // LLVM's code of a kernel, before its passes; while it is not compiled.
  std::string irOf(size_t kernel) const;

 private:
  struct Impl;
  explicit KernelSet(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::cuda
