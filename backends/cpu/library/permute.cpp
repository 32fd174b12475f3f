// See permute.h.
#include "backends/cpu/library/permute.h"

#include <algorithm>
#include <optional>

#include "backends/runtime/movement/permute_step.h"
#include "core/base/sorting.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

using Axis = PermutedAxis;

// By dimension of the result, sizes of 1 left out; nullopt: not a permutation of all of the operand.
std::optional<std::vector<Axis>> axesOf(const ElementProgram& program) {
  if (program.results.size() != 1 || !program.loops.empty()) return std::nullopt;
  const Node& read = program.at(program.results[0]);
  if (read.op != NodeOp::Read) return std::nullopt;
  const std::vector<int64_t>& sizes = program.operands[read.bits0].dimensions;
  const auto indices = program.inputsOf(program.results[0]);
  std::vector<Axis> axes(program.outputDims.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) {
    const Node& index = program.at(indices[d]);
    if (sizes[d] == 1) continue;
    if (index.op != NodeOp::OutputIndex || axes[index.bits0].from != 0 || program.outputDims[index.bits0] != sizes[d])
      return std::nullopt;
    axes[index.bits0].from = stride;
  }
  stride = 1;
  for (size_t d = axes.size(); d-- > 0; stride *= program.outputDims[d]) {
    axes[d].size = program.outputDims[d];
    axes[d].to = stride;
    if (axes[d].size != 1 && axes[d].from == 0) return std::nullopt;  // broadcast
  }
  std::erase_if(axes, [](const Axis& axis) { return axis.size == 1; });
  return axes;
}

// Neighbours that both sides walk as one.
std::vector<Axis> merged(const std::vector<Axis>& axes) {
  std::vector<Axis> out;
  for (const Axis& axis : axes) {
    if (!out.empty() && out.back().from == axis.from * axis.size)
      out.back() = {out.back().size * axis.size, axis.from, axis.to};
    else
      out.push_back(axis);
  }
  return out;
}

// Rows that stay rows, in the operand's order.
StepPtr planRuns(std::vector<Axis> axes, int64_t width, int from, int to) {
  const Axis row = axes.back();
  if (row.size * width < tuning().movement.longRunBytes || row.size * width % 64 != 0) return nullptr;
  axes.pop_back();
  sortDescending(axes, &Axis::from);
  return makePermuteStep({std::move(axes), row, Axis{}, width, from, to, -1});
}

}  // namespace

Result<StepPtr> planPermute(const ElementProgram& program, int from, int to, int threads,
                            const std::function<Result<int>(int64_t bytes)>& scratch) {
  const auto& limits = tuning().movement;
  const auto found = axesOf(program);
  if (!found) return StepPtr{};
  std::vector<Axis> axes = merged(*found);
  const auto across = std::ranges::find(axes, int64_t{1}, &Axis::from);
  if (axes.size() < 2 || across == axes.end()) return StepPtr{};
  const int64_t width = byteWidth(program.operands[program.at(program.results[0]).bits0].type);
  int64_t elements = 1;
  for (const Axis& axis : axes) elements *= axis.size;
  if (across + 1 == axes.end())
    return elements * width >= limits.streamedBytes ? planRuns(std::move(axes), width, from, to) : StepPtr{};
  const Axis along = axes.back(), acrossAxis = *across;
  if (along.size < limits.shortAxis || acrossAxis.size < limits.shortAxis || elements < limits.smallTranspose)
    return StepPtr{};
  axes.erase(across);
  axes.pop_back();
  Permute permute{std::move(axes), along, acrossAxis, width, from, to, -1};
  if (const int64_t bytes = permuteBufferBytes(permute, threads); bytes > 0) {
    TESSERA_ASSIGN_OR_RETURN(permute.buffers, scratch(bytes));
  }
  return makePermuteStep(std::move(permute));
}

}  // namespace tessera::cpu
