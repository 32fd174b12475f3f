// async-start, async-update, async-done: a call that runs beside others; and copy-start, copy-done: a copy that does.
// Run one after the other they mean the call and the copy: the start does the work (or the update that brings the last
// argument), the done returns the result.
#include "core/base/result.h"
#include "core/ops/inference/callgraph.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/zero_values.h"

namespace tessera {
namespace {

constexpr OperandDoc kStartOperands[] = {{"arguments", "one for each parameter of the computation"}};
constexpr OperandDoc kUpdateOperands[] = {{"state", "what async-start or async-update gave"},
                                          {"arguments", "further arguments"}};
constexpr OperandDoc kAsyncDoneOperands[] = {{"state", "what async-start or async-update gave"}};
constexpr OperandDoc kCopyStartOperands[] = {{"operand", "the value to copy"}};
constexpr OperandDoc kCopyDoneOperands[] = {{"start", "the copy-start"}};
constexpr AttributeRow kThreadRow = {Attr::async_execution_thread, false, "main",
                                     "the thread that the computation belongs to"};
constexpr AttributeRow kStartAttributes[] = {
    kThreadRow,
    {Attr::output_to_operand_aliasing, false, "", "results that share an operand's buffer"},
    {Attr::calls, true, "", "the computation that runs"},
};
constexpr AttributeRow kLaterAttributes[] = {kThreadRow, {Attr::calls, false, "", "the computation that runs"}};
constexpr AttributeRow kCopyAttributes[] = {
    {Attr::cross_program_prefetch_index, false, "", "the copy is begun by the program before; its number"}};
constexpr Constraint kAsyncStartConstraints[] = {
    {"C1", "the operands have the shapes of the computation's first parameters"},
};
constexpr Constraint kAsyncStateConstraints[] = {
    {"C1", "the first operand is a tuple of a tuple of operands, the result, and what a target keeps"}};
constexpr Constraint kCopyDoneConstraints[] = {
    {"C1", "the operand is what a copy-start gives: (copy, operand, context)"}};

// What a target keeps in the state of an async op from element `first` on: as written.
void appendContexts(const InferContext& context, size_t first, std::vector<Shape>& elements) {
  if (!context.written || !context.written->isTuple()) return;
  for (size_t i = first; i < context.written->elements.size(); ++i)
    elements.push_back(withoutLayout(context.written->elements[i]));
}

Result<Shape> inferAsyncStart(const InferContext& context) {
  if (context.computations.empty()) return context.violated("C1", "no computation to run");
  const ProgramShape& program = context.computations[0];
  if (context.operands.size() > program.parameters.size())
    return context.violated("C1", "the computation takes fewer operands", std::to_string(program.parameters.size()),
                            std::to_string(context.operands.size()));
  std::vector<Shape> operands;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    if (!compatible(program.parameters[i], context.operand(i)))
      return context.violated("C1", "operand " + std::to_string(i) + " has another shape than its parameter",
                              toString(program.parameters[i], false), toString(context.operand(i), false));
    operands.push_back(withoutLayout(context.operand(i)));
  }
  std::vector<Shape> elements{Shape::tuple(std::move(operands)), withoutLayout(program.result)};
  appendContexts(context, 2, elements);
  return Shape::tuple(std::move(elements));
}

void startLayout(const InferContext& context, Shape& result) {
  for (size_t i = 0; i < context.operands.size(); ++i) result.elements[0].elements[i] = context.operand(i);
  result.elements[1] = context.computations[0].result;
}

// The computation waits for arguments that an async-update brings.
bool isComplete(const EvaluateContext& context, const Instruction& caller, size_t arguments) {
  if (!context.module) return true;
  const std::vector<ComputationId> callees = calledBy(*context.module, caller);
  return callees.empty() || arguments >= context.module->at(callees[0]).parameters.size();
}

Result<Literal> evaluateAsyncStart(const EvaluateContext& context) {
  const bool complete = isComplete(context, context.instruction, context.operands.size());
  TESSERA_ASSIGN_OR_RETURN(Literal result,
                           complete ? context.call(0, context.operands) : zerosOf(context.shape.elements[1]));
  std::vector<Literal> elements{Literal::tuple(std::vector<Literal>(context.operands.begin(), context.operands.end())),
                                std::move(result)};
  for (size_t i = 2; i < context.shape.elements.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Literal zeros, zerosOf(context.shape.elements[i]));
    elements.push_back(std::move(zeros));
  }
  return Literal::tuple(std::move(elements));
}

Status checkState(const InferContext& context) {
  const bool given = !context.operands.empty() && context.operand(0).isTuple();
  if (given && context.operand(0).elements.size() >= 2 && context.operand(0).elements[0].isTuple()) return {};
  return context.violated("C1", "the operand is no state of an async op", "((operands), result, …)",
                          given ? toString(context.operand(0), false) : "");
}

Result<Shape> inferUpdate(const InferContext& context) {
  TESSERA_TRY(checkState(context));
  Shape state = withoutLayout(context.operand(0));
  for (size_t i = 1; i < context.operands.size(); ++i)
    state.elements[0].elements.push_back(withoutLayout(context.operand(i)));
  return state;
}
void updateLayout(const InferContext& context, Shape& result) {
  if (context.operands.size() == 1) result = context.operand(0);
}
Result<Literal> evaluateUpdate(const EvaluateContext& context) {
  if (context.operands.size() == 1) return context.operands[0];
  std::vector<Literal> elements = context.operands[0].elements(), arguments = elements[0].elements();
  arguments.insert(arguments.end(), context.operands.begin() + 1, context.operands.end());
  if (isComplete(context, context.instruction, arguments.size())) {
    TESSERA_ASSIGN_OR_RETURN(elements[1], context.call(0, arguments));
  }
  elements[0] = Literal::tuple(std::move(arguments));
  return Literal::tuple(std::move(elements));
}

Result<Shape> inferAsyncDone(const InferContext& context) {
  TESSERA_TRY(checkState(context));
  const Shape& result = context.operand(0).elements[1];
  return withoutLayout(result);
}
void asyncDoneLayout(const InferContext& context, Shape& result) {
  if (context.operand(0).elements.size() >= 2) result = context.operand(0).elements[1];
}
Result<Literal> evaluateAsyncDone(const EvaluateContext& context) { return context.operands[0].elements()[1]; }

Result<Shape> inferCopyStart(const InferContext& context) {
  const Shape value = withoutLayout(context.operand(0));
  return Shape::tuple({value, value, Shape::array(ElementType::U32, {})});
}
void copyStartLayout(const InferContext& context, Shape& result) {
  result.elements[0] = result.elements[1] = context.operand(0);
}
Result<Literal> evaluateCopyStart(const EvaluateContext& context) {
  return Literal::tuple({context.operands[0], context.operands[0], Literal::scalar(ElementType::U32, uint32_t{0})});
}

Result<Shape> inferCopyDone(const InferContext& context) {
  const Shape& start = context.operand(0);
  if (!start.isTuple() || start.elements.size() != 3 || !compatible(start.elements[0], start.elements[1]))
    return context.violated("C1", "the operand is no started copy", "(copy, operand, u32[])", toString(start, false));
  const Shape& result = start.elements[0];
  return withoutLayout(result);
}
void copyDoneLayout(const InferContext& context, Shape& result) {
  if (!context.operand(0).elements.empty()) result = context.operand(0).elements[0];
}
Result<Literal> evaluateCopyDone(const EvaluateContext& context) { return context.operands[0].elements()[0]; }

}  // namespace

const OpDef kAsyncStart = {
    .opcode = Opcode::AsyncStart,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Control, kSideEffect | kStartsAsync},
    .summary = "Begins to run a computation beside others.",
    .doc =
        "The result is ((operands), result, …), a state that only async-update and async-done may read. In text the "
        "form `OP-start` wraps one instruction.",
    .operands = kStartOperands,
    .attributes = kStartAttributes,
    .constraints = kAsyncStartConstraints,
    .inferShape = inferAsyncStart,
    .inferLayout = startLayout,
    .cost = costOfCallees,
    .evaluate = evaluateAsyncStart,
};
const OpDef kAsyncUpdate = {
    .opcode = Opcode::AsyncUpdate,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Control, kSideEffect | kStartsAsync | kEndsAsync},
    .summary = "A step of a computation that runs beside others.",
    .doc =
        "The result is the state; further operands join its tuple of operands, and the computation runs when it has "
        "all.",
    .operands = kUpdateOperands,
    .attributes = kLaterAttributes,
    .constraints = kAsyncStateConstraints,
    .inferShape = inferUpdate,
    .inferLayout = updateLayout,
    .evaluate = evaluateUpdate,
};
const OpDef kAsyncDone = {
    .opcode = Opcode::AsyncDone,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Control, kSideEffect | kEndsAsync},
    .summary = "Waits for a computation that runs beside others.",
    .doc = "The result is that of the computation.",
    .operands = kAsyncDoneOperands,
    .attributes = kLaterAttributes,
    .constraints = kAsyncStateConstraints,
    .inferShape = inferAsyncDone,
    .inferLayout = asyncDoneLayout,
    .evaluate = evaluateAsyncDone,
};
const OpDef kCopyStart = {
    .opcode = Opcode::CopyStart,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::DataMovement, kMovesData | kStartsAsync},
    .summary = "Begins a copy, often to another memory.",
    .doc = "The result is (copy, operand, context); only copy-done may read it.",
    .operands = kCopyStartOperands,
    .attributes = kCopyAttributes,
    .constraints = {},
    .inferShape = inferCopyStart,
    .inferLayout = copyStartLayout,
    .evaluate = evaluateCopyStart,
};
const OpDef kCopyDone = {
    .opcode = Opcode::CopyDone,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::DataMovement, kMovesData | kEndsAsync},
    .summary = "Ends a copy.",
    .doc = "The result is the copy that copy-start has begun.",
    .operands = kCopyDoneOperands,
    .attributes = {},
    .constraints = kCopyDoneConstraints,
    .inferShape = inferCopyDone,
    .inferLayout = copyDoneLayout,
    .evaluate = evaluateCopyDone,
};

}  // namespace tessera
