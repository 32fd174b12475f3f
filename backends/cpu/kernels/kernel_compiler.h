// KernelCompiler: kernels and register tiles to machine code, several to an LLVM module. One a thread.
// Calls codegen, is used by KernelLibrary; the only file of this folder that runs LLVM's passes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/codegen/nest/kernel_nest.h"
#include "backends/cpu/kernels/host_processor.h"
#include "backends/cpu/kernels/kernel_code.h"
#include "backends/runtime/gemm/tile_shape.h"
#include "core/base/result.h"
#include "core/element/element_program.h"
#include "core/element/region_program.h"

namespace tessera::cpu {

// What is to be compiled; `tile` or `region` instead of a program.
struct KernelSource {
  LoopProgram program;
  std::optional<codegen::TileShape> tile;
  std::optional<RegionProgram> region;
  std::string owner;     // the instruction that errors name
  bool streams = false;  // results are stored with non-temporal stores (KernelNest::streams)
};

struct KernelMarks;  // marked_assembly.h

// How a kernel of the program runs: the number of items that its nest can be split into.
Result<codegen::KernelNest> nestOf(const LoopProgram& program, const codegen::Target& target);

// For readers: a kernel before and after LLVM's passes, and its assembly.
struct KernelListing {
  std::string before, after, assembly;
};

class KernelCompiler {
 public:
  explicit KernelCompiler(const HostProcessor& host);
  ~KernelCompiler();

  // In the order of the sources.
  Result<std::vector<KernelCode>> compile(std::span<const KernelSource* const> sources);
  // The assembly with the marks, if there are any.
  Result<KernelListing> list(const KernelSource& source, const KernelMarks& marks);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::cpu
