// reshape: the same elements in row-major order under other dimensions, whatever the layouts are. Code generation
// sees an index map: runs of dimensions with equal products are linearised and taken apart again, so that dimensions
// that stay keep their plain index.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/reshape_indices.h"

namespace tessera {

namespace {

Result<Shape> inferReshape(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const Shape* written, requireWrittenArray(context));
  const Shape& operand = context.operand(0);
  const auto from = operand.elementCount(), to = written->elementCount();
  if (from && to && *from != *to) {
    return context.violated("C1", "reshape must keep the number of elements",
                            fmt::format("{} elements, as {}", *from, toString(operand, false)),
                            fmt::format("{} elements in {}", *to, toString(*written, false)));
  }
  const int64_t inferred = context.attributes->intOr(Attr::inferred_dimension, 0);
  if (context.attributes->has(Attr::inferred_dimension) && (inferred < 0 || inferred >= written->rank())) {
    return context.violated("C2", "inferred_dimension is not a dimension of the result",
                            fmt::format("0 to {}", written->rank() - 1), fmt::format("{}", inferred));
  }
  return arrayOf(operand.type, written->dimensions, written->dynamic);
}

Result<Literal> evaluateReshape(const EvaluateContext& context) {
  return Literal::fromBytes(context.shape, context.operands[0].bytes());
}

Status reshapeElement(ElementContext& context) {
  const std::vector<NodeId> at =
      reshapeIndices(context.builder, context.shape().dimensions, context.indices, context.operandShape(0).dimensions);
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
  context.results = {value};
  return {};
}

constexpr OperandDoc kReshapeOperands[] = {{"operand", "The array to give other dimensions."}};
constexpr AttributeRow kReshapeAttributes[] = {
    {Attr::inferred_dimension, false, "", "The dimension whose size follows from the others, for dynamic shapes.", ""}};
constexpr Constraint kReshapeConstraints[] = {
    {"C1", "Operand and result have the same number of elements."},
    {"C2", "inferred_dimension, where given, is a dimension of the result."},
};

DimensionRelations reshapeDimensions(const InferContext& context) {
  DimensionRelations out;
  out.groups =
      reshapeGroups(context.operand(0), *context.written, context.attributes->intOr(Attr::inferred_dimension, -1));
  return out;
}

}  // namespace

const OpDef kReshape = {
    .opcode = Opcode::Reshape,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData | kWrittenShape},
    .summary = "Same elements, other dimensions",
    .doc =
        "The elements keep their row-major order: the last dimension counts fastest, in the operand and in the result, "
        "whatever the layouts in memory are.",
    .synonyms = "view flatten squeeze",
    .operands = kReshapeOperands,
    .attributes = kReshapeAttributes,
    .constraints = kReshapeConstraints,
    .inferShape = inferReshape,
    .evaluate = evaluateReshape,
    .element = reshapeElement,
    .dimensions = reshapeDimensions,
};

}  // namespace tessera
