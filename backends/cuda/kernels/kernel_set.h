// KernelSet: the kernels of one executable, as one module of PTX. A kernel is described at once, so that the plan hears
// whether there is code for it, and compiled with all others. Equal programs are one kernel. LLVM stays behind Impl;
// the only part of backends/cuda that sees it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/kernels/architecture.h"
#include "core/base/result.h"
#include "core/element/element_program.h"

namespace llvm {
class Module;
}

namespace tessera::cuda {

// How a kernel is launched: the addresses of its arrays are its parameters, operands first.
struct KernelLaunch {
  std::string name;
  int64_t blocks = 1;
  unsigned blockThreads = 1;
  std::string text;  // how items are spread, for readers
};

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
  const std::vector<KernelLaunch>& launches() const;
  const Architecture& architecture() const;

  // After the last add: the text of all kernels. "" where there are none.
  Result<std::string> compile();
  // LLVM's code of a kernel, before its passes; while it is not compiled.
  std::string irOf(size_t kernel) const;

 private:
  struct Impl;
  explicit KernelSet(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::cuda
