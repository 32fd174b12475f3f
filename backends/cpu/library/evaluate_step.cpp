// See evaluate_step.h. Operands are copied out of the arena first, so a result may alias an operand.
#include "backends/cpu/library/evaluate_step.h"

#include <cstring>
#include <new>

#include "backends/cpu/library/evaluated_step.h"
#include "core/custom_calls/custom_calls.h"
#include "core/custom_calls/shared_matrices.h"
#include "core/devices/communicator.h"
#include "core/evaluate/evaluate.h"
#include "core/ops/inference/callgraph.h"
#include "core/ops/op.h"

namespace tessera::cpu {

namespace {

// A value of a (possibly tuple) shape from the slots of its leaves.
Result<Literal> literalFrom(const RunState& state, const Shape& shape, std::span<const int> slots, size_t& next) {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) {
      TESSERA_ASSIGN_OR_RETURN(Literal literal, literalFrom(state, element, slots, next));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  const int slot = slots[next++];
  if (!shape.isArray() || slot < 0) return Literal::token();
  const std::byte* data = state.pointers[static_cast<size_t>(slot)];
  return Literal::fromBytes(shape, {data, static_cast<size_t>(shape.denseBytes().value_or(0))});
}

void storeTo(const RunState& state, const Literal& value, std::span<const int> slots, size_t& next) {
  if (value.shape().isTuple()) {
    for (const Literal& element : value.elements()) storeTo(state, element, slots, next);
    return;
  }
  const int slot = slots[next++];
  if (slot < 0 || value.bytes().empty()) return;
  std::memcpy(state.pointers[static_cast<size_t>(slot)], value.bytes().data(), value.bytes().size());
}

}  // namespace

Result<std::vector<Literal>> EvaluateStep::operandsOf(const RunState& state) const {
  const Module& module = moduleOf(state);
  std::vector<Literal> out;
  size_t next = 0;
  for (InstructionId operand : module.at(instruction_).operands) {
    TESSERA_ASSIGN_OR_RETURN(Literal literal, literalFrom(state, module.shapeOf(operand), operands_, next));
    out.push_back(std::move(literal));
  }
  return out;
}

Result<Literal> EvaluateStep::evaluate(const RunState& state, std::span<const Literal> operands,
                                       std::array<uint64_t, 2>& memory) const {
  const Module& module = moduleOf(state);
  Instruction instruction = module.at(instruction_);
  instruction.id = original_;
  std::vector<const Shape*> shapes;
  for (InstructionId operand : instruction.operands) shapes.push_back(&module.shapeOf(operand));
  EvaluateContext context{instruction, *instruction.shape, operands, shapes, {}, {}, &module};
  context.call = [&](size_t callee, std::span<const Literal> arguments) -> Result<Literal> {
    EvaluateOptions options;
    options.cancel = state.cancel;
    options.communicator = state.communicator;
    return evaluateComputation(module, calledBy(module, instruction).at(callee), arguments, options);
  };
  context.cancelled = [&] { return state.cancel && state.cancel->load(std::memory_order_relaxed); };
  context.memory = &memory;
  context.customCall = runCustomCall;
  context.communicator = state.communicator;
  const SharedMatrices shared([&](int64_t count, int64_t chunk, const ItemRange& range) {
    state.pool->parallelFor(count, chunk, [&](int64_t begin, int64_t end, int) { range(begin, end); });
  });
  return findOp(instruction.opcode)->evaluate(context);
}

// The words of rng-get-and-update-state outlive runs; all runs of a program that was compiled ahead of time share them.
Result<Literal> EvaluateStep::evaluate(const RunState& state, std::span<const Literal> operands) {
  const bool outlivesRun = moduleOf(state).at(instruction_).opcode == Opcode::RngGetAndUpdateState;
  if (outlivesRun && state.lasting) {
    const int64_t device = state.communicator ? state.communicator->device() : 0;
    std::lock_guard lock(state.lasting->mutex);
    return evaluate(state, operands, state.lasting->words[{device, original_.value}]);
  }
  if (memoryRun_ != state.run && !outlivesRun) memory_ = {};
  memoryRun_ = state.run;
  return evaluate(state, operands, memory_);
}

Status EvaluateStep::run(RunState& state) {
  const Instruction& instruction = moduleOf(state).at(instruction_);
  try {
    TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> operands, operandsOf(state));
    auto value = evaluate(state, operands);
    if (!value) return fail(placedAt(instruction, std::move(value).error()));
    size_t next = 0;
    storeTo(state, *value, outputs_, next);
    return {};
  } catch (const std::bad_alloc&) {
    return fail(placedAt(instruction, {.kind = ErrorKind::Runtime, .message = "out of memory while evaluating"}));
  }
}

void EvaluateStep::save(FieldWriter& out) {
  const auto text = out.module ? textOfStep(*out.module, instruction_) : Result<std::string>(fail("no module"));
  if (!text) {
    out.refused = profileIndex;
    return;
  }
  std::vector<char> bytes(text->begin(), text->end());
  out(bytes, original_.value, operands_, outputs_);
}

}  // namespace tessera::cpu
