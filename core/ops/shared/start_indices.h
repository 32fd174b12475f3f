// Start indices of slices: dynamic-slice, dynamic-update-slice and gather take them from operands of any integer type
// and clamp them so that the slice stays inside. Here is that clamp, for the evaluator and for element programs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ops/op.h"
#include "core/ops/shared/element_context.h"

namespace tessera {

// The operands of an instruction that hold start indices begin here: one scalar per dimension, or one vector.
struct StartOperands {
  size_t first;
  int64_t rank;
};

// Labels "I1" (count), "I2" (element type), "I3" (equal types).
Status checkStartOperands(const InferContext& context, StartOperands starts);
inline constexpr Constraint kStartConstraints[] = {
    {"I1", "There is one scalar start index for each dimension, or one vector of them."},
    {"I2", "Start indices are integers."},
    {"I3", "All start indices have the same element type."},
};

// Start of dimension d, clamped to [0, size - length]. `value` is the index as widened bits of `type`.
int64_t clampedStart(ElementType type, int64_t value, int64_t size, int64_t length);
// All starts of an evaluated instruction, clamped for slices of `lengths` out of `sizes`.
std::vector<int64_t> clampedStarts(const EvaluateContext& context, StartOperands starts,
                                   const std::vector<int64_t>& sizes, const std::vector<int64_t>& lengths);
// The same as index nodes. `read` reads operand i at indices.
NodeId clampedStartNode(ElementBuilder& builder, NodeId value, int64_t size, int64_t length);
using ReadOperand = std::function<Result<NodeId>(size_t operand, std::span<const NodeId> at)>;
Result<std::vector<NodeId>> clampedStartNodes(ElementBuilder& builder, const ReadOperand& read,
                                              const Shape& firstIndexShape, StartOperands starts,
                                              const std::vector<int64_t>& sizes, const std::vector<int64_t>& lengths);

}  // namespace tessera
