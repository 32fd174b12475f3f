// The CUDA backend: Module -> optimised Module -> plan and kernels -> Executable on a card, or on the simulated device.
// `compileOn` is the contents page.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "backends/backend.h"
#include "backends/cpu/dynamic_entry.h"
#include "backends/cpu/plan/detach_bitcasts.h"
#include "backends/cuda/device.h"
#include "backends/cuda/kernels/kernel_set.h"
#include "backends/cuda/plan/device_plan_builder.h"
#include "backends/cuda/run/cuda_executable.h"
#include "core/passes/buffers/buffer_assignment.h"
#include "core/passes/pipeline.h"
#include "core/passes/rewriter.h"

namespace tessera::cuda {

namespace {

// Fusions that the CPU runs by tiles of rows.
constexpr std::string_view kCpuPasses[] = {"fuse-gemm-chains", "fuse-convolution-epilogues"};
constexpr std::string_view kDefaultSimulated = "sm_80";
constexpr int64_t kSimulatedBytes = int64_t{8} << 30;

class CudaBackend final : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }
  Result<std::unique_ptr<Executable>> compile(const Module& module, const CompileOptions& options) override;
};

// What code is made for, and what runs it; a null device: nothing here does.
struct Target {
  std::unique_ptr<Device> device;
  std::string architecture;
};

std::unexpected<Diagnostic> noSuchDevice(const std::string& name) {
  return fail({.kind = ErrorKind::Usage,
               .message = fmt::format("there is no device \"{}\"", name),
               .expected = "a card's number, simulated, or simulated:sm_90"});
}

// What follows "simulated": an architecture, and the bytes of its memory.
Result<Target> openSimulated(const std::string& name, std::string_view words) {
  std::string architecture(kDefaultSimulated);
  int64_t bytes = kSimulatedBytes;
  if (!words.empty()) {
    if (words[0] != ':') return noSuchDevice(name);
    const size_t colon = words.find(':', 1);
    architecture = words.substr(1, colon == std::string_view::npos ? colon : colon - 1);
    if (colon != std::string_view::npos) {
      const auto [end, error] = std::from_chars(words.data() + colon + 1, words.data() + words.size(), bytes);
      if (error != std::errc() || end != words.data() + words.size() || bytes < 0) return noSuchDevice(name);
    }
  }
  TESSERA_ASSIGN_OR_RETURN(const Architecture known, architectureOf(architecture));
  return Target{makeSimulatedDevice(known.name, bytes), known.name};
}

// "simulated", "simulated:sm_90", "simulated:sm_90:1048576", "sm_90" (for another machine), a card's number; "": the
// first card.
Result<Target> openTarget(const std::string& name) {
  constexpr std::string_view kSimulated = "simulated";
  if (name.starts_with(kSimulated)) return openSimulated(name, std::string_view(name).substr(kSimulated.size()));
  if (name.starts_with("sm_")) return Target{nullptr, name};
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (!name.empty() && (error != std::errc() || end != name.data() + name.size() || number < 0))
    return noSuchDevice(name);
  TESSERA_ASSIGN_OR_RETURN(auto device, openDevice(number));
  const std::string architecture = device->info().architecture();
  return Target{std::move(device), architecture};
}

Status refuseDynamic(const Module& module) {
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : module.at(computation).instructions)
      for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(id)))
        if (leaf.shape->hasDynamicDimensions())
          return fail(placedAt(
              module.at(id),
              {.kind = ErrorKind::Unsupported,
               .message = fmt::format("the cuda backend cannot run {}: dynamic dimensions", module.at(id).name)}));
  return {};
}

Result<std::unique_ptr<Executable>> compileOn(Target target, const Module& module, const CompileOptions& options) {
  const auto stage = [&](std::string_view what, double fraction) -> Status {
    if (options.progress) options.progress(what, fraction);
    if (options.cancel && options.cancel->load()) return failCancelled();
    return {};
  };
  TESSERA_ASSIGN_OR_RETURN(const Architecture architecture, architectureOf(target.architecture));
  auto program = std::make_unique<CudaProgram>();
  program->source = module;
  TESSERA_TRY(stage("optimize", 0.0));
  TESSERA_ASSIGN_OR_RETURN(program->optimized, optimize(module, {}, options.cancel, kCpuPasses));
  TESSERA_TRY(cpu::detachBitcasts(program->optimized));
  TESSERA_TRY(refuseDynamic(program->optimized));
  TESSERA_TRY(stage("plan", 0.2));
  TESSERA_ASSIGN_OR_RETURN(const BufferAssignment buffers, assignBuffers(program->optimized));
  TESSERA_ASSIGN_OR_RETURN(const auto kernels, KernelSet::make(architecture));
  TESSERA_ASSIGN_OR_RETURN(program->plan, buildDevicePlan(program->optimized, buffers, *kernels, options.customCalls));
  program->launches = kernels->launches();
  program->architecture = architecture.name;
  TESSERA_TRY(stage("generate code", 0.4));
  TESSERA_ASSIGN_OR_RETURN(program->ptx, kernels->compile());
  TESSERA_TRY(stage("load code", 0.9));
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                           CudaExecutable::make(std::move(program), std::move(target.device)));
  TESSERA_TRY(stage("done", 1.0));
  return cpu::hasDynamicEntry(module) ? cpu::makeDynamicEntry(module, std::move(executable)) : std::move(executable);
}

Result<std::unique_ptr<Executable>> CudaBackend::compile(const Module& module, const CompileOptions& options) {
  try {
    TESSERA_ASSIGN_OR_RETURN(Target target, openTarget(options.device));
    return compileOn(std::move(target), module, options);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::Runtime, "not enough memory to compile");
  }
}

}  // namespace

}  // namespace tessera::cuda

// The entry point that the registry looks up when it opens this module; the caller owns the result.
extern "C" tessera::Backend* tesseraCreateBackend() { return new tessera::cuda::CudaBackend; }
