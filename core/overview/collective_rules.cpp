// Communication that nothing runs beside: collectives without a start and a done, and pairs with no kernel between them
// in the schedule. A group of one device exchanges nothing.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/units.h"
#include "core/ops/op.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

constexpr double kBytesPerNsOfLink = 1;  // a tenth of what memory does

// Of a start: the collective that it starts; of a collective that is no half of a pair: itself; else null.
const Instruction* collectiveOf(const Workload& work, const Instruction& i) {
  if (i.opcode != Opcode::AsyncStart) return hasTrait(i.opcode, kCollective) ? &i : nullptr;
  const auto callees = work.module.callees(i);
  if (callees.size() != 1 || !work.module.contains(callees[0])) return nullptr;
  const InstructionId root = work.module.at(callees[0]).root;
  return work.module.contains(root) && hasTrait(work.module.at(root).opcode, kCollective) ? &work.module.at(root)
                                                                                          : nullptr;
}

// Groups of one device each, or a module for one device.
bool exchangesNothing(const Workload& work, const Instruction& i) {
  const auto* groups = i.attributes->get<ReplicaGroups>(Attr::replica_groups);
  if (groups && !groups->groups.empty())
    return std::ranges::all_of(groups->groups, [](const auto& group) { return group.size() <= 1; });
  const ModuleConfig& config = work.module.config();
  const bool told = config.replicaCount || config.numPartitions;
  return told && config.replicaCount.value_or(1) * config.numPartitions.value_or(1) <= 1;
}

// Something else runs, or is called, between a start and its done in the order of the schedule.
bool hasCompany(const Workload& work, const Computation& computation, size_t start) {
  const InstructionId own = computation.instructions[start];
  for (size_t k = start + 1; k < computation.instructions.size(); ++k) {
    const Instruction& i = work.module.at(computation.instructions[k]);
    if (hasTrait(i.opcode, kEndsAsync) && !i.operands.empty() && i.operands[0] == own) return false;
    const bool transfers = hasTrait(i.opcode, kStartsAsync | kCollective);
    if (executesCallees(i.opcode) || (work.isKernel(i) && !transfers)) return true;
  }
  return true;  // its end is elsewhere
}

double sentBytes(const Workload& work, const Instruction& i) {
  double sum = 0;
  for (InstructionId operand : i.operands)
    if (work.module.contains(operand)) sum += bytesOfShape(work.module.shapeOf(operand));
  const bool growing = i.opcode == Opcode::AllGather || i.opcode == Opcode::AllGatherStart;
  return growing ? std::max(sum, bytesOfShape(*i.shape) - (i.opcode == Opcode::AllGatherStart ? sum : 0)) : sum;
}

}  // namespace

void findExposedCollectives(const Workload& work, std::vector<Finding>& out) {
  if (!work.stage.optimised) return;
  SiteGroups groups;
  for (ComputationId id : work.execution.computations) {
    const Computation& computation = work.module.at(id);
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const Instruction& i = work.module.at(computation.instructions[k]);
      const Instruction* collective = collectiveOf(work, i);
      if (!collective || exchangesNothing(work, *collective)) continue;
      if (!hasTrait(i.opcode, kStartsAsync) || (work.stage.scheduled && !hasCompany(work, computation, k)))
        groups.add(work, i.id, sentBytes(work, i) * work.timesOf(i.id), std::string(i.opcodeName()));
    }
  }
  for (const auto& group : groups.sorted()) {
    const Instruction& worst = work.module.at(group.sites[0]);
    const std::string name(worst.opcodeName());
    const Shape& sent = worst.operands.size() == 1 ? work.module.shapeOf(worst.operands[0]) : *worst.shape;
    out.push_back(
        {.text = fmt::format("{} of {} with nothing beside: {} on the way",
                             counted(group.sites.size(), name, name + "s"), shapeText(sent), bytesText(group.bytes)),
         .instructions = group.sites,
         .bytes = group.bytes,
         .weight = group.bytes / kBytesPerNsOfLink});
  }
}

}  // namespace tessera
