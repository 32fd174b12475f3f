// Incomplete instructions and computations that are not called any more are taken out of a copy.
#include "core/evaluate/complete.h"

#include <algorithm>

#include "core/evaluate/trace.h"

namespace tessera {
namespace {

std::vector<bool> marked(const Module& module, const std::vector<InstructionId>& ids) {
  std::vector<bool> out(module.instructionSlots(), false);
  for (InstructionId id : ids) out[id.value] = true;
  return out;
}

// The values that a complete part ends in.
std::vector<InstructionId> endsOf(const Module& module, const std::vector<InstructionId>& complete) {
  std::vector<bool> read(module.instructionSlots(), false);
  for (InstructionId id : complete)
    for (InstructionId operand : module.at(id).operands) read[operand.value] = true;
  std::vector<InstructionId> computed, given;
  for (InstructionId id : complete) {
    if (read[id.value]) continue;
    const Opcode opcode = module.at(id).opcode;
    (opcode == Opcode::Parameter || opcode == Opcode::Constant ? given : computed).push_back(id);
  }
  return computed.empty() ? given : computed;
}

std::string freeTupleName(const Module& module) {
  std::string name = "complete";
  for (int n = 1; module.findInstruction(name); ++n) name = "complete." + std::to_string(n);
  return name;
}

void giveTuple(Module& module, const std::vector<InstructionId>& ends) {
  std::vector<Shape> shapes;
  for (InstructionId id : ends) shapes.push_back(module.shapeOf(id));
  Instruction tuple;
  const std::string name = freeTupleName(module);
  tuple.opcode = Opcode::Tuple;
  tuple.name = name;
  tuple.operands = ends;
  const Shape shape = Shape::tuple(std::move(shapes));
  module.setRoot(module.entry(), module.add(module.entry(), std::move(tuple), shape));
  ModuleConfig config = module.config();
  if (config.entryResultLayout) config.entryResultLayout = shape;
  config.inputOutputAlias.clear();  // they speak of another result
  module.setConfig(std::move(config));
}

void reach(const Module& module, ComputationId id, std::vector<bool>& reached) {
  std::vector<ComputationId> pending{id};
  while (!pending.empty()) {
    const ComputationId at = pending.back();
    pending.pop_back();
    if (!module.contains(at) || reached[at.value]) continue;
    reached[at.value] = true;
    for (InstructionId each : module.at(at).instructions)
      for (ComputationId callee : module.callees(module.at(each))) pending.push_back(callee);
  }
}

void removeUncalled(Module& module) {
  std::vector<bool> reached(module.computationSlots(), false);
  reach(module, module.entry(), reached);
  for (ComputationId id : std::vector<ComputationId>(module.order()))
    if (!reached[id.value]) module.remove(id);
}

}  // namespace

Result<CompletePart> completeModule(const Module& module) {
  if (!module.contains(module.entry())) return fail("the module has no entry");
  const std::vector<InstructionId> complete = completePart(module, module.entry());
  if (complete.empty())
    return fail("nothing is complete yet: every instruction has an open input or lacks an attribute");
  const std::vector<bool> stays = marked(module, complete);
  CompletePart out{module, {}, {}};
  const InstructionId root = module.entryComputation().root;
  const bool whole = root.valid() && stays[root.value];
  std::vector<InstructionId> gone;
  for (InstructionId id : module.entryComputation().instructions) {
    if (stays[id.value]) continue;
    out.leftOut.emplace_back(module.at(id).name);
    gone.push_back(id);
  }
  out.module.removeAll(module.entry(), gone);
  if (!whole) {
    const std::vector<InstructionId> ends = endsOf(module, complete);
    for (InstructionId id : ends) out.outputs.emplace_back(module.at(id).name);
    giveTuple(out.module, ends);
  }
  removeUncalled(out.module);
  return out;
}

}  // namespace tessera
