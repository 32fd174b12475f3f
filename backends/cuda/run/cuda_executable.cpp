// See cuda_executable.h. What readers see of it is in cuda_listing.cpp.
#include "backends/cuda/run/cuda_executable.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "core/ops/op.h"

namespace tessera::cuda {

namespace {

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void collectArrays(const Shape& shape, std::vector<const Shape*>& out) {
  for (const ShapeLeaf& leaf : leavesOf(shape))
    if (leaf.shape->isArray()) out.push_back(leaf.shape);
}

}  // namespace

CudaExecutable::CudaExecutable(std::unique_ptr<CudaProgram> program, std::unique_ptr<Device> device)
    : program_(std::move(program)), device_(std::move(device)) {
  const Computation& entry = optimized().entryComputation();
  for (InstructionId p : entry.parameters) collectArrays(optimized().shapeOf(p), argumentShapes_);
  collectArrays(optimized().shapeOf(entry.root), outputShapes_);
  host_ = std::make_unique<HostEvaluation>(program_->optimized);
  if (device_) memory_ = std::make_unique<SlotMemory>(*device_, program_->plan, program_->optimized);
}

CudaExecutable::~CudaExecutable() {
  memory_.reset();
  if (device_ && module_ != ModuleId::None) (void)device_->unload(module_);
}

Result<std::unique_ptr<CudaExecutable>> CudaExecutable::make(std::unique_ptr<CudaProgram> program,
                                                             std::unique_ptr<Device> device) {
  std::unique_ptr<CudaExecutable> out(new CudaExecutable(std::move(program), std::move(device)));
  if (out->device_) TESSERA_TRY(out->load());
  return out;
}

Status CudaExecutable::load() {
  if (program_->ptx.empty()) return {};
  TESSERA_ASSIGN_OR_RETURN(const std::string code, device_->assemble(program_->ptx));
  TESSERA_ASSIGN_OR_RETURN(module_, device_->load(code));
  for (const KernelLaunch& launch : program_->launches) {
    TESSERA_ASSIGN_OR_RETURN(const KernelId kernel, device_->kernel(module_, launch.name));
    kernels_.push_back(kernel);
  }
  return {};
}

KernelCounts CudaExecutable::kernelCounts() const {
  return {static_cast<int64_t>(program_->launches.size()), 0, static_cast<int64_t>(program_->ptx.size())};
}

// --- arguments and results

Status CudaExecutable::checkArguments(std::span<const Literal> arguments) const {
  if (arguments.size() != argumentShapes_.size())
    return fail(ErrorKind::Usage,
                fmt::format("the program takes {} arrays, {} were given", argumentShapes_.size(), arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (compatible(arguments[i].shape(), *argumentShapes_[i])) continue;
    return fail({.kind = ErrorKind::Usage,
                 .message = fmt::format("argument {} has the wrong shape", i),
                 .expected = toString(*argumentShapes_[i], false),
                 .found = toString(arguments[i].shape(), false)});
  }
  return {};
}

// Arrays of an earlier run are used again, but for those that are arguments of this one.
Status CudaExecutable::bindOutputs(std::span<const Literal> arguments, std::vector<Literal>& outputs) const {
  outputs.resize(outputShapes_.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    Literal& output = outputs[i];
    const bool isArgument =
        std::ranges::any_of(arguments, [&](const Literal& a) { return a.bytes().data() == output.bytes().data(); });
    if (output.shape() == *outputShapes_[i] && !isArgument) continue;
    output = {};
    TESSERA_ASSIGN_OR_RETURN(output, Literal::allocate(*outputShapes_[i]));
  }
  return {};
}

Status CudaExecutable::copyIn(std::span<const Literal> arguments) {
  for (size_t s = 0; s < program_->plan.slots.size(); ++s) {
    const DeviceSlot& slot = program_->plan.slots[s];
    if (slot.kind != SlotKind::Parameter || slot.bytes == 0) continue;
    const std::span<const std::byte> bytes = arguments[static_cast<size_t>(slot.index)].bytes();
    if (!bytes.empty()) TESSERA_TRY(device_->copyToDevice(memory_->at(static_cast<int>(s)), bytes, StreamId::Default));
  }
  return {};
}

Status CudaExecutable::copyOut(std::vector<Literal>& outputs) {
  for (size_t s = 0; s < program_->plan.slots.size(); ++s) {
    const DeviceSlot& slot = program_->plan.slots[s];
    if (slot.kind != SlotKind::Output || slot.bytes == 0) continue;
    const std::span<std::byte> bytes = outputs[static_cast<size_t>(slot.index)].mutableBytes();
    if (!bytes.empty()) TESSERA_TRY(device_->copyToHost(bytes, memory_->at(static_cast<int>(s)), StreamId::Default));
  }
  return wait();
}

// --- runs

Result<std::vector<Literal>> CudaExecutable::run(std::span<const Literal> arguments, const RunOptions& options,
                                                 Profile* profile) {
  std::vector<Literal> outputs;
  TESSERA_TRY(runInto(arguments, outputs, options, profile));
  return outputs;
}

Status CudaExecutable::runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs,
                               const RunOptions& options, Profile* profile) {
  std::lock_guard lock(mutex_);
  if (!device_) return failUnsupported("the program was compiled for another machine's device");
  options_ = options;
  profile_ = profile;
  try {
    return runLocked(arguments, outputs);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::Runtime, "not enough memory in the middle of the run");
  }
}

Status CudaExecutable::runLocked(std::span<const Literal> arguments, std::vector<Literal>& outputs) {
  TESSERA_TRY(checkArguments(arguments));
  TESSERA_TRY(memory_->prepare());
  TESSERA_TRY(bindOutputs(arguments, outputs));
  host_->beginRun();
  if (profile_) openProfile(*profile_);
  const int64_t begin = beginNs_ = nowNs();
  if (profile_) beginNs_ -= profile_->totalNs;
  TESSERA_TRY(copyIn(arguments));
  TESSERA_TRY(runSteps(program_->plan.steps));
  TESSERA_TRY(copyOut(outputs));
  if (!profile_) return {};
  profile_->totalNs += nowNs() - begin;
  ++profile_->runs;
  shareOut(*profile_);
  return {};
}

Status CudaExecutable::checkCancelled() const {
  if (options_.cancel && options_.cancel->load(std::memory_order_relaxed)) return failCancelled();
  return {};
}

Status CudaExecutable::wait() { return device_->synchronize(StreamId::Default, options_.cancel); }

Status CudaExecutable::runSteps(const std::vector<DeviceStep>& steps) {
  for (const DeviceStep& step : steps) {
    TESSERA_TRY(checkCancelled());
    TESSERA_TRY(profile_ ? runMeasured(step) : runStep(step));
  }
  return {};
}

Status CudaExecutable::runStep(const DeviceStep& step) {
  switch (step.kind) {
    case DeviceStep::Kind::Kernel: return runKernel(step);
    case DeviceStep::Kind::Copy:
      return device_->copyOnDevice(memory_->at(step.results[0]), memory_->at(step.operands[0]), step.bytes,
                                   StreamId::Default);
    case DeviceStep::Kind::Host: return runHost(step);
    case DeviceStep::Kind::While: return runWhile(step);
    case DeviceStep::Kind::Choice: return runChoice(step);
  }
  return {};
}

// With the wait for its end, so that its time is its own.
Status CudaExecutable::runMeasured(const DeviceStep& step) {
  const int64_t outside = std::exchange(nestedNs_, 0), begin = nowNs();
  TESSERA_TRY(runStep(step));
  TESSERA_TRY(wait());
  const int64_t end = nowNs(), own = end - begin - nestedNs_;
  nestedNs_ = outside + end - begin;
  StepProfile& entry = profile_->steps[static_cast<size_t>(step.number)];
  entry.minNs = entry.count == 0 ? own : std::min(entry.minNs, own);
  entry.totalNs += own;
  ++entry.count;
  constexpr size_t kMaxEvents = 1u << 20;
  if (profile_->timeline.size() < kMaxEvents)
    profile_->timeline.push_back({0, step.number, begin - beginNs_, end - beginNs_});
  return {};
}

Status CudaExecutable::runKernel(const DeviceStep& step) {
  parameters_.clear();
  const auto push = [&](DeviceAddress address) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&address);
    parameters_.insert(parameters_.end(), bytes, bytes + sizeof address);
  };
  for (size_t i = 0; i < step.operands.size(); ++i)
    push(memory_->at(step.operands[i]) + static_cast<DeviceAddress>(step.starts.empty() ? 0 : step.starts[i]));
  for (const int slot : step.results) push(memory_->at(slot));
  const KernelLaunch& launch = program_->launches[step.kernel];
  return device_->launch({.kernel = kernels_[step.kernel],
                          .grid = {static_cast<unsigned>(launch.blocks)},
                          .block = {launch.blockThreads},
                          .parameters = parameters_},
                         StreamId::Default);
}

Status CudaExecutable::readBack(int slot, std::span<std::byte> to) {
  if (!to.empty()) TESSERA_TRY(device_->copyToHost(to, memory_->at(slot), StreamId::Default));
  return wait();
}

Status CudaExecutable::runHost(const DeviceStep& step) {
  const Instruction& instruction = optimized().at(step.instruction);
  std::vector<Literal> operands;
  for (InstructionId operand : instruction.operands)
    for (const ShapeLeaf& leaf : leavesOf(optimized().shapeOf(operand))) {
      const int slot = step.operands[operands.size()];
      if (!leaf.shape->isArray() || slot < 0) {
        operands.push_back(Literal::token());
        continue;
      }
      TESSERA_ASSIGN_OR_RETURN(Literal literal, Literal::allocate(*leaf.shape));
      TESSERA_TRY(readBack(slot, literal.mutableBytes()));
      operands.push_back(std::move(literal));
    }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> results, host_->evaluate(step.instruction, operands, options_));
  for (size_t k = 0; k < results.size() && k < step.results.size(); ++k)
    if (step.results[k] >= 0 && !results[k].bytes().empty())
      TESSERA_TRY(device_->copyToDevice(memory_->at(step.results[k]), results[k].bytes(), StreamId::Default));
  return wait();  // the copies' sources end here
}

Status CudaExecutable::runWhile(const DeviceStep& step) {
  for (;;) {
    TESSERA_TRY(checkCancelled());
    TESSERA_TRY(runSteps(step.blocks[0]));
    std::byte goesOn{};
    TESSERA_TRY(readBack(step.operands[0], {&goesOn, 1}));
    if (goesOn == std::byte{0}) return {};
    TESSERA_TRY(runSteps(step.blocks[1]));
  }
}

Status CudaExecutable::runChoice(const DeviceStep& step) {
  int32_t selector = 0;
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(&selector), step.byPredicate ? 1 : sizeof selector);
  TESSERA_TRY(readBack(step.operands[0], bytes));
  const auto count = static_cast<int32_t>(step.blocks.size());
  int32_t chosen = selector < 0 || selector >= count ? count - 1 : selector;
  if (step.byPredicate) chosen = selector != 0 ? 0 : 1;
  return runSteps(step.blocks[static_cast<size_t>(chosen)]);
}

std::vector<DeviceReport> CudaExecutable::deviceReports() const {
  std::vector<DeviceReport> out;
  if (!device_) return out;
  for (const Report& report : device_->reports())
    out.push_back({report.kind, report.kernel, report.place, report.text, report.isError, report.count});
  return out;
}

}  // namespace tessera::cuda
