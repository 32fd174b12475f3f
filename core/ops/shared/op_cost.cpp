// See op_cost.h.
#include "core/ops/shared/op_cost.h"

#include <cmath>

#include "core/ops/shared/window_math.h"

namespace tessera {

const Shape& CostContext::operand(size_t i) const {
  static const Shape kNone = Shape::tuple({});
  if (i >= instruction.operands.size() || !module.contains(instruction.operands[i])) return kNone;
  return module.shapeOf(instruction.operands[i]);
}

Cost CostContext::callee(size_t i) const {
  const auto callees = module.callees(instruction);
  return i < callees.size() ? computation(callees[i]) : Cost{};
}

double elementsOf(const Shape& shape) {
  if (shape.isTuple()) return shape.elements.empty() ? 0 : elementsOf(shape.elements.front());
  double count = shape.isArray() ? 1 : 0;
  for (int64_t d : shape.dimensions) count *= d == Shape::kUnbounded ? 0 : static_cast<double>(d);
  return count;
}

double bytesOf(const Shape& shape) {
  if (shape.isTuple()) {
    double sum = 0;
    for (const Shape& element : shape.elements) sum += bytesOf(element);
    return sum;
  }
  if (!shape.isArray()) return 0;
  const int64_t bits = shape.layout ? shape.layout->elementSizeInBits : 0;
  return bits > 0 ? std::ceil(elementsOf(shape) * static_cast<double>(bits) / 8)
                  : elementsOf(shape) * byteWidth(shape.type);
}

double operandBytes(const CostContext& context) {
  double sum = 0;
  for (size_t i = 0; i < context.instruction.operands.size(); ++i) sum += bytesOf(context.operand(i));
  return sum;
}

double windowElements(const CostContext& context) {
  double count = 1;
  for (const WindowDimension& each : windowOr(*context.instruction.attributes, 0).dimensions)
    count *= static_cast<double>(each.size);
  return count;
}

Cost usualCost(const CostContext& context, double flops, double transcendentals) {
  return {flops, transcendentals, operandBytes(context) + bytesOf(context.shape())};
}

Cost appliedCost(const CostContext& context, size_t callee, double times) {
  Cost cost = usualCost(context);
  addWork(cost, context.callee(callee), times);
  return cost;
}

Cost noCost(const CostContext&) { return {}; }
Cost flopPerElement(const CostContext& context) { return usualCost(context, elementsOf(context.shape())); }
Cost transcendentalPerElement(const CostContext& context) { return usualCost(context, 0, elementsOf(context.shape())); }

Cost costOfCallees(const CostContext& context) {
  Cost sum;
  for (ComputationId id : context.module.callees(context.instruction)) {
    const Cost more = context.computation(id);
    addWork(sum, more, 1);
    sum.bytesAccessed += more.bytesAccessed;
  }
  return sum;
}

Cost costOfPart(const CostContext& context) {
  return {0, 0, 2 * bytesOf(context.shape()) + bytesOf(context.operand(1))};
}

void addWork(Cost& sum, const Cost& more, double times) {
  if (times <= 0) return;
  sum.flops += more.flops * times;
  sum.transcendentals += more.transcendentals * times;
}

}  // namespace tessera
