// StaticBuilder: the small static programs that the padding pass puts around operations: numbers of sizes, masks of the
// elements that count, fills. Everything is made for one instruction, whose provenance it takes.
#pragma once

#include <span>
#include <vector>

#include "core/passes/rewriter.h"

namespace tessera {

using DimensionSizes = std::vector<InstructionId>;  // one s32 scalar a dimension; invalid: the bound

class StaticBuilder {
 public:
  StaticBuilder(Rewriter& rewriter, InstructionId source);

  InstructionId make(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                     AttributeSet attributes = {});
  InstructionId make(Opcode opcode, const Shape& shape, std::initializer_list<InstructionId> operands,
                     AttributeSet attributes = {}) {
    return make(opcode, shape, std::span(operands.begin(), operands.size()), std::move(attributes));
  }
  const Shape& shapeOf(InstructionId id) const;

  // --- s32 scalars
  InstructionId number(int64_t value);
  InstructionId add(InstructionId a, InstructionId b) { return scalar(Opcode::Add, a, b); }
  InstructionId subtract(InstructionId a, InstructionId b) { return scalar(Opcode::Subtract, a, b); }
  InstructionId multiply(InstructionId a, InstructionId b) { return scalar(Opcode::Multiply, a, b); }
  InstructionId divide(InstructionId a, InstructionId b) { return scalar(Opcode::Divide, a, b); }
  InstructionId minimum(InstructionId a, InstructionId b) { return scalar(Opcode::Minimum, a, b); }
  InstructionId maximum(InstructionId a, InstructionId b) { return scalar(Opcode::Maximum, a, b); }
  InstructionId clamp(InstructionId a, int64_t low, int64_t high) {
    return minimum(maximum(a, number(low)), number(high));
  }
  InstructionId equal(InstructionId a, InstructionId b);  // pred
  // The size of a dimension of `array` as a number, also where it is the bound.
  InstructionId sizeOr(const DimensionSizes& sizes, size_t dimension, int64_t bound);

  // --- arrays
  InstructionId zeroOf(ElementType type);
  InstructionId lowestOf(ElementType type);
  InstructionId broadcast(InstructionId operand, const std::vector<int64_t>& dims, std::vector<int64_t> to = {});
  InstructionId iota(const std::vector<int64_t>& dims, size_t along);  // s32
  InstructionId elementwise(Opcode opcode, InstructionId a, InstructionId b);
  InstructionId compare(std::string_view direction, InstructionId a, InstructionId b);
  InstructionId select(InstructionId condition, InstructionId yes, InstructionId no);
  InstructionId reshape(InstructionId operand, const std::vector<int64_t>& dims);
  InstructionId pad(InstructionId operand, InstructionId value, size_t dimension, int64_t low, int64_t high);
  InstructionId slice(InstructionId operand, size_t dimension, int64_t start, int64_t limit);
  // dynamic-slice and dynamic-update-slice at `start` along one dimension, at 0 along the others.
  InstructionId sliceFrom(InstructionId operand, size_t dimension, InstructionId start, int64_t size);
  InstructionId updateFrom(InstructionId operand, InstructionId update, size_t dimension, InstructionId start);
  // pred: true where the index counts along all of `dimensions`; invalid when that is everywhere.
  InstructionId mask(const std::vector<int64_t>& dims, const DimensionSizes& sizes,
                     std::span<const int64_t> dimensions);
  // The array with `value` (a scalar) in place of what does not count along `dimensions`.
  InstructionId filled(InstructionId array, const DimensionSizes& sizes, std::span<const int64_t> dimensions,
                       InstructionId value);
  std::vector<int64_t> everyDimension(InstructionId array) const;

 private:
  InstructionId scalar(Opcode opcode, InstructionId a, InstructionId b);
  std::vector<InstructionId> starts(InstructionId array, size_t dimension, InstructionId start);

  Rewriter& rewriter_;
  InstructionId source_;
  ComputationId computation_;
};

}  // namespace tessera
