// Ops that pass their operand on: opt-barrier, domain, add-dependency; and after-all, which joins tokens. They order or
// mark, and move no data.
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr OperandDoc kValue[] = {{"value", "any value"}};
constexpr OperandDoc kValueAndToken[] = {{"value", "any value"}, {"token", "what has to be done first"}};
constexpr OperandDoc kTokens[] = {{"tokens", "tokens, or values to wait for: any number, also none"}};
constexpr AttributeRow kDomainAttributes[] = {{Attr::domain, true, "", "kind, entry and exit of the domain"}};
constexpr Constraint kDependencyConstraints[] = {{"C1", "the second operand is a token"}};

Result<Shape> inferSame(const InferContext& context) { return withoutLayout(context.operand(0)); }
void sameLayout(const InferContext& context, Shape& result) { result = context.operand(0); }
Result<Literal> evaluateSame(const EvaluateContext& context) { return context.operands[0]; }

Status elementSame(ElementContext& context) {
  const size_t leaves = leavesOf(context.operandShape(0)).size();
  context.results.clear();
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    TESSERA_ASSIGN_OR_RETURN(NodeId value, context.readFn(0, leaf, context.indices));
    context.results.push_back(value);
  }
  return {};
}

Result<Shape> inferDependency(const InferContext& context) {
  if (!context.operand(1).isToken())
    return context.violated("C1", "the second operand is no token", "token[]", toString(context.operand(1), false));
  return withoutLayout(context.operand(0));
}

Result<Shape> inferAfterAll(const InferContext&) { return Shape::token(); }
Result<Literal> evaluateAfterAll(const EvaluateContext&) { return Literal::token(); }

}  // namespace

const OpDef kAfterAll = {
    .opcode = Opcode::AfterAll,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::Structure},
    .summary = "One token after several.",
    .doc = "The result is a token that is there once all operands are. With no operands it begins a chain of tokens.",
    .operands = kTokens,
    .attributes = {},
    .constraints = {},
    .inferShape = inferAfterAll,
    .cost = noCost,
    .evaluate = evaluateAfterAll,
    .dimensions = noRelations,
};
const OpDef kAddDependency = {
    .opcode = Opcode::AddDependency,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::Structure, kPassesOn},
    .summary = "A value that waits for a token.",
    .doc = "The result is the first operand; what reads it runs after the token.",
    .operands = kValueAndToken,
    .attributes = {},
    .constraints = kDependencyConstraints,
    .inferShape = inferDependency,
    .inferLayout = sameLayout,
    .cost = noCost,
    .evaluate = evaluateSame,
    .element = elementSame,
    .dimensions = relationsOfOperand<0>,
};
const OpDef kOptBarrier = {
    .opcode = Opcode::OptBarrier,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::Structure, kPassesOn},
    .summary = "A value that no pass moves work across.",
    .doc =
        "The result is the operand. All of it is computed before anything that reads the result, and no pass merges or "
        "moves instructions from one side to the other.",
    .operands = kValue,
    .attributes = {},
    .constraints = {},
    .inferShape = inferSame,
    .inferLayout = sameLayout,
    .cost = noCost,
    .evaluate = evaluateSame,
    .element = elementSame,
    .dimensions = relationsOfOperand<0>,
};
const OpDef kDomain = {
    .opcode = Opcode::Domain,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::Structure, kPassesOn, OpColor::Other},
    .summary = "The border between two domains, such as shardings.",
    .doc = "The result is the operand; the attribute says what changes at the border.",
    .operands = kValue,
    .attributes = kDomainAttributes,
    .constraints = {},
    .inferShape = inferSame,
    .inferLayout = sameLayout,
    .evaluate = evaluateSame,
    .element = elementSame,
    .dimensions = relationsOfOperand<0>,
};

}  // namespace tessera
