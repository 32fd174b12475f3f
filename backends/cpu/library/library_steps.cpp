// See library_steps.h: the table.
#include "backends/cpu/library/library_steps.h"

namespace tessera::cpu {

Result<StepPtr> planLibrary(LibraryContext& context) {
  switch (context.instruction.opcode) {
    case Opcode::Dot: return planDot(context);
    case Opcode::Convolution: return planConvolution(context);
    case Opcode::Sort: return planSort(context);
    case Opcode::Topk: return planTopK(context);
    case Opcode::Fft: return planFourier(context);
    case Opcode::ReduceWindow: return planScan(context);
    case Opcode::TriangularSolve: return planTriangularSolve(context);
    case Opcode::Cholesky: return planCholesky(context);
    case Opcode::CustomCall: return planLapack(context);
    default: return StepPtr{};
  }
}

}  // namespace tessera::cpu
