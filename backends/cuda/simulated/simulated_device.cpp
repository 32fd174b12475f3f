// The simulated device: behind the interface of every device, memory of the host and an interpreter of PTX.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "backends/cuda/simulated/loaded_module.h"
#include "backends/cuda/simulated/machine/grid.h"
#include "backends/cuda/simulated/work_queue.h"
#include "core/base/memory.h"

namespace tessera::cuda {

namespace simulated {
namespace {

// "sm_80", "80", "sm_90a": the number; 80 where it is none.
int architectureNumber(std::string_view architecture) {
  if (architecture.starts_with("sm_")) architecture.remove_prefix(3);
  int number = 80;
  std::from_chars(architecture.data(), architecture.data() + architecture.size(), number);
  return std::clamp(number, 50, 999);
}

// Shared memory that a block may have by opting in, per compute capability (the CUDA programming guide's table).
int64_t optInSharedBytes(int architecture) {
  switch (architecture) {
    case 70:
    case 72: return int64_t{96} << 10;
    case 75: return int64_t{64} << 10;
    case 80:
    case 87: return int64_t{163} << 10;
    case 86:
    case 89:
    case 120: return int64_t{99} << 10;
    default: return architecture >= 90 ? int64_t{227} << 10 : int64_t{48} << 10;
  }
}

DeviceInfo infoOf(int architecture, int64_t memoryBytes) {
  return {.name = "simulated",
          .ordinal = -1,
          .major = architecture / 10,
          .minor = architecture % 10,
          .driverVersion = 0,
          .multiprocessors = 1,
          .sharedBytesPerBlock = int64_t{48} << 10,
          .sharedBytesPerBlockOptIn = optInSharedBytes(architecture),
          .memoryBytes = memoryBytes};
}

std::unexpected<Diagnostic> invalid(const std::string& what) {
  return fail(ErrorKind::Runtime, "CUDA_ERROR_INVALID_VALUE: " + what);
}

class SimulatedDevice final : public Device {
 public:
  SimulatedDevice(int architecture, int64_t memoryBytes)
      : architecture_(architecture), info_(infoOf(architecture, memoryBytes)), memory_(memoryBytes) {}

  const DeviceInfo& info() const override { return info_; }

  Result<DeviceMemory> memory() override { return memory_.amount(); }
  Result<DeviceAddress> allocate(int64_t bytes) override { return memory_.allocate(bytes); }

  // Waits for all work, as a card does.
  Status release(DeviceAddress address) override {
    const Status done = queue_.runAll();
    TESSERA_TRY(memory_.release(address));
    return done;
  }

  Result<std::byte*> allocatePinned(int64_t bytes) override {
    if (bytes <= 0) return invalid("an allocation of no bytes");
    std::byte* memory = memoryIsAvailable(bytes) ? allocateForArrays(static_cast<size_t>(bytes)) : nullptr;
    if (!memory) return fail(ErrorKind::Runtime, "CUDA_ERROR_OUT_OF_MEMORY: not enough memory of the host");
    pinned_[memory] = bytes;
    return memory;
  }

  Status releasePinned(std::byte* memory) override {
    if (!pinned_.contains(memory)) return invalid("this memory is not pinned");
    const Status done = queue_.runAll();
    pinned_.erase(memory);
    std::free(memory);
    return done;
  }

  // Memory that is not pinned is read before the call returns; pinned memory when the copy's turn comes.
  Status copyToDevice(DeviceAddress to, std::span<const std::byte> from, StreamId stream) override {
    TESSERA_TRY(memory_.range(to, static_cast<int64_t>(from.size()), "a copy to the device"));
    if (queue_.isIdle(stream)) return copyIn(to, from);
    if (isPinned(from) || queue_.isCapturing(stream))
      return queue_.add(stream, [this, to, from](const std::atomic<bool>*) { return copyIn(to, from); });
    return queue_.add(stream, [this, to, copy = std::vector(from.begin(), from.end())](const std::atomic<bool>*) {
      return copyIn(to, copy);
    });
  }

  Status copyToHost(std::span<std::byte> to, DeviceAddress from, StreamId stream) override {
    TESSERA_TRY(memory_.range(from, static_cast<int64_t>(to.size()), "a copy to the host"));
    return queue_.add(stream, [this, to, from](const std::atomic<bool>*) -> Status {
      TESSERA_ASSIGN_OR_RETURN(const std::byte* source,
                               memory_.range(from, static_cast<int64_t>(to.size()), "a copy to the host"));
      if (!to.empty()) std::memcpy(to.data(), source, to.size());
      return {};
    });
  }

  Status copyOnDevice(DeviceAddress to, DeviceAddress from, int64_t bytes, StreamId stream) override {
    TESSERA_TRY(memory_.range(to, bytes, "a copy on the device"));
    TESSERA_TRY(memory_.range(from, bytes, "a copy on the device"));
    return queue_.add(stream, [=, this](const std::atomic<bool>*) -> Status {
      TESSERA_ASSIGN_OR_RETURN(std::byte * target, memory_.range(to, bytes, "a copy on the device"));
      TESSERA_ASSIGN_OR_RETURN(const std::byte* source, memory_.range(from, bytes, "a copy on the device"));
      std::memmove(target, source, static_cast<size_t>(bytes));
      return {};
    });
  }

  Status fill(DeviceAddress to, uint8_t value, int64_t bytes, StreamId stream) override {
    TESSERA_TRY(memory_.range(to, bytes, "a fill"));
    return queue_.add(stream, [=, this](const std::atomic<bool>*) -> Status {
      TESSERA_ASSIGN_OR_RETURN(std::byte * target, memory_.range(to, bytes, "a fill"));
      std::memset(target, value, static_cast<size_t>(bytes));
      return {};
    });
  }

  // Decoded once to find what is wrong with it; the code is the text.
  Result<std::string> assemble(std::string_view ptx) override {
    GlobalMemory scratch(info_.memoryBytes);
    TESSERA_TRY(LoadedModule::load(ptx, architecture_, scratch));
    return std::string(ptx);
  }

  Result<ModuleId> load(std::string_view code) override {
    TESSERA_ASSIGN_OR_RETURN(auto module, LoadedModule::load(code, architecture_, memory_));
    const auto id = static_cast<ModuleId>(next_++);
    modules_[id] = std::move(module);
    return id;
  }

  Status unload(ModuleId module) override {
    if (!modules_.contains(module)) return noSuch("module");
    const Status done = queue_.runAll();
    modules_.erase(module);
    std::erase_if(kernels_, [&](const auto& kernel) { return kernel.second.module == module; });
    return done;
  }

  Result<KernelId> kernel(ModuleId module, const std::string& name) override {
    const auto found = modules_.find(module);
    if (found == modules_.end()) return noSuch("module");
    auto kernel = found->second->kernel(name);
    if (!kernel)
      return fail({.kind = ErrorKind::Runtime,
                   .message = "CUDA_ERROR_NOT_FOUND: the module has no kernel " + name,
                   .expected = found->second->kernelNames()});
    const auto id = static_cast<KernelId>(next_++);
    kernels_[id] = {.module = module, .kernel = std::move(kernel)};
    return id;
  }

  Result<KernelInfo> kernelInfo(KernelId id) override {
    const auto found = kernels_.find(id);
    if (found == kernels_.end()) return noSuch("kernel");
    const Kernel& kernel = *found->second.kernel;
    return KernelInfo{.registers = static_cast<int>(kernel.registerCount),
                      .sharedBytes = kernel.sharedBytes,
                      .spilledBytes = kernel.localBytes,
                      .maxThreads = kernel.maxThreads};
  }

  Status launch(const Launch& launch, StreamId stream) override {
    const auto found = kernels_.find(launch.kernel);
    if (found == kernels_.end()) return noSuch("kernel");
    TESSERA_TRY(check(launch, *found->second.kernel));
    return queue_.add(stream, [this, kernel = found->second.kernel, grid = launch.grid, block = launch.block,
                               shared = launch.dynamicSharedBytes,
                               parameters = std::vector(launch.parameters.begin(), launch.parameters.end())](
                                  const std::atomic<bool>* cancel) {
      return runKernel({.kernel = *kernel,
                        .grid = grid,
                        .block = block,
                        .dynamicSharedBytes = shared,
                        .parameters = parameters,
                        .memory = memory_,
                        .cancel = cancel,
                        .gridNumber = ++launches_});
    });
  }

  Result<StreamId> makeStream() override { return queue_.makeStream(); }
  Status releaseStream(StreamId stream) override { return queue_.releaseStream(stream); }
  Status synchronize(StreamId stream, const std::atomic<bool>* cancel) override { return queue_.run(stream, cancel); }
  Result<EventId> makeEvent() override { return queue_.makeEvent(); }
  Status releaseEvent(EventId event) override { return queue_.releaseEvent(event); }
  Status record(EventId event, StreamId stream) override { return queue_.record(event, stream); }
  Status wait(StreamId stream, EventId event) override { return queue_.wait(stream, event); }
  Result<double> milliseconds(EventId begin, EventId end) override { return queue_.milliseconds(begin, end); }
  Status beginCapture(StreamId stream) override { return queue_.beginCapture(stream); }
  Result<GraphId> endCapture(StreamId stream) override { return queue_.endCapture(stream); }
  Status launchGraph(GraphId graph, StreamId stream) override { return queue_.launchGraph(graph, stream); }
  Status releaseGraph(GraphId graph) override { return queue_.releaseGraph(graph); }
  Status synchronize(EventId event, const std::atomic<bool>* cancel) override {
    return queue_.synchronize(event, cancel);
  }

  bool hasConditionals() const override { return true; }
  Result<ConditionId> makeCondition(StreamId captured) override { return queue_.makeCondition(captured); }
  Result<StreamId> beginConditional(StreamId captured, ConditionId condition, Conditional kind) override {
    return queue_.beginConditional(captured, condition, kind);
  }
  Status endConditional(StreamId captured, StreamId body) override { return queue_.endConditional(captured, body); }

  Status setCondition(ConditionId condition, const ConditionTest& test, StreamId captured) override {
    TESSERA_TRY(queue_.checkCondition(condition, captured));
    TESSERA_TRY(memory_.range(test.address, test.bytes, "a condition"));
    return queue_.add(captured, [this, condition, test](const std::atomic<bool>*) -> Status {
      TESSERA_ASSIGN_OR_RETURN(const std::byte* at, memory_.range(test.address, test.bytes, "a condition"));
      int32_t value = 0;
      std::memcpy(&value, at, test.bytes);
      queue_.setCondition(condition, (value >= test.low && value <= test.high) != test.isNegated);
      return {};
    });
  }

  void trace(const WarpChoice* choice) override {
    choice_.reset();
    if (choice) choice_ = *choice, traced_.clear();
  }
  std::vector<TracedAccess> traced() const override { return traced_; }
  std::vector<Report> reports() const override { return reports_; }
  void clearReports() override { reports_.clear(); }

 private:
  struct LoadedKernel {
    ModuleId module = ModuleId::None;
    std::shared_ptr<const Kernel> kernel;
  };

  static std::unexpected<Diagnostic> noSuch(const char* what) {
    return fail(ErrorKind::Runtime, std::string("CUDA_ERROR_INVALID_HANDLE: there is no such ") + what);
  }

  Status copyIn(DeviceAddress to, std::span<const std::byte> from) {
    TESSERA_ASSIGN_OR_RETURN(std::byte * target,
                             memory_.range(to, static_cast<int64_t>(from.size()), "a copy to the device"));
    if (!from.empty()) std::memcpy(target, from.data(), from.size());
    return {};
  }

  bool isPinned(std::span<const std::byte> memory) const {
    auto next = pinned_.upper_bound(const_cast<std::byte*>(memory.data()));
    if (next == pinned_.begin()) return false;
    const auto& [begin, bytes] = *std::prev(next);
    return memory.data() + memory.size() <= begin + bytes;
  }

  Status check(const Launch& launch, const Kernel& kernel) const {
    const auto [x, y, z] = launch.block;
    const uint64_t threads = uint64_t{x} * y * z;
    const std::string& name = kernel.name;
    if (!threads || x > 1024 || y > 1024 || z > 64 || threads > static_cast<uint64_t>(kernel.maxThreads))
      return invalid(fmt::format("{} is launched with blocks of {}×{}×{} threads; it takes 1 to {}", name, x, y, z,
                                 kernel.maxThreads));
    if (!launch.grid.x || !launch.grid.y || !launch.grid.z || launch.grid.x > 0x7fffffff || launch.grid.y > 65535 ||
        launch.grid.z > 65535)
      return invalid(
          fmt::format("{} is launched with a grid of {}×{}×{} blocks; at most 2147483647×65535×65535 are possible",
                      name, launch.grid.x, launch.grid.y, launch.grid.z));
    const int64_t shared = kernel.sharedBytes + launch.dynamicSharedBytes;
    if (shared > info_.sharedBytesPerBlockOptIn)
      return invalid(fmt::format("{} is launched with {} bytes of shared memory; a block has at most {}", name, shared,
                                 info_.sharedBytesPerBlockOptIn));
    if (static_cast<int64_t>(launch.parameters.size()) != kernel.parameterBytes)
      return invalid(fmt::format("{} is launched with {} bytes of parameters; it takes {}", name,
                                 launch.parameters.size(), kernel.parameterBytes));
    return {};
  }

  // Of the launches of a kernel that is traced, the first counts.
  Status runKernel(GridSetting setting) {
    std::optional<AccessTrace> trace;
    if (choice_ && choice_->kernel == setting.kernel.name) {
      setting.trace = &trace.emplace(*choice_, traced_);
      choice_.reset();
    }
    const LaunchOutcome outcome = runGrid(setting);
    for (const Report& report : outcome.reports) keep(report);
    if (outcome.wasCancelled) return failCancelled();
    if (outcome.failure) return fail(ErrorKind::Runtime, *outcome.failure);
    for (const Report& report : outcome.reports)
      if (report.kind == "out of bounds" || report.kind == "misaligned access")
        return fail(ErrorKind::Runtime, fmt::format("{}: {} in {} ({})",
                                                    report.kind == "out of bounds" ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                                                   : "CUDA_ERROR_MISALIGNED_ADDRESS",
                                                    report.text, report.kernel, report.place));
    return {};
  }

  // A kernel that is launched many times complains of each place once.
  void keep(const Report& report) {
    for (Report& known : reports_)
      if (known.kind == report.kind && known.kernel == report.kernel && known.place == report.place) {
        known.count += report.count;
        return;
      }
    reports_.push_back(report);
  }

  const int architecture_;
  const DeviceInfo info_;
  GlobalMemory memory_;
  std::map<std::byte*, int64_t> pinned_;
  std::map<ModuleId, std::unique_ptr<LoadedModule>> modules_;
  std::map<KernelId, LoadedKernel> kernels_;
  WorkQueue queue_;
  std::vector<Report> reports_;
  std::optional<WarpChoice> choice_;
  std::vector<TracedAccess> traced_;
  uint64_t next_ = 1;
  uint32_t launches_ = 0;
};

}  // namespace
}  // namespace simulated

std::unique_ptr<Device> makeSimulatedDevice(const std::string& architecture, int64_t memoryBytes) {
  return std::make_unique<simulated::SimulatedDevice>(simulated::architectureNumber(architecture), memoryBytes);
}

}  // namespace tessera::cuda
