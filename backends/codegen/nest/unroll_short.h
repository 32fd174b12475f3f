// Short dimensions unrolled. A loop of few rounds inside another loop (three coordinates within a sum over all
// points) becomes straight code. A short minor dimension of the result becomes several stores of one iteration, so that
// what the loops compute for all of its elements (a distance) is computed once: their loops become one with more
// accumulators. The order of every sum stays. Runs after composition, before ProgramAnalysis;
// core/passes/fusion/fusion_cost counts on it.
#pragma once

#include "core/element/element_program.h"

namespace tessera::codegen {

LoopProgram unrollShort(LoopProgram program);

}  // namespace tessera::codegen
