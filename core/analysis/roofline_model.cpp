// See roofline_model.h: dots and the model's error.
#include "core/analysis/roofline_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "core/analysis/roofline_work.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr double kFasterThanAllowed = 0.9;  // of the prediction: beyond what times vary by

RooflineDot dotOf(const OpUnit& unit, const DevicePeaks& peaks) {
  RooflineDot out{.name = unit.facts.name, .type = unit.type, .count = unit.count, .flops = unit.flops};
  out.bytes = unit.bytes;
  out.measuredNs = unit.selfNs;
  out.instructions = instructionsOf(unit);
  predict(out, peaks);
  return out;
}

const std::string& groupName(const OpFacts& facts, OpGrouping by, const std::string& entry) {
  switch (by) {
    case OpGrouping::Scope: return placeInScopes(facts.scope, facts.computation, entry);
    case OpGrouping::Opcode: return facts.opcode;
    case OpGrouping::Category: return facts.category;
    case OpGrouping::Source: return facts.source;
    case OpGrouping::Computation: return facts.computation;
    case OpGrouping::None: return facts.name;
  }
  return facts.name;
}

// The kernels of a group run one after the other: their times add up.
void addKernel(RooflineDot& group, const RooflineDot& kernel) {
  const bool larger = kernel.measuredNs > group.measuredNs - kernel.measuredNs;
  if (group.type.empty() || larger) group.type = kernel.type, group.bound = kernel.bound;
  group.instructions.insert(group.instructions.end(), kernel.instructions.begin(), kernel.instructions.end());
  group.count += kernel.count;
  group.flops += kernel.flops;
  group.bytes += kernel.bytes;
  group.measuredNs += kernel.measuredNs;
  group.predictedNs += kernel.predictedNs;
}

double quantile(const std::vector<double>& sorted, double at) {
  return sorted[static_cast<size_t>(at * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace

std::vector<InstructionId> instructionsOf(const OpUnit& unit) {
  if (unit.facts.instruction.valid()) return {unit.facts.instruction};
  std::vector<InstructionId> out;
  for (const OpMember& member : unit.members)
    if (member.facts.instruction.valid()) out.push_back(member.facts.instruction);
  return out;
}

void predict(RooflineDot& dot, const DevicePeaks& peaks) {
  constexpr double kOverhead = 0.1;
  const double compute = peaks.computeNs(dot.type, dot.flops), memory = peaks.memoryNs(dot.bytes, dot.count);
  dot.predictedNs = std::max(compute, memory);
  dot.bound = dot.predictedNs <= 0                                                  ? BoundBy::Unknown
              : dot.measuredNs > 0 && compute + memory < kOverhead * dot.measuredNs ? BoundBy::Overhead
              : compute > memory                                                    ? BoundBy::Compute
                                                                                    : BoundBy::Memory;
}

std::vector<RooflineDot> rooflineDots(const OpTimes& times, const DevicePeaks& peaks, OpGrouping by) {
  std::vector<RooflineDot> out;
  std::map<std::string, size_t> groups;
  for (const OpUnit& unit : times.units) {
    if (unit.flops <= 0 && unit.bytes <= 0) continue;
    RooflineDot dot = dotOf(unit, peaks);
    if (by == OpGrouping::None) {
      out.push_back(std::move(dot));
      continue;
    }
    const std::string& name = groupName(unit.facts, by, times.entry);
    const auto [at, isNew] = groups.try_emplace(name, out.size());
    if (isNew) out.push_back({.name = name.empty() ? "(none)" : name});
    addKernel(out[at->second], dot);
  }
  sortDescending(out, &RooflineDot::measuredNs);
  return out;
}

ModelError modelError(std::span<const RooflineDot> kernels, std::span<const InstructionId> without) {
  const std::unordered_set<InstructionId> left(without.begin(), without.end());
  std::vector<double> ratios;
  for (const RooflineDot& kernel : kernels) {
    if (kernel.measuredNs <= 0 || kernel.predictedNs <= 0) continue;
    if (std::ranges::any_of(kernel.instructions, [&](InstructionId id) { return left.contains(id); })) continue;
    ratios.push_back(kernel.measuredNs / kernel.predictedNs);
  }
  if (ratios.empty()) return {};
  std::ranges::sort(ratios);
  const size_t faster = static_cast<size_t>(std::ranges::lower_bound(ratios, kFasterThanAllowed) - ratios.begin());
  return {ratios.size(), quantile(ratios, 0.1), quantile(ratios, 0.5), quantile(ratios, 0.9), faster};
}

std::string ModelError::doubt() const {
  if (faster == 0) return {};
  return fmt::format(
      "{} kernel{} faster than the peaks allow: these were measured while the machine was busy, or are "
      "of another device",
      faster, faster == 1 ? " is" : "s are");
}

}  // namespace tessera
