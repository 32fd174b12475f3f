// See sort_by_calls.h.
#include "backends/cpu/sort_by_calls.h"

#include "backends/codegen/program_analysis.h"
#include "core/element/compose.h"

namespace tessera::cpu {

Result<StepPtr> planSortByCalls(LibraryContext& context, const ElementProgram& comparator, const SortShape& shape, std::vector<int> widths) {
  if (context.operands.size() > SortByCalls::kMostOperands) return fail("sort of more than 64 arrays");
  auto step = std::make_unique<SortByCalls>();
  TESSERA_ASSIGN_OR_RETURN(step->comparator, context.kernels.add(codegen::asLoopProgram(expandApproximations(comparator)),
                                                                 std::string(context.instruction.name)));
  TESSERA_ASSIGN_OR_RETURN(step->orders, context.scratch(8 * shape.rows * shape.length));
  TESSERA_ASSIGN_OR_RETURN(step->others, context.scratch(8 * shape.rows * shape.length));
  step->operands = context.operands;
  step->outputs = context.outputs;
  step->widths = std::move(widths);
  step->shape = shape;
  context.what = "sort";
  return step;
}

}  // namespace tessera::cpu
