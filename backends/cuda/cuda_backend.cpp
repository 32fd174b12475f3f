// The CUDA backend: Module -> optimised Module -> plan and kernels -> Executable on a card, or on the simulated device.
// `compileOn` is the contents page.
#include <fmt/format.h>

#include "backends/backend.h"
#include "backends/cpu/dynamic_entry.h"
#include "backends/cpu/plan/detach_bitcasts.h"
#include "backends/cuda/device.h"
#include "backends/cuda/kernels/kernel_set.h"
#include "backends/cuda/kernels/program_cache.h"
#include "backends/cuda/libraries/libraries.h"
#include "backends/cuda/plan/device_plan_builder.h"
#include "backends/cuda/program/device_choice.h"
#include "backends/cuda/roofline/device_roofline.h"
#include "backends/cuda/run/cuda_executable.h"
#include "core/base/units.h"
#include "core/passes/buffers/buffer_assignment.h"
#include "core/passes/partition/partition.h"
#include "core/passes/pipeline.h"
#include "core/passes/rewriter.h"

namespace tessera::cuda {

namespace {

constexpr const char* kDefaultSimulated = "sm_80";

class CudaBackend final : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }
  Result<std::unique_ptr<Executable>> compile(const Module& module, const CompileOptions& options) override;
  Result<Roofline> roofline(const std::string& device, double seconds) override;
  std::vector<DeviceEntry> devices() override;
};

// What code is made for, and what runs it; a null device: nothing here does.
struct Target {
  std::unique_ptr<Device> device;
  DeviceChoice choice;
  std::string architecture;
};

// "sm_90": code alone, for another machine; else a device by its name. number: of this device among those of the run.
Result<Target> openTarget(const std::string& name, int number) {
  if (name.starts_with("sm_")) return Target{nullptr, {}, name};
  TESSERA_ASSIGN_OR_RETURN(DeviceChoice choice, readDeviceChoice(name));
  if (choice.isOpen && number > 0) {
    TESSERA_ASSIGN_OR_RETURN(const auto cards, listDevices());
    choice.ordinal = number % static_cast<int>(cards.size());
  }
  TESSERA_ASSIGN_OR_RETURN(auto device, openChosen(choice, kDefaultSimulated));
  const std::string architecture = bestArchitectureFor(device->info());
  return Target{std::move(device), choice, architecture};
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

using Stage = std::function<Status(std::string_view what, double fraction)>;

Result<DeviceProgram> makeProgram(const Module& optimized, const Architecture& architecture, const PlanOptions& options,
                                  int threads, const Stage& stage) {
  DeviceProgram out;
  TESSERA_TRY(stage("plan", 0.2));
  TESSERA_ASSIGN_OR_RETURN(const BufferAssignment buffers, assignBuffers(optimized));
  TESSERA_ASSIGN_OR_RETURN(const auto kernels, KernelSet::make(architecture));
  TESSERA_ASSIGN_OR_RETURN(out.plan, buildDevicePlan(optimized, buffers, *kernels, options));
  out.architecture = architecture.name;
  out.launches = kernels->launches();
  out.moduleOf = kernels->moduleOf();
  TESSERA_TRY(stage("generate code", 0.4));
  TESSERA_ASSIGN_OR_RETURN(out.ptx, kernels->compile(threads));
  return out;
}

// From the cache, or made. A user's own targets of custom calls are not part of the key.
Result<DeviceProgram> programOf(const Module& optimized, const Architecture& architecture, const PlanOptions& options,
                                int threads, ProgramCache& cache, const Stage& stage) {
  if (!cache.isOn() || options.customCalls) return makeProgram(optimized, architecture, options, threads, stage);
  const codegen::CodeKey key =
      cache.keyOf(optimized, architecture, options.libraries ? options.libraries->versions() : "");
  if (auto known = cache.find(key)) {
    known->isFromCache = true;
    return *std::move(known);
  }
  TESSERA_ASSIGN_OR_RETURN(DeviceProgram out, makeProgram(optimized, architecture, options, threads, stage));
  cache.store(key, out);
  return out;
}

Result<std::unique_ptr<Executable>> compileOn(Target target, const Module& source, const CompileOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const Module module, partitionedAsSaid(source));
  const auto stage = [&](std::string_view what, double fraction) -> Status {
    if (options.progress) options.progress(what, fraction);
    if (options.cancel && options.cancel->load()) return failCancelled();
    return {};
  };
  TESSERA_ASSIGN_OR_RETURN(const Architecture architecture, architectureOf(target.architecture));
  auto program = std::make_unique<CudaProgram>();
  program->source = module;
  TESSERA_TRY(stage("optimize", 0.0));
  DeviceFusions fusions(
      [&](const Module& made, InstructionId fusion) { return checkFusion(made, fusion, architecture); });
  TESSERA_ASSIGN_OR_RETURN(program->optimized, optimize(module, {}, options.cancel, &fusions));
  TESSERA_TRY(cpu::detachBitcasts(program->optimized));
  TESSERA_TRY(refuseDynamic(program->optimized));
  auto cache = std::make_shared<ProgramCache>(options.kernelCache);
  auto libraries = target.device ? Libraries::open(*target.device) : nullptr;
  TESSERA_ASSIGN_OR_RETURN(program->program,
                           programOf(program->optimized, architecture, {options.customCalls, libraries.get(), &fusions},
                                     options.threads, *cache, stage));
  libraries.reset();  // before the device
  program->constants = constantsOf(program->optimized);
  bindConstants(program->program.plan, program->constants);
  TESSERA_TRY(stage("load code", 0.9));
  CudaTarget runs;
  if (target.device) runs.open = [choice = target.choice] { return openChosen(choice, kDefaultSimulated); };
  runs.assemble = [cache](Device& device, const std::string& ptx, bool isFresh) {
    return cache->assemble(device, ptx, isFresh);
  };
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                           CudaExecutable::make(std::move(program), std::move(target.device), std::move(runs)));
  TESSERA_TRY(stage("done", 1.0));
  return cpu::hasDynamicEntry(module) ? cpu::makeDynamicEntry(module, std::move(executable)) : std::move(executable);
}

Result<std::unique_ptr<Executable>> CudaBackend::compile(const Module& module, const CompileOptions& options) {
  try {
    TESSERA_ASSIGN_OR_RETURN(Target target, openTarget(options.device, options.deviceNumber));
    return compileOn(std::move(target), module, options);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::Runtime, "not enough memory to compile");
  }
}

Result<Roofline> CudaBackend::roofline(const std::string& name, double seconds) {
  TESSERA_ASSIGN_OR_RETURN(const DeviceChoice choice, readDeviceChoice(name));
  if (choice.isSimulated)
    return failUnsupported("the simulated device has no speed that says anything of a card: name a card's number");
  TESSERA_ASSIGN_OR_RETURN(const auto device, openChosen(choice, kDefaultSimulated));
  return measureDeviceRoofline(*device, seconds);
}

std::vector<DeviceEntry> CudaBackend::devices() {
  std::vector<DeviceEntry> out;
  const auto cards = listDevices();
  if (!cards) out.push_back({"", "CUDA", cards.error().message, 0});
  for (const DeviceInfo& info : cards ? *cards : std::vector<DeviceInfo>())
    out.push_back(
        {std::to_string(info.ordinal), info.name,
         fmt::format("{} of memory, {}", bytesText(static_cast<double>(info.memoryBytes)), info.architecture()),
         info.memoryBytes});
  out.push_back({"simulated", "simulated",
                 fmt::format("the kernels on the processor, for correctness and counting: {}", kDefaultSimulated), 0});
  return out;
}

}  // namespace

}  // namespace tessera::cuda

// The entry point that the registry looks up when it opens this module; the caller owns the result.
extern "C" tessera::Backend* tesseraCreateBackend() { return new tessera::cuda::CudaBackend; }
