// Wider types than the values need: double precision anywhere, and products of narrow floats that are computed in f32.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/ops/op.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

bool isDouble(const Shape& shape) {
  if (shape.isTuple()) return std::ranges::any_of(shape.elements, isDouble);
  return shape.type == ElementType::F64 || shape.type == ElementType::C128;
}

constexpr double kFewWidenedBytes = 1024;

bool isNarrowFloat(ElementType type) { return isFloat(type) && info(type).bits < 32; }

// What brought doubles into a program: a convert of a narrower float, else an input, else a convert of a number or a
// truth, else any instruction.
enum SourceRank : int { kWidened, kInput, kConverted, kAny };
SourceRank sourceRank(const Module& module, const Instruction& i) {
  const bool widens = i.opcode == Opcode::Convert && !i.operands.empty() && module.contains(i.operands[0]) &&
                      !isDouble(module.shapeOf(i.operands[0]));
  if (widens) return isFloat(module.shapeOf(i.operands[0]).type) ? kWidened : kConverted;
  return i.opcode == Opcode::Parameter && i.computation == module.entry() ? kInput : kAny;
}

std::string sourceText(const Module& module, const Instruction& i) {
  switch (sourceRank(module, i)) {
    case kWidened:
    case kConverted: return fmt::format("{} becomes double at {}", nameOf(module.shapeOf(i.operands[0]).type), i.name);
    case kInput: return fmt::format("it comes in by the input {}", i.name);
    case kAny: break;
  }
  return fmt::format("first at {}", i.name);
}

// The float that an operand was before it was widened; Invalid: it was not.
ElementType typeBefore(const Module& module, InstructionId id) {
  for (int steps = 0; steps < 8 && module.contains(id); ++steps) {
    const Instruction& i = module.at(id);
    if (i.operands.empty() || !module.contains(i.operands[0])) break;
    const ElementType from = module.shapeOf(i.operands[0]).type;
    if (i.opcode == Opcode::Convert)
      return isNarrowFloat(from) && info(i.shape->type).bits > info(from).bits ? from : ElementType::Invalid;
    const bool only = i.opcode == Opcode::Transpose || i.opcode == Opcode::Reshape || i.opcode == Opcode::Bitcast ||
                      i.opcode == Opcode::Copy || i.opcode == Opcode::Broadcast;
    if (!only) break;
    id = i.operands[0];
  }
  return ElementType::Invalid;
}

// Of a kernel that does nothing but convert floats to a wider type, and move them: the type before; Invalid: it is
// none.
ElementType widenedFrom(const Workload& work, InstructionId kernel) {
  const Module& module = work.module;
  const Computation* fused = work.fusedBy(module.at(kernel));
  ElementType out = ElementType::Invalid;
  const auto takes = [&](const Instruction& i) {
    if (i.opcode == Opcode::Convert && !i.operands.empty() && module.contains(i.operands[0])) {
      const ElementType from = module.shapeOf(i.operands[0]).type;
      if (isNarrowFloat(from) && isFloat(i.shape->type) && info(i.shape->type).bits > info(from).bits) out = from;
      return out != ElementType::Invalid;
    }
    return i.opcode == Opcode::Parameter || i.opcode == Opcode::Bitcast || i.opcode == Opcode::Reshape ||
           i.opcode == Opcode::Copy || i.opcode == Opcode::Transpose;
  };
  if (!fused)
    return module.at(kernel).opcode == Opcode::Convert && takes(module.at(kernel)) ? out : ElementType::Invalid;
  for (InstructionId id : fused->instructions)
    if (!takes(module.at(id))) return ElementType::Invalid;
  return out;
}

}  // namespace

void findDoubles(const Workload& work, std::vector<Finding>& out) {
  const Module& module = work.module;
  Finding finding;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      if (!isDouble(*module.at(id).shape)) continue;
      finding.instructions.push_back(id);
      finding.flops += work.costOf(id).flops + work.costOf(id).transcendentals;
      if (work.isKernel(module.at(id))) finding.bytes += bytesOfShape(*module.at(id).shape) * work.timesOf(id);
    }
  if (finding.instructions.empty()) return;
  sortBy(finding.instructions, [&](InstructionId id) { return sourceRank(module, module.at(id)); });
  finding.text =
      fmt::format("{} of {} in double precision, {} of {} flops a run; {}", countText(finding.instructions.size()),
                  counted(module.instructionCount(), "instruction", "instructions"), amountText(finding.flops),
                  amountText(work.total().flops + work.total().transcendentals),
                  sourceText(module, module.at(finding.instructions[0])));
  finding.weight = std::max(Workload::estimatedNs({finding.flops, 0, finding.bytes}), 0.01 * work.totalWeight());
  out.push_back(std::move(finding));
}

// After optimisation it says nothing: compilers widen where the machine has no narrow arithmetic.
void findUpcasts(const Workload& work, std::vector<Finding>& out) {
  if (work.stage.optimised) return;
  const Module& module = work.module;
  SiteGroups groups;
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& i = module.at(id);
      if (!hasTrait(i.opcode, kContraction) || i.operands.size() != 2) continue;
      for (InstructionId operand : i.operands) {
        const ElementType before = typeBefore(module, operand);
        if (before == ElementType::Invalid) continue;
        groups.add(work, id, work.costOf(id).flops, std::string(nameOf(before)) + " " + std::string(i.opcodeName()));
        break;
      }
    }
  for (const auto& group : groups.sorted()) {
    const Instruction& worst = module.at(group.sites[0]);
    ElementType before = typeBefore(module, worst.operands[0]);
    if (before == ElementType::Invalid) before = typeBefore(module, worst.operands[1]);
    const ElementType type = module.shapeOf(worst.operands[0]).type;
    out.push_back(
        {.text = fmt::format(
             "{} {} in {} what was {}: {} flops a run",
             counted(group.sites.size(), std::string(worst.opcodeName()), std::string(worst.opcodeName()) + "s"),
             group.sites.size() == 1 ? "computes" : "compute", nameOf(type), nameOf(before), amountText(group.bytes)),
         .instructions = group.sites,
         .flops = group.bytes});
  }
}

// Weights of bf16 that a machine without such arithmetic converts before every product. Not what a fusion converts on
// its way, nor numbers to floats: these are another array.
void findWidened(const Workload& work, std::vector<Finding>& out) {
  if (!work.stage.optimised) return;
  std::map<std::string, Finding> byTypes;
  std::map<std::string, double> worst;
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : work.module.at(computation).instructions) {
      const ElementType before = work.isKernel(work.module.at(id)) ? widenedFrom(work, id) : ElementType::Invalid;
      const Shape& shape = work.module.shapeOf(id);
      if (before == ElementType::Invalid || bytesOfShape(shape) < kFewWidenedBytes) continue;
      const std::string types = fmt::format("{} to {}", nameOf(before), nameOf(shape.type));
      Finding& finding = byTypes[types];
      const double bytes = work.costOf(id).bytesAccessed;
      finding.instructions.push_back(id);
      if (bytes > worst[types])
        worst[types] = bytes, std::swap(finding.instructions.front(), finding.instructions.back());
      finding.bytes += bytes;
    }
  for (auto& [types, finding] : byTypes) {
    finding.text = fmt::format("{} of {} materialised: {} read and written, {} the largest",
                               counted(finding.instructions.size(), "conversion", "conversions"), types,
                               bytesText(finding.bytes), shapeText(work.module.shapeOf(finding.instructions[0])));
    out.push_back(std::move(finding));
  }
}

}  // namespace tessera
