// broadcast: repeats the operand along new dimensions. Operand dimension i becomes result dimension dimensions[i];
// the result's other dimensions only repeat. The result shape is a fact of the instruction (its new sizes stand
// nowhere else). Code generation sees a read whose index lacks the new dimensions.
#include <algorithm>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

Status checkDimension(const InferContext& context, const Shape& result, size_t i, int64_t to) {
  if (to < 0 || to >= result.rank()) {
    return context.violated("C2", "broadcast maps an operand dimension to one that the result lacks",
                            fmt::format("0 to {}", result.rank() - 1), fmt::format("{}", to));
  }
  const int64_t from = context.operand(0).dimensions[i], size = result.dimensions[static_cast<size_t>(to)];
  if (from != size) {
    return context.violated("C3", fmt::format("operand dimension {} and result dimension {} differ in size", i, to),
                            fmt::format("{}", from), fmt::format("{}", size));
  }
  return {};
}

Result<Shape> inferBroadcast(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  const auto& dims = context.attributes->ints(Attr::dimensions);
  if (static_cast<int64_t>(dims.size()) != operand.rank()) {
    return context.violated("C1", "broadcast needs one entry of dimensions for each operand dimension",
                            fmt::format("{} entries", operand.rank()), listOf(dims));
  }
  TESSERA_ASSIGN_OR_RETURN(const Shape* written, requireWrittenArray(context));
  for (size_t i = 0; i < dims.size(); ++i) {
    TESSERA_TRY(checkDimension(context, *written, i, dims[i]));
    if (std::find(dims.begin(), dims.begin() + static_cast<int64_t>(i), dims[i]) !=
        dims.begin() + static_cast<int64_t>(i)) {
      return context.violated("C4", "broadcast maps two operand dimensions to one result dimension", "distinct entries",
                              listOf(dims));
    }
  }
  Shape shape = arrayOf(operand.type, written->dimensions, written->dynamic);
  return shape;
}

Result<Literal> evaluateBroadcast(const EvaluateContext& context) {
  const auto& dims = context.instruction.attributes->ints(Attr::dimensions);
  const Literal& operand = context.operands[0];
  const std::vector<int64_t> strides = rowMajorStrides(operand.shape().dimensions);
  return moveElements(context, operand, [&](std::span<const int64_t> index) {
    int64_t linear = 0;
    for (size_t i = 0; i < dims.size(); ++i) linear += index[static_cast<size_t>(dims[i])] * strides[i];
    return linear;
  });
}

Status broadcastElement(ElementContext& context) {
  std::vector<NodeId> at;
  for (int64_t to : context.attributes().ints(Attr::dimensions)) at.push_back(context.indices[static_cast<size_t>(to)]);
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
  context.results = {value};
  return {};
}

constexpr OperandDoc kBroadcastOperands[] = {{"operand", "The array to repeat."}};
constexpr AttributeRow kBroadcastAttributes[] = {
    {Attr::dimensions, false, "{}", "For each operand dimension the result dimension that it becomes.", ""}};
constexpr Constraint kBroadcastConstraints[] = {
    {"C1", "dimensions has one entry for each dimension of the operand."},
    {"C2", "Every entry of dimensions is a dimension of the result."},
    {"C3", "An operand dimension and the result dimension that it becomes have the same size."},
    {"C4", "The entries of dimensions are distinct."},
};

DimensionRelations broadcastDimensions(const InferContext& context) {
  DimensionRelations out;
  const auto& to = context.attributes->ints(Attr::dimensions);
  for (size_t i = 0; i < to.size(); ++i)
    out.same(DimensionRef::result(static_cast<size_t>(to[i])), DimensionRef::operand(0, i));
  return out;
}

}  // namespace

const OpDef kBroadcast = {
    .opcode = Opcode::Broadcast,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData | kWrittenShape},
    .summary = "Repeat along new dimensions",
    .doc =
        "$r_{i_0 \\dots i_n} = x_{i_{d_0} \\dots i_{d_m}}$ with $d$ = dimensions. A scalar becomes an array of equal "
        "elements; a vector can become the rows or the columns of a matrix.",
    .synonyms = "expand tile repeat",
    .title = "broadcast{ along new}",
    .operands = kBroadcastOperands,
    .attributes = kBroadcastAttributes,
    .constraints = kBroadcastConstraints,
    .inferShape = inferBroadcast,
    .evaluate = evaluateBroadcast,
    .element = broadcastElement,
    .dimensions = broadcastDimensions,
};

}  // namespace tessera
