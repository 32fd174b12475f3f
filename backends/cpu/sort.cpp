// sort: rows along one dimension, spread over threads; each row is a stable merge sort of an index permutation with
// the comparator compiled as a kernel over scalars, then all operands are gathered by it.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/codegen/program_analysis.h"
#include "backends/cpu/library_steps.h"
#include "core/element/compose.h"

namespace tessera::cpu {

namespace {

class SortStep : public Step {
 public:
  std::vector<int> operands, outputs;
  std::vector<int> widths;
  int64_t length = 1, inner = 1, rows = 1;
  size_t comparator = 0;

  Status run(RunState& state) override;

 private:
  void sortRow(RunState& state, int64_t row, std::vector<int64_t>& order, std::vector<void*>& buffers) const;
};

void SortStep::sortRow(RunState& state, int64_t row, std::vector<int64_t>& order, std::vector<void*>& buffers) const {
  int64_t first = row / inner * inner * length + row % inner;
  CompiledKernel::Function compare = state.kernels->at(comparator).function;
  unsigned char answer = 0;
  buffers.back() = &answer;
  auto at = [&](size_t operand, int64_t i) {
    return state.pointers[static_cast<size_t>(operands[operand])] + (first + i * inner) * widths[operand];
  };
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
    for (size_t k = 0; k < operands.size(); ++k) {
      buffers[2 * k] = at(k, x);
      buffers[2 * k + 1] = at(k, y);
    }
    compare(buffers.data(), 0, 1);
    return answer != 0;
  });
  for (size_t k = 0; k < operands.size(); ++k) {
    std::byte* to = state.pointers[static_cast<size_t>(outputs[k])];
    auto width = static_cast<size_t>(widths[k]);
    for (int64_t i = 0; i < length; ++i)
      std::memcpy(to + (first + i * inner) * widths[k], at(k, order[static_cast<size_t>(i)]), width);
  }
}

Status SortStep::run(RunState& state) {
  if (length == 0) return {};
  int64_t chunk = std::max<int64_t>(1, 2048 / length);
  state.pool->parallelFor(rows, chunk, [&](int64_t begin, int64_t end, int) {
    std::vector<int64_t> order(static_cast<size_t>(length));
    std::vector<void*> buffers(2 * operands.size() + 1);
    for (int64_t row = begin; row < end; ++row) sortRow(state, row, order, buffers);
  });
  return {};
}

}  // namespace

Result<StepPtr> planSort(LibraryContext& context) {
  const Instruction& sort = context.instruction;
  std::vector<ComputationId> callees = context.module.callees(sort);
  const Shape& shape = context.module.shapeOf(sort.operands[0]);
  const std::vector<int64_t>& dimensions = sort.attributes->ints(Attr::dimensions);
  if (callees.size() != 1 || shape.rank() == 0) return fail(std::string(sort.name) + ": sort without a comparator or a dimension");
  auto dimension = static_cast<size_t>(dimensions.empty() ? shape.rank() - 1 : dimensions[0]);
  auto program = composeScalar(context.module, callees[0]);
  if (!program) return fail(std::move(program).error());
  auto step = std::make_unique<SortStep>();
  TESSERA_ASSIGN_OR_RETURN(step->comparator, context.kernels.add(codegen::asLoopProgram(expandApproximations(*program)),
                                                                 std::string(sort.name)));
  step->operands = context.operands;
  step->outputs = context.outputs;
  for (InstructionId operand : sort.operands) step->widths.push_back(byteWidth(context.module.shapeOf(operand).type));
  step->length = shape.dimensions[dimension];
  for (size_t d = 0; d < shape.dimensions.size(); ++d) {
    if (d != dimension) step->rows *= shape.dimensions[d];
    if (d > dimension) step->inner *= shape.dimensions[d];
  }
  context.what = "sort";
  return step;
}

}  // namespace tessera::cpu
