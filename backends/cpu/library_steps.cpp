// See library_steps.h: the table.
#include "backends/cpu/library_steps.h"

namespace tessera::cpu {

Result<StepPtr> planLibrary(LibraryContext& context) {
  switch (context.instruction.opcode) {
    case Opcode::Dot: return planDot(context);
    case Opcode::Convolution: return planConvolution(context);
    case Opcode::Sort: return planSort(context);
    case Opcode::Topk: return planTopK(context);
    case Opcode::Fft: return planFourier(context);
    case Opcode::ReduceWindow: return planScan(context);
    default: return StepPtr{};
  }
}

}  // namespace tessera::cpu
