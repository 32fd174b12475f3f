// Each instruction said again as an addition, operands first.
#include "core/edit/structure/duplicate.h"

#include <algorithm>
#include <unordered_map>

#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

AddInstruction saidAgain(const Module& module, const Instruction& instruction) {
  AddInstruction out{instruction.computation, instruction.opcode, "", {}, {}, *instruction.shape, ""};
  if (instruction.literal) out.literal = printLiteral(*instruction.literal);
  for (const Attribute& each : instruction.attributes->items())
    if (kindOf(each.name) != AttributeKind::Instructions)
      out.attributes.push_back({each.name, printAttributeValue(module, each.value, kindOf(each.name))});
  return out;
}

}  // namespace

Edit duplicating(const Module& module, std::span<const InstructionId> ids) {
  Edit out{"Duplicate", {}};
  std::unordered_map<InstructionId, InstructionId> copies;
  if (ids.empty() || !module.contains(ids.front())) return out;
  for (InstructionId id : module.at(module.at(ids.front()).computation).instructions) {
    const Instruction& instruction = module.at(id);
    if (std::ranges::find(ids, id) == ids.end() || instruction.opcode == Opcode::Unknown) continue;
    AddInstruction copy = saidAgain(module, instruction);
    for (InstructionId operand : instruction.operands) {
      const auto copied = copies.find(operand);
      copy.operands.push_back(copied == copies.end() ? operand : copied->second);
    }
    copies.emplace(id, newInstruction(static_cast<uint32_t>(out.actions.size())));
    out.actions.push_back(std::move(copy));
  }
  return out;
}

}  // namespace tessera
