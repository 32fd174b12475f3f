// while: repeats `body` on a value as long as `condition` holds for it.
#include "core/ops/inference/callee_index.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr OperandDoc kWhileOperands[] = {{"init", "the value at the start; a tuple carries several"}};
constexpr AttributeRow kWhileAttributes[] = {
    {Attr::condition, true, "", "computation (T) -> pred[]: whether to go on"},
    {Attr::body, true, "", "computation (T) -> T: the next value"},
};
constexpr Constraint kWhileConstraints[] = {
    {"C1", "condition and body take one parameter of the shape of init"},
    {"C2", "condition gives pred[]"},
    {"C3", "body gives the shape of init"},
};

Status takesInit(const InferContext& context, size_t callee, const char* name) {
  const ProgramShape& program = context.computations[callee];
  const Shape& init = context.operand(0);
  if (program.parameters.size() != 1)
    return context.violated("C1", std::string(name) + " takes one parameter", "1",
                            std::to_string(program.parameters.size()));
  if (!compatible(program.parameters[0], init))
    return context.violated("C1", std::string("the parameter of ") + name + " has another shape than init",
                            toString(init, false), toString(program.parameters[0], false));
  return {};
}

Result<Shape> inferWhile(const InferContext& context) {
  auto condition = calleeIndex(*context.attributes, Attr::condition),
       body = calleeIndex(*context.attributes, Attr::body);
  if (!condition || !body || context.computations.size() != 2)
    return context.violated("C1", "while needs a condition and a body");
  TESSERA_TRY(takesInit(context, *condition, "condition"));
  TESSERA_TRY(takesInit(context, *body, "body"));
  const Shape& test = context.computations[*condition].result;
  if (!test.isScalar() || test.type != ElementType::Pred)
    return context.violated("C2", "condition gives a truth value", "pred[]", toString(test, false));
  const Shape& next = context.computations[*body].result;
  if (!compatible(next, context.operand(0)))
    return context.violated("C3", "body gives another shape than init", toString(context.operand(0), false),
                            toString(next, false));
  return withoutLayout(context.operand(0));
}

void whileLayout(const InferContext& context, Shape& result) { result = context.operand(0); }

Result<Literal> evaluateWhile(const EvaluateContext& context) {
  const AttributeSet& attributes = *context.instruction.attributes;
  auto condition = calleeIndex(attributes, Attr::condition), body = calleeIndex(attributes, Attr::body);
  if (!condition || !body) return fail("while needs a condition and a body");
  Literal state = context.operands[0];
  while (true) {
    if (isCancelled(context)) return failCancelled();
    TESSERA_ASSIGN_OR_RETURN(Literal again, context.call(*condition, {&state, 1}));
    if (again.bytes().empty() || again.bytes()[0] == std::byte{0}) return state;
    TESSERA_ASSIGN_OR_RETURN(Literal next, context.call(*body, {&state, 1}));
    state = std::move(next);
  }
}

DimensionRelations whileDimensions(const InferContext& context) {
  DimensionRelations out = relationsOfOperand(context);
  const auto condition = calleeIndex(*context.attributes, Attr::condition),
             body = calleeIndex(*context.attributes, Attr::body);
  if (condition) out.passedTo(context, *condition, 0, 0);
  if (body) out.passedTo(context, *body, 0, 0);
  if (body) out.givenBy(context, *body);
  return out;
}

}  // namespace

const OpDef kWhile = {
    .opcode = Opcode::While,
    .kind = ExecutionKind::Control,
    .category = {OpCategory::Control},
    .summary = "Repeats a computation while a condition holds.",
    .doc =
        "The value starts as init. As long as condition(value) is true, value = body(value); the last value is the "
        "result. All of init, the parameters of both computations and the result of body have one shape $T$.",
    .synonyms = "loop for",
    .operands = kWhileOperands,
    .attributes = kWhileAttributes,
    .constraints = kWhileConstraints,
    .inferShape = inferWhile,
    .inferLayout = whileLayout,
    .cost = costOfCallees,
    .evaluate = evaluateWhile,
    .dimensions = whileDimensions,
};

}  // namespace tessera
