// Constant folding: operations whose operands are all constants are computed now, by the reference evaluation of the
// op, as long as the result is small. `simplify` folds small elementwise work as it goes; the pass also takes
// reductions, products, sorts and the like, within a limit of work. Used by the simplifier and the pipeline.
#pragma once

#include "core/passes/pipeline.h"
#include "core/passes/rewriter.h"

namespace tessera {

Result<bool> foldConstants(Module& module);
// One operation of few elements without called computations; invalid when it is no such.
InstructionId foldSmallConstant(Rewriter& rewriter, const Instruction& in);

}  // namespace tessera
