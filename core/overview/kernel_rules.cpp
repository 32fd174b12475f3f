// Kernels that are too small, or one too many. Only what a compiler has left: before optimisation there are no kernels.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/units.h"
#include "core/ops/op.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

constexpr double kTinyBytes = 4000, kTinyFlops = 4000;
constexpr double kManyKernels = 16;   // fewer tiny ones are every program's odds and ends
constexpr double kLargeShare = 0.25;  // of all kernels
constexpr double kLaunchNs = 1000;
constexpr double kFewChainBytes = 1024;

struct KernelCount {
  double kernels = 0, tiny = 0, bytes = 0;
  SiteGroups groups;
};

KernelCount countKernels(const Workload& work) {
  KernelCount out;
  for (ComputationId computation : work.execution.computations) {
    const double times = work.execution.of(computation).times;
    for (InstructionId id : work.module.at(computation).instructions) {
      if (!work.isKernel(work.module.at(id)) || times == 0) continue;
      const Cost& cost = work.costOf(id);
      out.kernels += times;
      const bool tiny =
          cost.bytesAccessed < kTinyBytes * times && cost.flops + cost.transcendentals < kTinyFlops * times;
      // A custom call's work is not known; a collective waits for others.
      const Opcode opcode = work.module.at(id).opcode;
      const OpDef* op = findOp(opcode);
      if (!tiny || opcode == Opcode::CustomCall || !op || op->kind == ExecutionKind::Effect) continue;
      out.tiny += times;
      out.bytes += cost.bytesAccessed;
      out.groups.add(work, id, times);
    }
  }
  return out;
}

bool computesElementwise(Opcode opcode) { return opcode != Opcode::Copy && hasTrait(opcode, kElementwise); }

// Its element i depends on elements i alone: a plain elementwise op, or a loop fusion that ends in one.
bool endsElementwise(const Workload& work, const Instruction& i) {
  const Computation* fused = work.fusedBy(i);
  if (!fused) return i.shape->isArray() && computesElementwise(i.opcode);
  if (i.attributes->textOr(Attr::kind, "") != "kLoop" || !work.module.contains(fused->root)) return false;
  const Instruction& root = work.module.at(fused->root);
  return root.shape->isArray() && computesElementwise(root.opcode);
}

// Reads the operand element by element, so that its computation could be inside.
bool readsElementwise(const Workload& work, const Instruction& reader, size_t operand) {
  const Computation* fused = work.fusedBy(reader);
  if (!fused) return hasTrait(reader.opcode, kElementwise);
  if (reader.attributes->textOr(Attr::kind, "") != "kLoop" || operand >= fused->parameters.size()) return false;
  const auto users = work.users.users(fused->parameters[operand]);
  return !users.empty() && std::ranges::all_of(users, [&](InstructionId id) {
    return hasTrait(work.module.at(id).opcode, kElementwise);
  });
}

// The only reader of a kernel, when both could be one kernel.
InstructionId fusibleReader(const Workload& work, const Instruction& i) {
  const auto users = work.users.users(i.id);
  if (users.size() != 1 || work.module.at(i.computation).root == i.id || !endsElementwise(work, i)) return {};
  const Instruction& reader = work.module.at(users[0]);
  if (reader.computation != i.computation || !endsElementwise(work, reader) || !work.isKernel(reader)) return {};
  const auto at = std::ranges::find(reader.operands, i.id);
  if (std::ranges::count(reader.operands, i.id) != 1 || reader.attributes->has(Attr::control_predecessors)) return {};
  const bool sameSize = reader.shape->dimensions == i.shape->dimensions;
  return sameSize && readsElementwise(work, reader, static_cast<size_t>(at - reader.operands.begin()))
             ? reader.id
             : InstructionId();
}

}  // namespace

void findTinyKernels(const Workload& work, std::vector<Finding>& out) {
  if (!work.stage.optimised) return;
  const KernelCount count = countKernels(work);
  if (count.tiny < kManyKernels || count.tiny < kLargeShare * count.kernels) return;
  Finding finding;
  for (const auto& group : count.groups.sorted())
    finding.instructions.insert(finding.instructions.end(), group.sites.begin(), group.sites.end());
  finding.text = fmt::format("{} of {} kernels of a run touch less than {} and compute less than {} flops each",
                             countText(static_cast<uint64_t>(std::llround(count.tiny))),
                             countText(static_cast<uint64_t>(std::llround(count.kernels))), bytesText(kTinyBytes),
                             amountText(kTinyFlops));
  finding.bytes = count.bytes;
  finding.weight = count.tiny * kLaunchNs;
  out.push_back(std::move(finding));
}

void findUnfusedChains(const Workload& work, std::vector<Finding>& out) {
  if (!work.stage.optimised) return;
  SiteGroups groups;
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : work.module.at(computation).instructions) {
      const Instruction& i = work.module.at(id);
      const double bytes = bytesOfShape(*i.shape);
      if (bytes < kFewChainBytes || !work.isKernel(i) || !fusibleReader(work, i).valid()) continue;
      groups.add(work, id, 2 * bytes * work.timesOf(id));
    }
  for (const auto& group : groups.sorted()) {
    const Instruction& worst = work.module.at(group.sites[0]);
    out.push_back({.text = fmt::format("{} of {} {} by one elementwise kernel only, {} first: {} written and read",
                                       counted(group.sites.size(), "result", "results"), shapeText(*worst.shape),
                                       group.sites.size() == 1 ? "is read" : "are read",
                                       work.module.at(fusibleReader(work, worst)).name, bytesText(group.bytes)),
                   .instructions = group.sites,
                   .bytes = group.bytes});
  }
}

}  // namespace tessera
