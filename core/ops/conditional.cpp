// conditional: runs one of several computations, chosen by a truth value or an index.
#include <algorithm>

#include "core/hlo/numbers.h"
#include "core/ops/inference/callee_index.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr OperandDoc kConditionalOperands[] = {
    {"selector", "pred[]: true takes the first branch; s32[]: the branch's number"},
    {"arguments", "one for each branch"}};
constexpr AttributeRow kConditionalAttributes[] = {
    {Attr::true_computation, false, "", "branch for true"},
    {Attr::false_computation, false, "", "branch for false"},
    {Attr::branch_computations, false, "", "branches 0 … n-1; an index out of range takes the last"},
};
constexpr Constraint kConditionalConstraints[] = {
    {"C1", "the selector is pred[] with two branches, or s32[] with at least one of branch_computations"},
    {"C2", "there is one argument for each branch"},
    {"C3", "each branch takes one parameter of the shape of its argument"},
    {"C4", "all branches give one shape"},
};

// Callee index of branch 0, 1, …: true_computation and false_computation may be written in either order.
std::vector<size_t> branchIndices(const AttributeSet& attributes) {
  if (auto first = calleeIndex(attributes, Attr::branch_computations)) {
    const auto* list = attributes.get<std::vector<ComputationId>>(Attr::branch_computations);
    std::vector<size_t> out;
    for (size_t i = 0; list && i < list->size(); ++i) out.push_back(*first + i);
    return out;
  }
  auto whenTrue = calleeIndex(attributes, Attr::true_computation),
       whenFalse = calleeIndex(attributes, Attr::false_computation);
  if (!whenTrue || !whenFalse) return {};
  return {*whenTrue, *whenFalse};
}

Status checkSelector(const InferContext& context, size_t branches) {
  if (context.operands.empty()) return context.violated("C1", "conditional needs a selector");
  const Shape& selector = context.operand(0);
  bool isPred = selector.type == ElementType::Pred && branches == 2;
  bool isIndex = selector.type == ElementType::S32 && branches >= 1 && !context.attributes->has(Attr::true_computation);
  if (!selector.isScalar() || (!isPred && !isIndex))
    return context.violated("C1", "the selector does not fit " + std::to_string(branches) + " branches",
                            "pred[] or s32[]", toString(selector, false));
  return {};
}

Result<Shape> inferConditional(const InferContext& context) {
  const std::vector<size_t> branches = branchIndices(*context.attributes);
  TESSERA_TRY(checkSelector(context, branches.size()));
  if (context.operands.size() != branches.size() + 1)
    return context.violated("C2", "conditional takes one argument for each branch", std::to_string(branches.size()),
                            std::to_string(context.operands.size() - 1));
  const Shape& result = context.computations[branches[0]].result;
  for (size_t b = 0; b < branches.size(); ++b) {
    const ProgramShape& branch = context.computations[branches[b]];
    std::string name = "branch " + std::to_string(b);
    if (branch.parameters.size() != 1)
      return context.violated("C3", name + " takes one parameter", "1", std::to_string(branch.parameters.size()));
    if (!compatible(branch.parameters[0], context.operand(b + 1)))
      return context.violated("C3", "the parameter of " + name + " has another shape than its argument",
                              toString(context.operand(b + 1), false), toString(branch.parameters[0], false));
    if (!compatible(branch.result, result))
      return context.violated("C4", name + " gives another shape than branch 0", toString(result, false),
                              toString(branch.result, false));
  }
  return withoutLayout(result);
}

void conditionalLayout(const InferContext& context, Shape& result) {
  std::vector<size_t> branches = branchIndices(*context.attributes);
  if (!branches.empty() && branches[0] < context.computations.size()) result = context.computations[branches[0]].result;
}

Result<Literal> evaluateConditional(const EvaluateContext& context) {
  const std::vector<size_t> branches = branchIndices(*context.instruction.attributes);
  const Literal& selector = context.operands[0];
  const auto count = static_cast<int64_t>(branches.size());
  if (count == 0) return fail("conditional has no branches");
  int64_t number = loadInt(selector.shape().type, selector.bytes().data());
  if (selector.shape().type == ElementType::Pred) number = number ? 0 : 1;
  if (number < 0 || number >= count) number = count - 1;
  const auto branch = static_cast<size_t>(number);
  return context.call(branches[branch], context.operands.subspan(branch + 1, 1));
}

// All values that an operand's leaves have at no index: they are scalars.
Result<std::vector<NodeId>> scalarsOf(ElementContext& context, size_t operand) {
  std::vector<NodeId> out;
  for (const ShapeLeaf& leaf : leavesOf(context.operandShape(operand))) {
    if (!leaf.shape->isArray()) continue;
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.readFn(operand, out.size(), {}));
    out.push_back(value);
  }
  return out;
}

// Within a scalar computation: every branch is computed, and selects choose.
Status conditionalElement(ElementContext& context) {
  ElementBuilder& b = context.builder;
  const std::vector<size_t> branches = branchIndices(context.attributes());
  TESSERA_ASSIGN_OR_RETURN(const NodeId selector, context.read(0, {}));
  const ElementType type = context.operandShape(0).type;
  for (size_t i = branches.size(); i-- > 0;) {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<NodeId> arguments, scalarsOf(context, i + 1));
    TESSERA_ASSIGN_OR_RETURN(const std::vector<NodeId> values, context.call(branches[i], arguments));
    if (context.results.empty()) {  // the last one, which an index out of range takes too
      context.results = values;
      continue;
    }
    const NodeId chosen = type == ElementType::Pred
                              ? selector
                              : b.compare(CompareDirection::Eq, selector, b.constant(type, static_cast<double>(i)));
    for (size_t k = 0; k < values.size(); ++k) context.results[k] = b.select(chosen, values[k], context.results[k]);
  }
  return {};
}

// Its most expensive branch, in each respect.
Cost conditionalCost(const CostContext& context) {
  Cost cost;
  for (size_t i = 0; i < context.module.callees(context.instruction).size(); ++i) {
    const Cost branch = context.callee(i);
    cost.flops = std::max(cost.flops, branch.flops);
    cost.transcendentals = std::max(cost.transcendentals, branch.transcendentals);
    cost.bytesAccessed = std::max(cost.bytesAccessed, branch.bytesAccessed);
  }
  return cost;
}

DimensionRelations conditionalDimensions(const InferContext& context) {
  DimensionRelations out;
  const std::vector<size_t> branches = branchIndices(*context.attributes);
  for (size_t b = 0; b < branches.size(); ++b) {
    out.passedTo(context, branches[b], 0, b + 1);
    out.givenBy(context, branches[b]);
  }
  return out;
}

}  // namespace

const OpDef kConditional = {
    .opcode = Opcode::Conditional,
    .kind = ExecutionKind::Control,
    .category = {OpCategory::Control},
    .summary = "Runs one of several computations.",
    .doc =
        "With a pred selector, true runs true_computation and false runs false_computation. With an s32 selector $b$, "
        "branch $b$ runs; outside $[0, n)$ the last one. Only the chosen branch runs.",
    .synonyms = "if switch case",
    .operands = kConditionalOperands,
    .attributes = kConditionalAttributes,
    .constraints = kConditionalConstraints,
    .inferShape = inferConditional,
    .inferLayout = conditionalLayout,
    .cost = conditionalCost,
    .evaluate = evaluateConditional,
    .element = conditionalElement,
    .dimensions = conditionalDimensions,
};

}  // namespace tessera
