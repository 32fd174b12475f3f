// Bitcast for reshape, in control computations only: inside a fusion a reshape is index arithmetic.
#include "core/passes/layout/bitcast_reshapes.h"

#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {

Result<bool> bitcastReshapes(Module& module) {
  Rewriter rewriter(module, "bitcast-reshapes");
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      const Instruction in = rewriter.visit(id);
      if (in.opcode != Opcode::Reshape || hasSideEffect(in) || !keepsBytes(module.shapeOf(in.operands[0]), *in.shape))
        continue;
      const InstructionId from[] = {id};
      rewriter.replace(id, rewriter.add(computation, Opcode::Bitcast, *in.shape, in.operands, {}, from));
    }
  return rewriter.finish();
}

}  // namespace tessera
