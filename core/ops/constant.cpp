// constant and parameter: where values come from: the file, or the caller.
#include <cstring>

#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr Constraint kConstantConstraints[] = {
    {"C1", "the constant has a value"},
    {"C2", "the value has the written shape"},
};
constexpr Constraint kParameterConstraints[] = {
    {"C1", "the parameter has a written shape"},
    {"C2", "the parameter has a number"},
};

Result<Shape> inferConstant(const InferContext& context) {
  if (!context.literal) return context.violated("C1", "the constant has no value");
  if (context.written && !compatible(*context.written, context.literal->shape()))
    return context.violated("C2", "the value has another shape", toString(*context.written, false),
                            toString(context.literal->shape(), false));
  return withoutLayout(context.written ? *context.written : context.literal->shape());
}

Result<Literal> evaluateConstant(const EvaluateContext& context) {
  if (!context.instruction.literal) return fail("the constant has no value");
  return *context.instruction.literal;
}

// Whether all elements have the same bits, so that the value needs no memory in a kernel.
bool isSplat(const Literal& literal) {
  const size_t width = static_cast<size_t>(byteWidth(literal.shape().type));
  std::span<const std::byte> bytes = literal.bytes();
  return bytes.size() >= width && std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) == 0;
}

Status elementOfConstant(ElementContext& context) {
  const LiteralPtr& literal = context.instruction.literal;
  if (literal && literal->shape().isArray() && isSplat(*literal)) {
    context.results = {context.builder.scalarOf(*literal, 0)};
    return {};
  }
  return fail(ErrorKind::Unsupported,
              context.instruction.reference() + " holds different values and has to be a buffer");
}

Result<Shape> inferParameter(const InferContext& context) {
  if (!context.written) return context.violated("C1", "the parameter has no shape");
  if (context.parameterNumber < 0)
    return context.violated("C2", "the parameter has no number", "0 or more", std::to_string(context.parameterNumber));
  return withoutLayout(*context.written);
}

}  // namespace

const OpDef kConstant = {
    .opcode = Opcode::Constant,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::Structure, kWrittenShape, OpColor::Constant},
    .summary = "A value that stands in the file.",
    .doc = "The literal in parentheses is the value: numbers in nested braces, one level a dimension.",
    .title = "{literal}",
    .operands = {},
    .attributes = {},
    .constraints = kConstantConstraints,
    .inferShape = inferConstant,
    .cost = noCost,
    .evaluate = evaluateConstant,
    .element = elementOfConstant,
    .dimensions = noRelations,
};
const OpDef kParameter = {
    .opcode = Opcode::Parameter,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::Structure, kWrittenShape, OpColor::Parameter},
    .summary = "An argument of the computation.",
    .doc = "parameter(n) is argument $n$ of the call. A computation's parameters are numbered from 0 without gaps.",
    .synonyms = "input argument",
    .title = "{argument}",
    .operands = {},
    .attributes = {},
    .constraints = kParameterConstraints,
    .inferShape = inferParameter,
    .cost = noCost,
    .dimensions = noRelations,
};

}  // namespace tessera
