// What buffers guarantee to generated code: slots that are marked as not aliasing share no byte, and the operands and
// results of each instruction that runs are one slot or do not alias.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/passes/buffers/alias_analysis.h"
#include "core/passes/buffers/buffer_assignment.h"

namespace tessera::test {

inline bool shareBytes(const Slot& a, const Slot& b) {
  auto spaceOf = [](const Slot& slot) {
    return slot.kind == SlotKind::Output ? slot.index : slot.lender;
  };  // -1: the arena
  auto isWritten = [](const Slot& slot) { return slot.kind == SlotKind::Temp || slot.kind == SlotKind::Output; };
  if (!isWritten(a) || !isWritten(b) || spaceOf(a) != spaceOf(b)) return false;
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

// "": the promise is kept.
inline std::string brokenPromise(const BufferAssignment& buffers) {
  const auto count = static_cast<int32_t>(buffers.slots.size());
  for (int32_t a = 0; a < count; ++a)
    for (int32_t b = 0; b < a; ++b)
      if (buffers.areDisjoint(a, b) &&
          shareBytes(buffers.slots[static_cast<size_t>(a)], buffers.slots[static_cast<size_t>(b)]))
        return "slots " + std::to_string(b) + " and " + std::to_string(a) + " are said to lie apart";
  return "";
}

inline std::string brokenPromise(const Module& module, ComputationId computation, const BufferAssignment& buffers) {
  auto slotsOf = [&](InstructionId id) {
    std::vector<int32_t> slots;
    for (size_t leaf = 0; leaf < leavesOf(module.shapeOf(id)).size(); ++leaf) slots.push_back(buffers.slotOf(id, leaf));
    return slots;
  };
  for (InstructionId id : module.at(computation).instructions) {
    const Instruction& in = module.at(id);
    if (isAliasOnly(in.opcode) || in.opcode == Opcode::Parameter) continue;
    std::vector<int32_t> used = slotsOf(id);
    const size_t results = used.size();
    for (InstructionId operand : in.operands)
      for (int32_t slot : slotsOf(operand)) used.push_back(slot);
    for (size_t a = 0; a < results; ++a)
      for (size_t b = 0; b < used.size(); ++b)
        if (used[a] >= 0 && used[b] >= 0 && used[a] != used[b] && !buffers.areDisjoint(used[a], used[b]))
          return std::string(in.name) + ": a result may alias part of an array";
  }
  return "";
}

}  // namespace tessera::test
