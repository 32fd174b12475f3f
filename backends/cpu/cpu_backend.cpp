// The CPU backend: Module -> optimised Module -> plan and kernels -> Executable. `compile` is the contents page.
#include <execinfo.h>

#include <algorithm>
#include <thread>

#include "backends/backend.h"
#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/dynamic_entry.h"
#include "backends/cpu/kernels/host_processor.h"
#include "backends/cpu/kernels/within_memory.h"
#include "backends/cpu/plan/detach_bitcasts.h"
#include "backends/cpu/plan/plan_checks.h"
#include "backends/cpu/plan_builder.h"
#include "core/passes/buffers/buffer_assignment.h"
#include "core/passes/partition/partition.h"
#include "core/passes/pipeline.h"

namespace tessera::cpu {

namespace {

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }
  Result<std::unique_ptr<Executable>> compile(const Module& module, const CompileOptions& options) override;
};

Result<std::unique_ptr<Executable>> compileStages(const Module& module, const CompileOptions& options);

Status checkCancelled(const CompileOptions& options) {
  if (!options.cancel || !options.cancel->load()) return {};
  return failCancelled();
}

Result<std::unique_ptr<Executable>> CpuBackend::compile(const Module& module, const CompileOptions& options) {
  return withinMemory([&] { return compileStages(module, options); });
}

Result<std::unique_ptr<Executable>> compileStages(const Module& source, const CompileOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const Module module, partitionedAsSaid(source));
  int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  auto stage = [&](std::string_view what, double fraction) -> Status {
    if (options.progress) options.progress(what, fraction);
    return checkCancelled(options);
  };
  if (options.isa != "native" && options.isa != "avx2" && options.isa != "sse4" &&
      !(options.keepsCode && isLevel(options.isa)))
    return fail(ErrorKind::Usage, "there is no instruction set \"" + options.isa + "\" (native, avx2, sse4)");
  TESSERA_TRY(stage("optimize", 0.0));
  TESSERA_ASSIGN_OR_RETURN(Module optimized, optimize(module, {}, options.cancel));
  TESSERA_TRY(detachBitcasts(optimized));
  TESSERA_TRY(checkStaticShapes(optimized));
  TESSERA_TRY(stage("plan", 0.2));
  TESSERA_ASSIGN_OR_RETURN(BufferAssignment buffers, assignBuffers(optimized, !options.keepsCode));
  auto kernels = std::make_unique<KernelLibrary>(options);
  TESSERA_ASSIGN_OR_RETURN(Plan plan, buildPlan(optimized, buffers, *kernels, {options.customCalls, threads}));
  TESSERA_TRY(stage("generate code", 0.4));
  TESSERA_TRY(kernels->compile(threads, options.cancel));
  TESSERA_TRY(stage("done", 1.0));
  auto executable = std::make_unique<CpuExecutable>(module, std::move(optimized), std::move(plan), std::move(kernels),
                                                    ThreadPool::shared(threads));
  return hasDynamicEntry(module) ? makeDynamicEntry(module, std::move(executable)) : std::move(executable);
}

}  // namespace

}  // namespace tessera::cpu

// The entry point that the registry looks up when it opens this module; the caller owns the result.
extern "C" tessera::Backend* tesseraCreateBackend() {
  // The C library opens what it needs to unwind its own frames when it first does: now, not when memory has ended.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
  return new tessera::cpu::CpuBackend;
}
