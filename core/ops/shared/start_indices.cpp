// See start_indices.h.
#include "core/ops/shared/start_indices.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

// One vector instead of scalars: the old form.
bool isVectorForm(const Shape& firstIndexShape) { return firstIndexShape.rank() == 1; }

}  // namespace

Status checkStartOperands(const InferContext& context, StartOperands starts) {
  const size_t count = context.operands.size() - starts.first;
  const bool vector = count == 1 && isVectorForm(context.operand(starts.first));
  const int64_t given = vector ? context.operand(starts.first).dimensions[0] : static_cast<int64_t>(count);
  if (given != starts.rank) {
    return context.violated("I1", fmt::format("{} needs one start index for each dimension", nameOf(context.opcode)),
                            fmt::format("{}", starts.rank), fmt::format("{}", given));
  }
  for (size_t i = starts.first; i < context.operands.size(); ++i) {
    const Shape& index = context.operand(i);
    if (!vector && !index.isScalar()) {
      return context.violated(
          "I1", fmt::format("start index {} of {} must be a scalar", i - starts.first, nameOf(context.opcode)),
          "a scalar", toString(index, false));
    }
    if (!isInteger(index.type)) {
      return context.violated(
          "I2", fmt::format("start index {} of {} must be an integer", i - starts.first, nameOf(context.opcode)),
          "an integer type", std::string(nameOf(index.type)));
    }
    if (index.type != context.operand(starts.first).type) {
      return context.violated("I3",
                              fmt::format("the start indices of {} must have one element type", nameOf(context.opcode)),
                              std::string(nameOf(context.operand(starts.first).type)), std::string(nameOf(index.type)));
    }
  }
  return {};
}

int64_t clampedStart(ElementType type, int64_t value, int64_t size, int64_t length) {
  const int64_t last = std::max<int64_t>(size - length, 0);
  if (type == ElementType::U64 && value < 0) return last;
  return std::clamp<int64_t>(value, 0, last);
}

std::vector<int64_t> clampedStarts(const EvaluateContext& context, StartOperands starts,
                                   const std::vector<int64_t>& sizes, const std::vector<int64_t>& lengths) {
  std::vector<int64_t> out;
  for (size_t i = starts.first; i < context.operands.size(); ++i) {
    for (int64_t value : intsOf(context.operands[i])) {
      const size_t d = out.size();
      out.push_back(clampedStart(context.operands[i].shape().type, value, sizes[d], lengths[d]));
    }
  }
  return out;
}

NodeId clampedStartNode(ElementBuilder& b, NodeId value, int64_t size, int64_t length) {
  const int64_t last = std::max<int64_t>(size - length, 0);
  if (b.typeOf(value) == ElementType::U64) {  // as s64 it would be negative from 2^63 on
    value = b.minimum(value, b.constantBits(ElementType::U64, static_cast<uint64_t>(last)));
  }
  return b.clampIndex(b.convert(ElementType::S64, value), 0, last);
}

Result<std::vector<NodeId>> clampedStartNodes(ElementBuilder& builder, const ReadOperand& read,
                                              const Shape& firstIndexShape, StartOperands starts,
                                              const std::vector<int64_t>& sizes, const std::vector<int64_t>& lengths) {
  std::vector<NodeId> out;
  for (size_t d = 0; d < static_cast<size_t>(starts.rank); ++d) {
    const NodeId place = builder.index(static_cast<int64_t>(d));
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, isVectorForm(firstIndexShape)
                                                     ? read(starts.first, std::span<const NodeId>(&place, 1))
                                                     : read(starts.first + d, {}));
    out.push_back(clampedStartNode(builder, value, sizes[d], lengths[d]));
  }
  return out;
}

}  // namespace tessera
