// See cpu_executable.h.
#include "backends/cpu/cpu_executable.h"

#include <algorithm>
#include <chrono>
#include <new>

#include <fmt/format.h>

#include "backends/cpu/aot/program_object.h"
#include "backends/runtime/dnnl/dnnl_engine.h"
#include "core/base/memory.h"
#include "core/base/sorting.h"
#include "core/cost/cost.h"
#include "core/element/scalar_functions.h"
#include "core/evaluate/device_values.h"

namespace tessera::cpu {

CpuExecutable::CpuExecutable(Module source, Module optimized, Plan plan, std::unique_ptr<KernelLibrary> kernels,
                             std::shared_ptr<ThreadPool> pool)
    : source_(std::move(source)),
      optimized_(std::move(optimized)),
      plan_(std::move(plan)),
      kernels_(std::move(kernels)),
      pool_(std::move(pool)),
      arrays_(optimized_) {}

int64_t CpuExecutable::peakBytes() const {
  int64_t bytes = plan_.arenaBytes;
  for (const PlanSlot& slot : plan_.slots)
    if (slot.kind != SlotKind::Temp && __builtin_add_overflow(bytes, slot.bytes, &bytes)) return INT64_MAX;
  return bytes;
}

Status CpuExecutable::ensureArena() {
  if (arena_ || plan_.arenaBytes == 0) return {};
  auto tooLarge = [&] {
    return fail(ErrorKind::Runtime,
                fmt::format("not enough memory: the program needs {} bytes ({} for temporary values), {} are free",
                            peakBytes(), plan_.arenaBytes, availableMemoryBytes()));
  };
  if (plan_.arenaBytes > availableMemoryBytes()) return tooLarge();
  arena_.reset(allocateForArrays(static_cast<size_t>(plan_.arenaBytes)));
  if (!arena_) return tooLarge();
  return {};
}

Status CpuExecutable::bindArguments(std::span<const Literal> arguments, RunState& state) const {
  TESSERA_TRY(arrays_.check(arguments));
  for (size_t s = 0; s < plan_.slots.size(); ++s) {
    const PlanSlot& slot = plan_.slots[s];
    const std::byte* at = nullptr;
    if (slot.kind == SlotKind::Temp && slot.lender < 0) at = arena_.get() + slot.offset;
    if (slot.kind == SlotKind::Parameter) at = arguments[static_cast<size_t>(slot.index)].bytes().data();
    if (slot.kind == SlotKind::Constant && slot.literal) at = slot.literal->bytes().data();
    state.pointers[s] = const_cast<std::byte*>(at);  // steps write to arena and output slots only
  }
  return {};
}

Status CpuExecutable::bindOutputs(std::span<const Literal> arguments, std::vector<Literal>& outputs,
                                  RunState& state) const {
  TESSERA_TRY(arrays_.allocate(arguments, outputs));
  for (size_t s = 0; s < plan_.slots.size(); ++s) {
    const PlanSlot& slot = plan_.slots[s];
    const int32_t output = slot.kind == SlotKind::Output ? slot.index : slot.lender;
    if (output >= 0) state.pointers[s] = outputs[static_cast<size_t>(output)].mutableBytes().data() + slot.offset;
  }
  return {};
}

Status CpuExecutable::runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs,
                              const RunOptions& options, Profile* profile) {
  std::lock_guard lock(mutex_);
  try {
    return runLocked(arguments, outputs, options, profile);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::Runtime, "not enough memory in the middle of the run");
  }
}

Status CpuExecutable::runLocked(std::span<const Literal> arguments, std::vector<Literal>& outputs,
                                const RunOptions& options, Profile* profile) {
  OneOpenMpThread single;
  TESSERA_TRY(ensureArena());
  RunState& state = state_;
  state.pointers.resize(plan_.slots.size());
  TESSERA_TRY(bindArguments(arguments, state));
  TESSERA_TRY(bindOutputs(arguments, outputs, state));
  state.pool = pool_.get();
  state.kernels = kernels_->kernels();
  state.cancel = options.cancel;
  state.module = &optimized_;
  state.communicator = options.communicator;
  ++state.run;
  state.profile = profile ? &measured_ : nullptr;
  state.blockRuns.assign(plan_.blocks, 0);
  if (profile) measured_.start(plan_.names.size(), pool_->threads());
  TESSERA_TRY(plan_.sequence.run(state));
  if (profile) report(measured_.finish(), *profile);
  return {};
}

Result<CompiledObject> CpuExecutable::object(const std::string& name) {
  if (kernels_->codes().size() != kernels_->size()) return fail("the machine code was not kept");
  aot::ProgramParts parts{name,
                          source_.name,
                          {},
                          optimized_,
                          plan_,
                          kernels_->codes(),
                          {kernels_->kernels(), kernels_->size()},
                          kernels_->features(),
                          pool_->threads(),
                          {}};
  TESSERA_ASSIGN_OR_RETURN(parts.grid, gridOf(source_, 0, 0));
  parts.arrays = aot::arrayForms(source_, parts.grid);
  return aot::makeObject(parts);
}

CpuExecutable::PartCount CpuExecutable::countPart(const StepPart& part, CostCounter& optimized,
                                                  CostCounter& source) const {
  PartCount count;
  count.block = part.block;
  const Instruction& instruction = optimized_.at(part.instruction);
  const bool control = instruction.opcode == Opcode::While || instruction.opcode == Opcode::Conditional;
  if (!control) {
    Cost cost = optimized.of(part.instruction);
    count.flops = cost.flops + cost.transcendentals;
    count.bytes = cost.bytesAccessed;
  }
  if (instruction.provenance) shareOut(instruction.provenance->sources, control, source, count);
  return count;
}

// What one run of a step counts, and each source instruction's share of it, by the work that the instruction costs.
// Counted once, when the first profile is asked for.
void CpuExecutable::countSteps() {
  if (!counts_.empty()) return;
  CostCounter optimized(optimized_), source(source_);
  for (const StepName& name : plan_.names) {
    StepCount& count = counts_.emplace_back();
    if (name.parts.empty()) count.parts.push_back(countPart({name.instruction, -1, {}, {}}, optimized, source));
    for (const StepPart& part : name.parts) count.parts.push_back(countPart(part, optimized, source));
  }
  auto eachShare = [&](auto&& visit) {
    for (StepCount& count : counts_)
      for (PartCount& part : count.parts)
        for (Share& share : part.shares) visit(share);
  };
  eachShare([&](const Share& share) { sources_.push_back({share.source}); });
  sortBy(sources_, &SourceProfile::instruction);
  auto [first, last] = std::ranges::unique(sources_, {}, &SourceProfile::instruction);
  sources_.erase(first, last);
  eachShare([&](Share& share) {
    share.at = static_cast<size_t>(std::ranges::lower_bound(sources_, share.source, {}, &SourceProfile::instruction) -
                                   sources_.begin());
  });
  for (size_t step = 0; step < counts_.size(); ++step) {
    counts_[step].firstShare = shares_.size();
    for (const PartCount& part : counts_[step].parts)
      for (const Share& share : part.shares) shares_.push_back({static_cast<int32_t>(step), share.source});
  }
}

void CpuExecutable::shareOut(std::span<const InstructionId> sources, bool control, CostCounter& counter,
                             PartCount& count) const {
  for (InstructionId id : sources) {
    if (!source_.contains(id)) continue;
    Opcode opcode = source_.at(id).opcode;
    Cost cost = control ? Cost{} : counter.of(id);
    double elements =
        static_cast<double>(source_.shapeOf(id).isArray() ? source_.shapeOf(id).elementCount().value_or(1) : 1);
    bool free = opcode == Opcode::Parameter || opcode == Opcode::Constant || opcode == Opcode::Tuple ||
                opcode == Opcode::GetTupleElement || opcode == Opcode::Broadcast;
    double weight = cost.flops + kFunction.fused * cost.transcendentals + (free ? 1e-3 : elements);
    count.shares.push_back({id, 0, weight, cost.flops + cost.transcendentals, cost.bytesAccessed});
    count.weight += weight;
  }
  for (Share& share : count.shares)
    share.part = count.weight > 0 ? share.part / count.weight : 1.0 / static_cast<double>(count.shares.size());
}

// In the run that was measured last.
double CpuExecutable::runsOf(const PartCount& part, size_t step) const {
  if (part.block < 0) return static_cast<double>(measured_.totals()[step].count);
  return static_cast<double>(state_.blockRuns[plan_.names[step].firstBlock + static_cast<size_t>(part.block)]);
}

// The step's time goes to its parts by weight and runs, and a part's to its sources by weight.
void CpuExecutable::apportion(size_t step, Profile& profile) const {
  const std::vector<PartCount>& parts = counts_[step].parts;
  const auto timeNs = static_cast<double>(measured_.nanoseconds(measured_.totals()[step].total));
  StepShare* each = profile.shares.data() + counts_[step].firstShare;
  double total = 0;
  for (const PartCount& part : parts) total += part.weight * runsOf(part, step);
  for (const PartCount& part : parts) {
    const double runs = runsOf(part, step);
    const double partNs = parts.size() == 1 ? timeNs : total > 0 ? timeNs * part.weight * runs / total : 0;
    for (const Share& share : part.shares) {
      SourceProfile& source = profile.sources[share.at];
      bool fresh = source.timeNs == 0 && source.flops == 0 && source.bytes == 0;
      source.measured = (fresh || source.measured) && parts.size() == 1 && part.shares.size() == 1;
      const auto add = [&](auto& to) {
        to.timeNs += partNs * share.part;
        to.flops += share.flops * runs;
        to.bytes += share.bytes * runs;
      };
      add(source);
      add(*each++);
    }
  }
}

// A profile that this executable has not written before starts empty.
void CpuExecutable::openProfile(Profile& profile) const {
  if (profile.steps.size() == plan_.names.size() && profile.sources.size() == sources_.size() &&
      profile.shares.size() == shares_.size())
    return;
  profile.module = source_.name;
  profile.steps.clear();
  profile.steps.reserve(plan_.names.size());
  for (const StepName& step : plan_.names) profile.steps.push_back({step.instruction, step.name, step.what});
  profile.sources = sources_;
  profile.shares = shares_;
}

void CpuExecutable::report(int64_t totalNs, Profile& profile) {
  countSteps();
  openProfile(profile);
  for (size_t i = 0; i < plan_.names.size(); ++i) {
    const RunProfile::Total& total = measured_.totals()[i];
    StepProfile& step = profile.steps[i];
    step.runNs.push_back(measured_.nanoseconds(total.total));
    if (total.count == 0) continue;
    int64_t minNs = measured_.nanoseconds(total.min);
    step.minNs = step.count == 0 ? minNs : std::min(step.minNs, minNs);
    step.count += total.count;
    step.totalNs += measured_.nanoseconds(total.total);
    for (const PartCount& part : counts_[i].parts) {
      step.flops += part.flops * runsOf(part, i);
      step.bytes += part.bytes * runsOf(part, i);
    }
    apportion(i, profile);
  }
  measured_.appendTimeline(profile.totalNs, profile.timeline);
  profile.totalNs += totalNs;
  profile.runNs.push_back(totalNs);
  ++profile.runs;
}

}  // namespace tessera::cpu
