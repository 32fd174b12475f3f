// See sort_by_calls.h.
#include "backends/cpu/library/sort_by_calls.h"

#include <algorithm>

#include "backends/codegen/nest/program_analysis.h"
#include "core/element/approximations/approximations.h"

namespace tessera::cpu {

namespace {

// A permutation has as many bytes as a result of 4-byte elements, and is there until the result is written; with none
// left, in scratch.
Result<int> placeOfPermutation(LibraryContext& context, const SortShape& shape, std::span<const int> widths,
                               int taken) {
  for (size_t k = 0; k < widths.size() && shape.inner == 1; ++k) {
    const int slot = context.outputs[k];
    if (widths[k] == 4 && slot != taken && std::ranges::count(context.operands, slot) == 0) return slot;
  }
  return context.scratch(static_cast<int64_t>(sizeof(SortByCalls::Index)) * shape.rows * shape.length);
}

}  // namespace

Result<StepPtr> planSortByCalls(LibraryContext& context, const ElementProgram& comparator, const SortShape& shape,
                                std::vector<int> widths) {
  if (context.operands.size() > SortByCalls::kMaxOperands) return fail("sort of more than 64 arrays");
  if (shape.length > UINT32_MAX)
    return fail(
        "sort of more than 4294967295 elements along one dimension by a comparator that is no order of numbers");
  auto step = std::make_unique<SortByCalls>();
  TESSERA_ASSIGN_OR_RETURN(step->comparator,
                           context.kernels.add(codegen::asLoopProgram(expandApproximations(comparator)),
                                               std::string(context.instruction.name)));
  TESSERA_ASSIGN_OR_RETURN(step->orders, placeOfPermutation(context, shape, widths, -1));
  TESSERA_ASSIGN_OR_RETURN(step->others, placeOfPermutation(context, shape, widths, step->orders));
  step->operands = context.operands;
  step->outputs = context.outputs;
  step->widths = std::move(widths);
  step->shape = shape;
  context.what = "sort";
  return step;
}

}  // namespace tessera::cpu
