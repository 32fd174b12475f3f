// copy: the same value in a buffer of its own, often in another layout. Tuples copy leaf by leaf.
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"

namespace tessera {

namespace {

Result<Shape> inferCopy(const InferContext& context) {
  if (context.operands.size() != 1) {
    return context.violated("operands", "copy takes 1 operand(s)", "1", std::to_string(context.operands.size()));
  }
  const Shape& operand = context.operand(0);
  return withoutLayout(operand);
}

void copyLayout(const InferContext& context, Shape& result) {
  if (context.operand(0).isArray()) return followOperandLayout(context, result);
  result = context.operand(0);
  fillDefaultLayouts(result);
}

// Literals are immutable, so the buffer itself can be shared.
Result<Literal> evaluateCopy(const EvaluateContext& context) {
  Literal out = context.operands[0];
  if (context.shape.isArray()) out.setLayout(context.shape.layout);
  return out;
}

Status elementOfCopy(ElementContext& context) {
  if (!context.shape().isArray()) {
    return fail(ErrorKind::Unsupported, "copy of a tuple has no code of its own; its leaves are copied one by one");
  }
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, context.indices));
  context.results = {value};
  return {};
}

constexpr OperandDoc kCopyOperands[] = {{"operand", "The value to copy."}};

}  // namespace

const OpDef kCopy = {
    .opcode = Opcode::Copy,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kElementwise | kMovesData},
    .summary = "The same value in a buffer of its own",
    .doc = "$r_i = x_i$. The result's layout may differ from the operand's: then elements move in memory.",
    .operands = kCopyOperands,
    .attributes = {},
    .constraints = {},
    .inferShape = inferCopy,
    .inferLayout = copyLayout,
    .evaluate = evaluateCopy,
    .element = elementOfCopy,
    .dimensions = relationsOfOperand<0>,
};

}  // namespace tessera
