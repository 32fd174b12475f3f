// See cuda_executable.h. What readers see of an executable: its steps, their code, its PTX as a file, and a profile's
// shares.
#include <algorithm>

#include <fmt/format.h>

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
  out.place = placeText(at);
  if (at.kind == SlotKind::Temp) out.offset = at.offset;
  return out;
}

// From its entry to the end of its body.
std::string kernelText(const std::string& ptx, const std::string& name) {
  const size_t at = ptx.find(".entry " + name + "(");
  if (at == std::string::npos) return "";
  const size_t begin = ptx.rfind('\n', at) + 1, end = ptx.find("\n}\n", at);
  return ptx.substr(begin, end == std::string::npos ? end : end + 3 - begin);
}

}  // namespace

Result<std::vector<StepListing>> CudaExecutable::list(InstructionId instruction, bool withCode) const {
  std::vector<StepListing> out;
  const Cost cost = costOf(optimized(), instruction);
  forEachStep(program_->plan.steps, [&](const DeviceStep& step) {
    if (step.instruction != instruction) return;
    StepListing& listing = out.emplace_back();
    listing.name = std::string(optimized().at(instruction).name);
    listing.what = step.what;
    for (size_t i = 0; i < step.operands.size(); ++i)
      listing.buffers.push_back(placeOf(program_->plan, step.operands[i], fmt::format("operand {}", i)));
    for (size_t i = 0; i < step.results.size(); ++i)
      listing.buffers.push_back(
          placeOf(program_->plan, step.results[i], step.results.size() == 1 ? "result" : fmt::format("result {}", i)));
    listing.flops = cost.flops + cost.transcendentals;
    listing.bytes = cost.bytesAccessed;
    if (withCode && step.kind == DeviceStep::Kind::Kernel)
      listing.assembly = kernelText(program_->ptx, program_->launches[step.kernel].name);
  });
  return out;
}

// The PTX behind a comment that says what is launched, in order.
Result<CompiledObject> CudaExecutable::object(const std::string& name) {
  std::string plan =
      fmt::format("// {}: what runs, in order; parameters are the addresses of operands, then results\n", name);
  forEachStep(program_->plan.steps, [&](const DeviceStep& step) {
    plan += fmt::format("//   {:3} %{} {}", step.number, optimized().at(step.instruction).name, step.what);
    if (step.kind == DeviceStep::Kind::Kernel) {
      const KernelLaunch& launch = program_->launches[step.kernel];
      plan += fmt::format(": {}<<<{}, {}>>>", launch.name, launch.blocks, launch.blockThreads);
    }
    plan += "\n";
  });
  // PTX is ASCII; names are what files give them.
  std::ranges::replace_if(
      plan, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return CompiledObject{plan + program_->ptx, "", {}};
}

void CudaExecutable::openProfile(Profile& profile) const {
  if (profile.steps.size() == static_cast<size_t>(program_->plan.count)) return;
  profile.module = program_->source.name;
  profile.steps.clear();
  forEachStep(program_->plan.steps, [&](const DeviceStep& step) {
    profile.steps.push_back({step.instruction, std::string(optimized().at(step.instruction).name), step.what});
  });
}

// A step's time goes to the source instructions that it computes, by the work that each costs.
void CudaExecutable::shareOut(Profile& profile) const {
  CostCounter source(program_->source), made(program_->optimized);
  profile.sources.clear();
  const auto entryOf = [&](InstructionId id) -> SourceProfile& {
    const auto at = std::ranges::lower_bound(profile.sources, id, {}, &SourceProfile::instruction);
    if (at != profile.sources.end() && at->instruction == id) return *at;
    return *profile.sources.insert(at, SourceProfile{id});
  };
  for (StepProfile& step : profile.steps) {
    const Instruction& instruction = optimized().at(step.instruction);
    const Cost whole = made.of(step.instruction);
    step.flops = (whole.flops + whole.transcendentals) * static_cast<double>(step.count);
    step.bytes = whole.bytesAccessed * static_cast<double>(step.count);
    if (!instruction.provenance || step.count == 0) continue;
    std::vector<InstructionId> sources;
    std::ranges::copy_if(instruction.provenance->sources, std::back_inserter(sources),
                         [&](InstructionId id) { return program_->source.contains(id); });
    double total = 0;
    const auto weightOf = [&](InstructionId id) {
      const Cost cost = source.of(id);
      return 1e-3 + cost.flops + 18 * cost.transcendentals;
    };
    for (InstructionId id : sources) total += weightOf(id);
    for (InstructionId id : sources) {
      SourceProfile& entry = entryOf(id);
      const Cost cost = source.of(id);
      entry.measured = sources.size() == 1;
      entry.timeNs += static_cast<double>(step.totalNs) * weightOf(id) / total;
      entry.flops += (cost.flops + cost.transcendentals) * static_cast<double>(step.count);
      entry.bytes += cost.bytesAccessed * static_cast<double>(step.count);
    }
  }
}

}  // namespace tessera::cuda
