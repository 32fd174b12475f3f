// See infer_checks.h. Stands between the op files and InferContext.
#include "core/ops/inference/infer_checks.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {

Status checkArrayOperands(const InferContext& context, int count) {
  const auto found = static_cast<int>(context.operands.size());
  const bool right = count >= 0 ? found == count : found >= -count;
  if (!right) {
    const std::string expected = count >= 0 ? fmt::format("{}", count) : fmt::format("at least {}", -count);
    return context.violated("operands", fmt::format("{} takes {} operand(s)", nameOf(context.opcode), expected),
                            expected, fmt::format("{}", found));
  }
  for (size_t i = 0; i < context.operands.size(); ++i) {
    if (!context.operand(i).isArray()) {
      return context.violated("arrays", fmt::format("operand {} of {} must be an array", i, nameOf(context.opcode)),
                              "an array", toString(context.operand(i), false));
    }
  }
  return {};
}

Status checkEqualDimensions(const InferContext& context, std::string_view label) {
  if (context.operands.empty())
    return context.violated(label, fmt::format("{} needs an operand", nameOf(context.opcode)), "at least one", "none");
  const Shape& first = context.operand(0);
  for (size_t i = 0; i < context.operands.size(); ++i)
    if (!context.operand(i).isArray() || context.operand(i).dimensions != first.dimensions)
      return context.violated(label, fmt::format("operand {} differs in its dimensions", i), toString(first, false),
                              toString(context.operand(i), false));
  return {};
}

Result<size_t> checkReductionOperands(const InferContext& context) {
  const size_t n = context.operands.size() / 2;
  if (n == 0 || context.operands.size() % 2)
    return context.violated("C1", fmt::format("{} takes N inputs and N initial values", nameOf(context.opcode)),
                            "an even number of operands", std::to_string(context.operands.size()));
  for (size_t i = 0; i < n; ++i) {
    const Shape &input = context.operand(i), &init = context.operand(n + i);
    if (!input.isArray() || input.dimensions != context.operand(0).dimensions)
      return context.violated("C2", fmt::format("input {} differs in its dimensions", i),
                              toString(context.operand(0), false), toString(input, false));
    if (!init.isScalar() || !sameButPrecision(init.type, input.type))
      return context.violated("C3", fmt::format("initial value {} does not fit input {}", i, i),
                              fmt::format("{}[]", nameOf(input.type)), toString(init, false));
  }
  return n;
}

Result<const Shape*> requireWrittenArray(const InferContext& context) {
  if (!context.written || context.written->type == ElementType::Invalid) {
    return context.violated(
        "shape", fmt::format("the result shape of {} cannot be inferred and must be given", nameOf(context.opcode)));
  }
  if (!context.written->isArray()) {
    return context.violated("shape", fmt::format("the result of {} must be an array", nameOf(context.opcode)),
                            "an array", toString(*context.written, false));
  }
  return context.written;
}

Result<const std::vector<int64_t>*> requireInts(const InferContext& context, Attr name) {
  if (const auto* values = context.attributes->get<std::vector<int64_t>>(name)) return values;
  return context.violated("attributes", fmt::format("{} needs the attribute {}", nameOf(context.opcode), nameOf(name)));
}

bool sameButPrecision(ElementType a, ElementType b) { return a == b || (isFloat(a) && isFloat(b)); }

ElementType widerType(ElementType a, ElementType b) {
  if (a == b) return a;
  if (isComplex(a) != isComplex(b)) return isComplex(a) ? a : b;
  if (isFloat(a) != isFloat(b)) return isFloat(a) || isComplex(a) ? a : b;
  const ElementType wide = info(a).bits >= info(b).bits ? a : b;
  return isFloat(wide) && info(wide).bits < 32 ? ElementType::F32 : wide;
}

bool multiplicable(ElementType a, ElementType b) {
  const auto number = [](ElementType type) { return isFloat(type) || isInteger(type) || isComplex(type); };
  return a == b || (number(a) && number(b));
}

bool sameDimensions(const Shape& a, const Shape& b) { return a.dimensions == b.dimensions; }

Shape elementwiseShape(const InferContext& context, const Shape& like, ElementType type) {
  Shape shape = Shape::array(type, like.dimensions);
  std::vector<bool> dynamic(like.dimensions.size(), false);
  for (const Shape* operand : context.operands) {
    if (!sameDimensions(*operand, like)) continue;
    for (size_t d = 0; d < dynamic.size(); ++d) {
      if (operand->isDynamicDimension(static_cast<int64_t>(d))) dynamic[d] = true;
    }
  }
  if (std::ranges::find(dynamic, true) != dynamic.end()) shape.dynamic = std::move(dynamic);
  return shape;
}

Shape arrayOf(ElementType type, std::vector<int64_t> dims, std::vector<bool> dynamic) {
  Shape shape = Shape::array(type, std::move(dims));
  if (std::ranges::find(dynamic, true) != dynamic.end()) shape.dynamic = std::move(dynamic);
  return shape;
}

std::string listOf(const std::vector<int64_t>& values) { return fmt::format("{{{}}}", fmt::join(values, ",")); }

void followOperandLayout(const InferContext& context, Shape& result) {
  for (const Shape* operand : context.operands) {
    if (!operand->isArray() || operand->rank() != result.rank() || !operand->layout) continue;
    Layout layout;
    layout.minorToMajor = operand->layout->minorToMajor;
    result.layout = std::move(layout);
    return;
  }
  fillDefaultLayouts(result);
}

}  // namespace tessera
