// Step program: what an instruction's step computes and where its arrays lie, before it is decided how it runs. The plan's
// steps and its regions both stand on it.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/element/element_program.h"
#include "core/hlo/module.h"
#include "core/passes/buffer_assignment.h"

namespace tessera {
class CustomCallLibrary;
}

namespace tessera::cpu {

// The instruction whose op says how this one computes: a fusion runs as its root does. Null: a fusion that calls nothing.
const Instruction* describedBy(const Module& module, const Instruction& instruction);
// Programs over dense row-major arrays, approximations expanded. Fault::Unsupported where there is no description.
Result<ElementProgram> elementsOf(const Module& module, InstructionId id);
Result<LoopProgram> storesOf(const Module& module, InstructionId id);
// The result is the operand; annotations of a partitioner or a scheduler hand it on.
bool isIdentity(const Module& module, const Instruction& instruction, const CustomCallLibrary* customCalls);
// Only renames memory, or orders others: no step.
bool needsNoStep(Opcode opcode);
// Slots of the leaves; -1: a token.
std::vector<int> resultSlots(const BufferAssignment& buffers, const Instruction& instruction);
std::vector<int> operandSlots(const Module& module, const BufferAssignment& buffers, const Instruction& instruction);

}  // namespace tessera::cpu
