// See detach_bitcasts.h.
#include "backends/cpu/plan/detach_bitcasts.h"

#include <algorithm>

#include "core/passes/buffers/copy_insertion.h"
#include "core/passes/buffers/schedule.h"
#include "core/passes/rewriter.h"

namespace tessera::cpu {

Status detachBitcasts(Module& module) {
  auto rowMajor = [](const Shape& shape) { return !shape.layout || shape.layout->isRowMajor(); };
  // Elements narrower than a byte take one each in our buffers: those of another width lie elsewhere there.
  auto sameBytes = [](const Shape& a, const Shape& b) {
    const int from = info(a.type).bits, to = info(b.type).bits;
    return from == to || std::min(from, to) >= 8;
  };
  Rewriter rewriter(module, "detach-bitcasts");
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      const Instruction in = rewriter.visit(id);
      if (in.opcode != Opcode::Bitcast) continue;
      const Shape& from = module.shapeOf(in.operands[0]);
      if (rowMajor(*in.shape) && rowMajor(from) && sameBytes(*in.shape, from)) continue;
      const InstructionId members[] = {id};
      rewriter.fuse(members, "kLoop");
    }
  TESSERA_ASSIGN_OR_RETURN(bool changed, rewriter.finish());
  if (!changed) return {};
  if (auto status = scheduleModule(module); !status) return fail(std::move(status).error());
  if (auto status = insertCopies(module); !status) return fail(std::move(status).error());
  return {};
}

}  // namespace tessera::cpu
