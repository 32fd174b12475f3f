// Compose: from instructions of a module to ElementPrograms, by asking each op's `element` for its elements; fused
// producers are described recursively, so a fusion becomes one program. Used by backends/cpu and core/tools/explain.
#pragma once

#include "core/base/result.h"
#include "core/element/element_program.h"
#include "core/hlo/module.h"

namespace tessera {

// The program of one instruction of kind Element over its operands' buffers (array operands in order; a tuple operand
// contributes its leaves in order), or of a fusion over the fusion's operand leaves. Fails with ErrorKind::Unsupported,
// naming the instruction, when something in it cannot be described per element.
Result<ElementProgram> composeElement(const Module& module, InstructionId id);
// The program of an instruction of kind Loops, or of a fusion whose root is one.
Result<LoopProgram> composeLoops(const Module& module, InstructionId id);
// A computation over scalars as a program with rank-0 operands and output (reducers, comparators, map bodies).
Result<ElementProgram> composeScalar(const Module& module, ComputationId id);

}  // namespace tessera
