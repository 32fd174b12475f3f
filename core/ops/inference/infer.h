// Inference over a module: shapes, layouts, diagnostics; whole, or only what an edit touches.
// Stands after the readers and before the verifier, which adds the rules that are not about one op's shape.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/hlo/module.h"
#include "core/ops/op.h"

namespace tessera {

// The context of one instruction, for calling its OpDef directly. Holds pointers into the module.
InferContext inferContextOf(const Module& module, const Instruction& instruction);
// Shape of one instruction. Ops without an op file or without inference give their written shape.
Result<Shape> inferInstruction(const Module& module, InstructionId id);
// Whether inference gives what is written, layouts apart: false where an operand is open or an attribute is wrong.
bool agreesWithInference(const Module& module, InstructionId id);

// Infers every instruction in order. A written shape is a fact: a mismatch is a diagnostic and the shape stays;
// a derived one is replaced silently. Layouts are filled in.
Diagnostics inferModule(Module& module);
// Re-infers what depends on the changed instructions (across calls too) and stops where nothing changes.
struct Reinferred {
  std::vector<InstructionId> changed;
  Diagnostics diagnostics;  // of the instructions looked at
};
Reinferred reinfer(Module& module, std::span<const InstructionId> changed);

// Everything `tessera check` reports beside parsing: inference plus names, dominance and cycles, signatures, roots,
// aliasing, schedules, called computations, unknown opcodes and attributes. In a stable order.
Diagnostics verify(const Module& module);

}  // namespace tessera
