// Compose: from instructions of a module to ElementPrograms, by asking each op's `element` for its elements; fused
// producers are asked in turn, so a fusion becomes one program.
#pragma once

#include "core/base/result.h"
#include "core/element/element_program.h"
#include "core/hlo/module.h"

namespace tessera {

// The program of one instruction of kind Element over its operands' buffers (array operands in order; a tuple operand
// contributes its leaves in order), or of a fusion over the fusion's operand leaves. Fails with Fault::Unsupported,
// naming the instruction, when something in it cannot be described per element.
Result<ElementProgram> composeElement(const Module& module, InstructionId id);
// The program of an instruction of kind Loops, or of a fusion whose root is one.
Result<LoopProgram> composeLoops(const Module& module, InstructionId id);
// A computation over scalars as a program with rank-0 operands and output (reducers, comparators, map bodies).
Result<ElementProgram> composeScalar(const Module& module, ComputationId id);

// Replaces transcendental nodes by arithmetic (the one place of our approximations; sources and bounds there).
// Remaining: transcendentals of f64 and of c128's parts, which a generator takes from a library.
ElementProgram expandApproximations(const ElementProgram& program);
LoopProgram expandApproximations(const LoopProgram& program);

// Exact counts of one run of the program over its whole iteration space; transcendental nodes count once each.
struct ElementCounts {
  double flops = 0, transcendentals = 0, bytesRead = 0, bytesWritten = 0;
};
ElementCounts countProgram(const ElementProgram& program);

// "This output cell reads those input cells": all (operand, index) pairs read for one output index, at most `limit`.
struct TracedRead {
  size_t operand;
  std::vector<int64_t> index;
};
std::vector<TracedRead> traceReads(const ElementProgram& program, std::span<const int64_t> outputIndex, size_t limit);

}  // namespace tessera
