// KernelLibrary: the compiled kernels of one executable. Equal programs are compiled once; kernels that an earlier
// process compiled come from the cache, the rest are compiled in batches on several threads. LLVM stays behind Impl.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/codegen/nest/kernel_nest.h"
#include "backends/cpu/kernels/kernel_code.h"
#include "backends/runtime/gemm/tile_shape.h"
#include "backends/runtime/step.h"
#include "core/base/result.h"
#include "core/element/element_program.h"
#include "core/element/region_program.h"

namespace tessera::cpu {

struct KernelListing;
struct KernelMarks;
struct KernelSource;

class KernelLibrary {
 public:
  explicit KernelLibrary(const CompileOptions& options);
  ~KernelLibrary();
  // Index of the program's kernel. owner: the instruction that errors name. streams: its results are stored with
  // non-temporal stores.
  Result<size_t> add(LoopProgram program, std::string owner, bool streams = false);
  // Index of a contraction's register tile (codegen/contraction_tile.h has its signature).
  size_t addTile(const codegen::TileShape& tile);
  // Index of a region, which is called with [0, 1) (codegen/region_emitter.h). owner: as above.
  size_t addRegion(RegionProgram region, std::string owner);
  // The kernels that were requested since the last call.
  std::vector<size_t> takeMentioned();
  const codegen::Target& target() const;  // the processor that kernels are made for
  // Work of a library that the first run would have to do else (its own code generation). Begins at once in a thread of
  // its own; the library itself makes a run wait for it that needs it.
  void prepare(std::function<void()> work);
  Status compile(int threads, const std::atomic<bool>* cancel);
  const CompiledKernel* kernels() const {
    return kernels_.data();
  }  // by index; filled by compile, does not move after it
  size_t size() const;
  KernelCounts counts() const;
  // With keepsCode, once compiled: the machine code of all kernels, and the processor's features that it may use
  // ("avx2,fma").
  std::span<const KernelCode> codes() const;
  const std::string& features() const;
  // The kernel for readers: compiled once more.
  Result<KernelListing> list(size_t index, const KernelMarks& marks) const;
  const KernelSource& source(size_t index) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::vector<CompiledKernel> kernels_;
};

}  // namespace tessera::cpu
