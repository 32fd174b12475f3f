// whatIf of roofline_model.h: the work of a selection with another element type or other edges of its kernels.
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "core/analysis/roofline_work.h"
#include "core/cost/cost.h"
#include "core/hlo/element_type.h"
#include "core/overview/execution.h"

namespace tessera {
namespace {

using Selection = std::unordered_set<InstructionId>;

constexpr double kNoTimeNs = 0.5;  // a counted share below it says nothing

// Bytes of a shape, its floats as another type where one is given.
double bytesAs(const Shape& shape, std::optional<ElementType> type) {
  double out = 0;
  for (const ShapeLeaf& leaf : leavesOf(shape)) {
    const Shape& array = *leaf.shape;
    if (!array.isArray()) continue;
    const ElementType as = type && isFloat(array.type) ? *type : array.type;
    out += static_cast<double>(array.elementCount().value_or(0)) * static_cast<double>(byteWidth(as));
  }
  return out;
}

// What a user of tuples reads is elsewhere; constants of one number and generated values move nothing.
bool movesNothing(const Instruction& instruction) {
  return instruction.opcode == Opcode::Tuple || instruction.opcode == Opcode::GetTupleElement ||
         instruction.opcode == Opcode::Bitcast || instruction.opcode == Opcode::Parameter ||
         instruction.opcode == Opcode::Constant || instruction.opcode == Opcode::Iota;
}

class SelectedWork {
 public:
  SelectedWork(const Module& module, std::span<const InstructionId> selection)
      : module_(module), users_(module), execution_(executionOf(module)) {
    for (InstructionId id : selection)
      if (module.contains(id)) selected_.insert(id);
  }

  // Read from outside and written for outside.
  double bytesOfOne(std::optional<ElementType> type) const {
    double out = 0;
    Selection read;
    for (InstructionId id : selected_) {
      if (isGiven(id)) continue;
      const Instruction& instruction = module_.at(id);
      for (InstructionId operand : instruction.operands)
        if (module_.contains(operand) && (!selected_.contains(operand) || isGiven(operand)) &&
            read.insert(operand).second)
          out += timesOf(id) * bytesAs(module_.shapeOf(operand), type);
      if (isSeenOutside(id)) out += timesOf(id) * bytesAs(*instruction.shape, type);
    }
    return out;
  }
  // As if each wrote its result and read its operands.
  double bytesOfEach(std::optional<ElementType> type) const {
    double out = 0;
    for (InstructionId id : takenApart()) {
      const Instruction& instruction = module_.at(id);
      if (movesNothing(instruction)) continue;
      double bytes = bytesAs(*instruction.shape, type);
      for (InstructionId operand : instruction.operands)
        if (module_.contains(operand)) bytes += bytesAs(module_.shapeOf(operand), type);
      out += timesOf(id) * bytes;
    }
    return out;
  }
  size_t kernelsOfEach() const {
    const auto all = takenApart();
    return static_cast<size_t>(
        std::ranges::count_if(all, [&](InstructionId id) { return !movesNothing(module_.at(id)); }));
  }
  bool contains(InstructionId id) const { return selected_.contains(id); }
  bool empty() const { return selected_.empty(); }

 private:
  // Of what a fusion holds: the fusion's.
  double timesOf(InstructionId id) const {
    const ComputationId computation = module_.at(id).computation;
    const double times = execution_.of(computation).times;
    if (times > 0) return times;
    for (InstructionId fusion : selected_)
      if (module_.at(fusion).computation != computation)
        for (ComputationId callee : module_.callees(module_.at(fusion)))
          if (callee == computation) return std::max(1.0, execution_.of(module_.at(fusion).computation).times);
    return 1;
  }
  // It lies in memory before the program begins, whatever is selected.
  bool isGiven(InstructionId id) const {
    const Instruction& instruction = module_.at(id);
    return instruction.opcode == Opcode::Constant ||
           (instruction.opcode == Opcode::Parameter && instruction.computation == module_.entry());
  }
  bool isSeenOutside(InstructionId id) const {
    if (module_.at(module_.at(id).computation).root == id) return true;
    return std::ranges::any_of(users_.users(id), [&](InstructionId user) { return !selected_.contains(user); });
  }
  std::vector<InstructionId> takenApart() const {
    std::vector<InstructionId> out;
    for (InstructionId id : selected_) {
      if (module_.at(id).opcode != Opcode::Fusion) {
        out.push_back(id);
        continue;
      }
      for (ComputationId callee : module_.callees(module_.at(id)))
        if (module_.contains(callee))
          out.insert(out.end(), module_.at(callee).instructions.begin(), module_.at(callee).instructions.end());
    }
    std::ranges::sort(out);
    return out;
  }

  const Module& module_;
  const UserTable users_;
  const Execution execution_;
  Selection selected_;
};

// The share of a unit's time that belongs to the selection.
double shareOf(const OpUnit& unit, const SelectedWork& work) {
  if (unit.facts.instruction.valid() && work.contains(unit.facts.instruction)) return 1;
  double ns = 0;
  for (const OpMember& member : unit.members)
    if (work.contains(member.facts.instruction)) ns += member.timeNs;
  return unit.selfNs > 0 ? ns / unit.selfNs : 0;
}

// executions: of the kernel that is executed most often.
RooflineDot measuredOf(const OpTimes& times, const SelectedWork& work, double& executions) {
  RooflineDot out{.name = "selection"};
  double longest = 0;
  size_t kernels = 0;
  for (const OpUnit& unit : times.units) {
    const double share = shareOf(unit, work);
    if (share * unit.selfNs < kNoTimeNs) continue;
    ++kernels;
    out.count += unit.count;
    executions = std::max(executions, unit.count);
    out.flops += share * unit.flops;
    out.bytes += share * unit.bytes;
    out.measuredNs += share * unit.selfNs;
    if (share * unit.selfNs <= longest) continue;
    longest = share * unit.selfNs;
    out.type = unit.type;
    out.name = unit.facts.name;
  }
  if (kernels > 1) out.name += fmt::format(" and {} more", kernels - 1);
  return out;
}

Result<std::optional<ElementType>> typeNamed(const std::string& name) {
  if (name.empty()) return std::optional<ElementType>();
  const std::optional<ElementType> type = elementTypeFromName(name);
  if (type && isFloat(*type)) return type;
  return fail({.kind = ErrorKind::Usage,
               .message = "no floating point type",
               .expected = "one such as bf16 or f32",
               .found = name});
}

// The bytes that were counted, with the floats of another width.
double bytesAfter(const SelectedWork& work, const RooflineDot& before, std::optional<ElementType> type,
                  KernelEdges edges) {
  if (edges == KernelEdges::One) return work.bytesOfOne(type);
  if (edges == KernelEdges::Each) return work.bytesOfEach(type);
  const double now = work.bytesOfOne(std::nullopt);
  return now > 0 ? before.bytes * work.bytesOfOne(type) / now : before.bytes;
}

}  // namespace

Result<WhatIfAnswer> whatIf(const Module& module, const OpTimes& times, const DevicePeaks& peaks,
                            std::span<const InstructionId> selection, const WhatIf& change) {
  TESSERA_ASSIGN_OR_RETURN(const std::optional<ElementType> type, typeNamed(change.type));
  const SelectedWork work(module, selection);
  WhatIfAnswer out;
  double executions = 0;
  out.before = measuredOf(times, work, executions);
  if (out.before.measuredNs <= 0)
    return fail(ErrorKind::Usage,
                "the selection takes no time of its own: select a node that has one, or a whole kernel");
  out.before.instructions.assign(selection.begin(), selection.end());
  predict(out.before, peaks);
  out.after = out.before;
  out.after.bytes = bytesAfter(work, out.before, type, change.edges);
  if (type) out.after.type = change.type;
  if (change.edges == KernelEdges::One) out.after.count = executions;
  if (change.edges == KernelEdges::Each) out.after.count = executions * static_cast<double>(work.kernelsOfEach());
  predict(out.after, peaks);
  if (type && peaks.computeNs(change.type, 1e9) <= 0)
    out.notes.push_back(fmt::format("{} has no peak for {}: its arithmetic is not counted", peaks.name, change.type));
  out.error = modelError(rooflineDots(times, peaks, OpGrouping::None), selection);
  out.expectedNs = out.before.predictedNs > 0 ? out.before.measuredNs * out.after.predictedNs / out.before.predictedNs
                                              : out.after.predictedNs;
  out.after.measuredNs = out.expectedNs;
  out.lowNs = out.after.predictedNs * out.error.low;
  out.highNs = out.after.predictedNs * out.error.high;
  return out;
}

}  // namespace tessera
