// See host_evaluation.h.
#include "backends/cuda/run/host_evaluation.h"

#include <new>

#include "core/custom_calls/custom_calls.h"
#include "core/devices/collectives.h"
#include "core/evaluate/evaluate.h"
#include "core/ops/inference/callgraph.h"
#include "core/ops/op.h"

namespace tessera::cuda {

namespace {

Literal wholeOf(const Shape& shape, std::span<const Literal> leaves, size_t& next) {
  if (!shape.isTuple()) return leaves[next++];
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements) elements.push_back(wholeOf(element, leaves, next));
  return Literal::tuple(std::move(elements));
}

void appendLeaves(const Literal& value, std::vector<Literal>& out) {
  if (!value.shape().isTuple()) return out.push_back(value);
  for (const Literal& element : value.elements()) appendLeaves(element, out);
}

EvaluateOptions optionsOf(const RunOptions& options) {
  EvaluateOptions out;
  out.cancel = options.cancel;
  out.communicator = options.communicator;
  return out;
}

}  // namespace

Result<bool> HostEvaluation::withContext(InstructionId id, const RunOptions& options,
                                         const std::function<Result<bool>(const EvaluateContext&)>& use) {
  const Instruction& instruction = module_.at(id);
  std::vector<const Shape*> shapes;
  for (InstructionId operand : instruction.operands) shapes.push_back(&module_.shapeOf(operand));
  EvaluateContext context{instruction, *instruction.shape, {}, shapes, {}, {}, &module_};
  context.cancelled = [&] { return options.cancel && options.cancel->load(std::memory_order_relaxed); };
  context.communicator = options.communicator;
  return use(context);
}

Result<Literal> HostEvaluation::evaluateOp(const Instruction& instruction, std::span<const Literal> operands,
                                           const RunOptions& options) {
  std::vector<const Shape*> shapes;
  for (InstructionId operand : instruction.operands) shapes.push_back(&module_.shapeOf(operand));
  EvaluateContext context{instruction, *instruction.shape, operands, shapes, {}, {}, &module_};
  context.call = [&](size_t callee, std::span<const Literal> arguments) {
    return evaluateComputation(module_, calledBy(module_, instruction).at(callee), arguments, optionsOf(options));
  };
  context.cancelled = [&] { return options.cancel && options.cancel->load(std::memory_order_relaxed); };
  const bool outlivesRun = instruction.opcode == Opcode::RngGetAndUpdateState;
  context.memory = &(outlivesRun ? lastingWords_ : runWords_)[instruction.id.value];
  context.customCall = runCustomCall;
  context.communicator = options.communicator;
  return findOp(instruction.opcode)->evaluate(context);
}

Result<Literal> HostEvaluation::evaluateWhole(const Instruction& instruction, std::span<const Literal> operands,
                                              const RunOptions& options) {
  if (instruction.opcode != Opcode::Fusion) return evaluateOp(instruction, operands, options);
  return evaluateComputation(module_, module_.callees(instruction)[0], operands, optionsOf(options));
}

Result<std::vector<Literal>> HostEvaluation::evaluate(InstructionId id, std::span<const Literal> leaves,
                                                      const RunOptions& options) {
  const Instruction& instruction = module_.at(id);
  try {
    std::vector<Literal> operands, out;
    size_t next = 0;
    for (InstructionId operand : instruction.operands)
      operands.push_back(wholeOf(module_.shapeOf(operand), leaves, next));
    auto value = evaluateWhole(instruction, operands, options);
    if (!value) return fail(placedAt(instruction, std::move(value).error()));
    appendLeaves(*value, out);
    return out;
  } catch (const std::bad_alloc&) {
    return fail(placedAt(instruction, {.kind = ErrorKind::Runtime, .message = "out of memory while evaluating"}));
  }
}

}  // namespace tessera::cuda
