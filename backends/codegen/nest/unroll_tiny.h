// Programs of a few elements, or of a few rows, as straight code: each of them and every round of their loops has nodes
// of its own, at constant indices. For programs inside a region (region_emitter). Vectors of two or three elements
// would be masked stores that the next program waits for; as scalars they stay in registers, where the work that lanes
// would share is small. Rows that differ in what they compute (stacked coordinates) need no conditions. The order of
// every sum stays. After unroll_short; before ProgramAnalysis.
#pragma once

#include "backends/codegen/nest/kernel_nest.h"
#include "core/element/element_program.h"

namespace tessera::codegen {

// The program itself where it is not one of those, or where that would cost more.
LoopProgram unrollTiny(LoopProgram program, const Target& target);

// Many small products (matrices of 3x3, 4x4): the elements of one and its sums become straight code of scalars, where
// lanes over the batch would gather everything that they read. Loops that do more than add stay as they are.
LoopProgram unrollSmallProducts(LoopProgram program, const Target& target);

// A short dimension whose elements are selected by conditions (the pieces of a stack) becomes several stores of
// one iteration, without conditions: each piece is computed for its own elements alone, and what pieces share once.
// core/passes/fusion counts on it.
LoopProgram unrollStacks(LoopProgram program);

// What the kernel library compiles: unrollShort, unrollStacks and flattenShortAxis, which change nothing a second time.
// For callers that need a kernel's nest before they add the kernel.
LoopProgram kernelForm(LoopProgram program, const Target& target);

}  // namespace tessera::codegen
