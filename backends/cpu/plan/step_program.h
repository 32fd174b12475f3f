// Step program: what an instruction's step computes and its arrays, before it is decided how it runs. The basis of
// the plan's steps and of its regions.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/element/approximations/approximations.h"
#include "core/element/element_program.h"
#include "core/hlo/module.h"
#include "core/passes/buffers/buffer_assignment.h"

namespace tessera {
class CustomCallLibrary;
}

namespace tessera::cpu {

// The instruction whose op determines how this one computes: a fusion runs as its root does. Null: a fusion that calls
// nothing.
const Instruction* fusionRootOf(const Module& module, const Instruction& instruction);
// Programs over dense row-major arrays, approximations expanded. ErrorKind::Unsupported where there is no description.
Result<ElementProgram> elementsOf(const Module& module, InstructionId id, WideFunctions wide = WideFunctions::Called);
Result<LoopProgram> storesOf(const Module& module, InstructionId id, WideFunctions wide = WideFunctions::Called);
// The result is the operand; annotations of a partitioner or a scheduler hand it on.
bool isIdentity(const Module& module, const Instruction& instruction, const CustomCallLibrary* customCalls);
// Only renames memory, or orders others: no step.
bool needsNoStep(Opcode opcode);
// Slots of the leaves; -1: a token.
std::vector<int> resultSlots(const BufferAssignment& buffers, const Instruction& instruction);
std::vector<int> operandSlots(const Module& module, const BufferAssignment& buffers, const Instruction& instruction);

// The arrays that come from outside a fusion, for planning its members.
class OutsideSlots {
 public:
  OutsideSlots(const Module& module, ComputationId inside, const std::vector<int>& operands);
  int of(InstructionId id) const;  // a parameter or a bitcast of one; -1: made inside

 private:
  std::unordered_map<uint32_t, int> slots_;
};

}  // namespace tessera::cpu
