// See cuda_executable.h. What readers see of an executable: its steps, their code, its PTX as a file, and a profile's
// shares.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "backends/cuda/aot/device_object.h"
#include "backends/cuda/run/cuda_executable.h"
#include "core/cost/cost.h"

namespace tessera::cuda {

namespace {

BufferLocation placeOf(const DevicePlan& plan, int slot, std::string role) {
  BufferLocation out;
  out.role = std::move(role);
  if (slot < 0) {
    out.place = "none (a token)";
    return out;
  }
  const DeviceSlot& at = plan.slots[static_cast<size_t>(slot)];
  out.bytes = at.bytes;
  Slot named;
  named.kind = at.kind, named.index = at.index, named.lender = at.lender;
  out.place = placeText(named);
  if (at.kind == SlotKind::Temp) out.offset = at.offset;
  return out;
}

// From its entry to the end of its body.
std::string kernelText(const DeviceProgram& program, size_t kernel) {
  const std::string &ptx = program.ptx[program.moduleOf[kernel]], &name = program.launches[kernel].name;
  const size_t at = ptx.find(".entry " + name + "(");
  if (at == std::string::npos) return "";
  const size_t begin = ptx.rfind('\n', at) + 1, end = ptx.find("\n}\n", at);
  return ptx.substr(begin, end == std::string::npos ? end : end + 3 - begin);
}

double weightOf(const Cost& cost) {
  constexpr double kFunctionCost = 18, kLeast = 1e-3;
  return kLeast + cost.flops + kFunctionCost * cost.transcendentals;
}

}  // namespace

Result<std::vector<StepListing>> CudaExecutable::list(InstructionId instruction, bool withCode) const {
  std::vector<StepListing> out;
  const Cost cost = costOf(optimized(), instruction);
  forEachStep(program_->program.plan.steps, [&](const DeviceStep& step) {
    if (step.instruction != instruction && std::ranges::find(step.parts, instruction) == step.parts.end()) return;
    StepListing& listing = out.emplace_back();
    listing.name = std::string(optimized().at(instruction).name);
    listing.what = step.what;
    for (size_t i = 0; i < step.operands.size(); ++i)
      listing.buffers.push_back(placeOf(program_->program.plan, step.operands[i], fmt::format("operand {}", i)));
    for (size_t i = 0; i < step.results.size(); ++i)
      listing.buffers.push_back(placeOf(program_->program.plan, step.results[i],
                                        step.results.size() == 1 ? "result" : fmt::format("result {}", i)));
    listing.flops = cost.flops + cost.transcendentals;
    listing.bytes = cost.bytesAccessed;
    if (step.kind != DeviceStep::Kind::Kernel) return;
    const KernelLaunch& launch = program_->program.launches[step.kernel];
    listing.kernel = launch.name, listing.blocks = launch.blocks, listing.blockThreads = launch.blockThreads;
    listing.dynamicSharedBytes = launch.dynamicSharedBytes;
    if (withCode) listing.assembly = kernelText(program_->program, step.kernel);
  });
  return out;
}

// The PTX behind a comment that says what is launched, in order.
Result<std::string> CudaExecutable::ptx(const std::string& name) {
  std::string plan =
      fmt::format("// {}: what runs, in order; parameters are the addresses of operands, then results\n", name);
  forEachStep(program_->program.plan.steps, [&](const DeviceStep& step) {
    plan += fmt::format("//   {:3} %{} {}", step.number, optimized().at(step.instruction).name, step.what);
    if (step.kind == DeviceStep::Kind::Kernel) {
      const KernelLaunch& launch = program_->program.launches[step.kernel];
      plan += fmt::format(": {}<<<{}, {}{}>>>", launch.name, launch.blocks, launch.blockThreads,
                          launch.dynamicSharedBytes > 0 ? fmt::format(", {}", launch.dynamicSharedBytes) : "");
    }
    plan += "\n";
  });
  // PTX is ASCII; names are what files give them.
  std::ranges::replace_if(
      plan, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  // Of one header alone: what follows is the same text again.
  for (const std::string& ptx : program_->program.ptx) {
    constexpr std::string_view kEnd = ".address_size 64\n";
    const size_t end = ptx.find(kEnd);
    plan += &ptx == program_->program.ptx.data() || end == std::string::npos ? ptx : ptx.substr(end + kEnd.size());
  }
  return plan;
}

Result<CompiledObject> CudaExecutable::object(const std::string& name) {
  return makeDeviceObject({name, program_->source, program_->optimized, program_->program, program_->constants});
}

// Behind the steps stand the copies of arguments to the device and of results back.
void CudaExecutable::openProfile(Profile& profile) const {
  const DevicePlan& plan = program_->program.plan;
  const std::vector<int> copies = copiedSlots(plan);
  if (profile.steps.size() == static_cast<size_t>(plan.count) + copies.size()) return;
  profile.module = program_->source.name;
  profile.steps.clear();
  forEachStep(plan.steps, [&](const DeviceStep& step) {
    profile.steps.push_back({step.instruction, std::string(optimized().at(step.instruction).name), step.what});
  });
  for (const int s : copies) {
    const DeviceSlot& slot = plan.slots[static_cast<size_t>(s)];
    const InstructionId id = instructionOfCopy(slot);
    profile.steps.push_back({id, std::string(optimized().at(id).name),
                             slot.kind == SlotKind::Parameter ? "copy to the device" : "copy from the device"});
  }
}

// The parameter, or the entry's root.
InstructionId CudaExecutable::instructionOfCopy(const DeviceSlot& slot) const {
  const Computation& entry = optimized().entryComputation();
  if (slot.kind == SlotKind::Output) return entry.root;
  int32_t leaf = 0;
  for (InstructionId parameter : entry.parameters) {
    for (const ShapeLeaf& each : leavesOf(optimized().shapeOf(parameter))) leaf += each.shape->isArray();
    if (slot.index < leaf) return parameter;
  }
  return entry.root;
}

// The host is row 0 of the timeline, the device's streams stand below.
void CudaExecutable::addMeasured(const std::vector<MeasuredStep>& measured, int64_t totalNs, Profile& profile) const {
  constexpr size_t kMaxEvents = 1u << 20;
  const std::string recordedBy = runner_->recordedBy();
  const std::string clock = recordedBy.empty() ? "" : " (times by " + recordedBy + ")";
  std::vector<int64_t> ofThisRun(profile.steps.size());
  for (const MeasuredStep& each : measured) {
    StepProfile& entry = profile.steps[static_cast<size_t>(each.number)];
    if (entry.count == 0 && each.registers > 0)
      entry.what += fmt::format("; {} registers, {} shared bytes{}", each.registers, each.sharedBytes,
                                each.spilledBytes > 0 ? fmt::format(", {} spilled", each.spilledBytes) : "");
    entry.minNs = entry.count == 0 ? each.ownNs : std::min(entry.minNs, each.ownNs);
    entry.totalNs += each.ownNs;
    ++entry.count;
    ofThisRun[static_cast<size_t>(each.number)] += each.ownNs;
    if (profile.timeline.size() < kMaxEvents)
      profile.timeline.push_back(
          {each.stream + 1, each.number, profile.totalNs + each.beginNs, profile.totalNs + each.endNs});
  }
  for (const MeasuredStep& each : measured)
    while (profile.threadNames.size() <= static_cast<size_t>(each.stream + 1))
      profile.threadNames.push_back(
          profile.threadNames.empty() ? "host" : fmt::format("stream {}{}", profile.threadNames.size() - 1, clock));
  for (size_t i = 0; i < ofThisRun.size(); ++i) profile.steps[i].runNs.push_back(ofThisRun[i]);
  profile.runNs.push_back(totalNs);
  profile.totalNs += totalNs;
  ++profile.runs;
}

std::vector<InstructionId> CudaExecutable::sourcesOf(InstructionId id) const {
  std::vector<InstructionId> out;
  if (const auto& provenance = optimized().at(id).provenance)
    std::ranges::copy_if(provenance->sources, std::back_inserter(out),
                         [&](InstructionId source) { return program_->source.contains(source); });
  return out;
}

// Of a region, the operations of its parts, without the loops and branches around them.
std::vector<InstructionId> CudaExecutable::sourcesOf(const DeviceStep& step) const {
  const auto isControl = [&](InstructionId source) {
    const Opcode opcode = program_->source.at(source).opcode;
    return opcode == Opcode::While || opcode == Opcode::Conditional;
  };
  std::set<InstructionId> all;
  for (const InstructionId part : step.parts)
    for (const InstructionId source : sourcesOf(part))
      if (!isControl(source)) all.insert(source);
  return all.empty() ? sourcesOf(step.instruction) : std::vector(all.begin(), all.end());
}

// A step's time goes to the source instructions that it computes, by the work that each costs.
void CudaExecutable::shareOut(Profile& profile) const {
  CostCounter source(program_->source), made(program_->optimized);
  profile.sources.clear();
  profile.shares.clear();
  std::map<InstructionId, SourceProfile> sums;
  std::vector<const DeviceStep*> steps;
  forEachStep(program_->program.plan.steps, [&](const DeviceStep& step) { steps.push_back(&step); });
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    StepProfile& step = profile.steps[s];
    const bool isCopy = static_cast<int32_t>(s) >= program_->program.plan.count;
    const Cost whole = isCopy ? Cost{} : made.of(step.instruction);
    const auto count = static_cast<double>(step.count);
    step.flops = (whole.flops + whole.transcendentals) * count;
    step.bytes = whole.bytesAccessed * count;
    if (step.count == 0) continue;
    const std::vector<InstructionId> ids = isCopy ? sourcesOf(step.instruction) : sourcesOf(*steps[s]);
    double total = 0;
    for (InstructionId id : ids) total += weightOf(source.of(id));
    for (InstructionId id : ids) {
      const Cost cost = isCopy ? Cost{} : source.of(id);
      const StepShare share{static_cast<int32_t>(s), id,
                            static_cast<double>(step.totalNs) * weightOf(source.of(id)) / total,
                            (cost.flops + cost.transcendentals) * count, cost.bytesAccessed * count};
      profile.shares.push_back(share);
      SourceProfile& sum = sums[id];
      sum.instruction = id;
      sum.measured = ids.size() == 1;
      sum.timeNs += share.timeNs, sum.flops += share.flops, sum.bytes += share.bytes;
    }
  }
  for (const auto& [id, sum] : sums) profile.sources.push_back(sum);
}

}  // namespace tessera::cuda
