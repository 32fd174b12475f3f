// tuple and get-tuple-element: values side by side. They move no data: at run time values are leaves.
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr OperandDoc kTupleOperands[] = {{"elements", "any values, also none; tuples nest"}};
constexpr OperandDoc kGetOperands[] = {{"tuple", "a tuple"}};
constexpr AttributeRow kGetAttributes[] = {{Attr::index, true, "", "which element, from 0"}};
constexpr Constraint kGetConstraints[] = {
    {"C1", "the operand is a tuple"},
    {"C2", "index is one of its elements"},
};

Result<Shape> inferTuple(const InferContext& context) {
  std::vector<Shape> elements;
  for (const Shape* operand : context.operands) elements.push_back(withoutLayout(*operand));
  return Shape::tuple(std::move(elements));
}

void tupleLayout(const InferContext& context, Shape& result) {
  for (size_t i = 0; i < context.operands.size() && i < result.elements.size(); ++i)
    result.elements[i] = context.operand(i);
}

Result<Literal> evaluateTuple(const EvaluateContext& context) {
  return Literal::tuple(std::vector<Literal>(context.operands.begin(), context.operands.end()));
}

Result<Shape> inferGet(const InferContext& context) {
  const Shape& tuple = context.operand(0);
  if (!tuple.isTuple()) return context.violated("C1", "the operand is no tuple", "a tuple", toString(tuple, false));
  const int64_t index = context.attributes->intOr(Attr::index, -1), count = static_cast<int64_t>(tuple.elements.size());
  if (index < 0 || index >= count)
    return context.violated("C2", "the tuple has no element " + std::to_string(index),
                            "0 to " + std::to_string(count - 1), std::to_string(index));
  const Shape& element = tuple.elements[static_cast<size_t>(index)];
  return withoutLayout(element);
}

void getLayout(const InferContext& context, Shape& result) {
  const int64_t index = context.attributes->intOr(Attr::index, -1);
  const Shape& tuple = context.operand(0);
  if (index >= 0 && index < static_cast<int64_t>(tuple.elements.size()))
    result = tuple.elements[static_cast<size_t>(index)];
}

Result<Literal> evaluateGet(const EvaluateContext& context) {
  const int64_t index = context.instruction.attributes->intOr(Attr::index, -1);
  const auto& elements = context.operands[0].elements();
  if (index < 0 || index >= static_cast<int64_t>(elements.size()))
    return fail("the tuple has no element " + std::to_string(index));
  return elements[static_cast<size_t>(index)];
}

DimensionRelations tupleDimensions(const InferContext& context) {
  DimensionRelations out;
  size_t leaf = 0;
  for (size_t k = 0; k < context.operands.size(); ++k) {
    const auto parts = leavesOf(context.operand(k));
    for (size_t i = 0; i < parts.size(); ++i)
      out.sameArray(DimensionRef::result(0, leaf++), *parts[i].shape, DimensionRef::operand(k, 0, i), *parts[i].shape);
  }
  return out;
}

DimensionRelations elementDimensions(const InferContext& context) {
  DimensionRelations out;
  const auto& elements = context.operand(0).elements;
  const auto index = static_cast<size_t>(context.attributes->intOr(Attr::index, 0));
  size_t leaf = 0;
  for (size_t i = 0; i < index; ++i) leaf += leavesOf(elements[i]).size();
  out.sameLeaves(DimensionRef::result(0), *context.written, DimensionRef::operand(0, 0, leaf), elements[index]);
  return out;
}

// The table of pointers.
Cost costOfTuple(const CostContext& context) {
  constexpr double kPointerBytes = 8;
  return {0, 0, kPointerBytes * static_cast<double>(context.shape().elements.size())};
}

}  // namespace

const OpDef kTuple = {
    .opcode = Opcode::Tuple,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::Structure, kPassesOn},
    .summary = "Puts values side by side.",
    .doc = "Element $i$ of the result is operand $i$. Tuples exist only in the graph: no data moves.",
    .synonyms = "outputs pack",
    .operands = kTupleOperands,
    .attributes = {},
    .constraints = {},
    .inferShape = inferTuple,
    .inferLayout = tupleLayout,
    .cost = costOfTuple,
    .evaluate = evaluateTuple,
    .dimensions = tupleDimensions,
};
const OpDef kGetTupleElement = {
    .opcode = Opcode::GetTupleElement,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::Structure, kPassesOn},
    .summary = "One element of a tuple.",
    .doc = "The result is element `index` of the tuple; no data moves.",
    .synonyms = "gte unpack",
    .title = "element {index}",
    .operands = kGetOperands,
    .attributes = kGetAttributes,
    .constraints = kGetConstraints,
    .inferShape = inferGet,
    .inferLayout = getLayout,
    .cost = noCost,
    .evaluate = evaluateGet,
    .dimensions = elementDimensions,
};

}  // namespace tessera
