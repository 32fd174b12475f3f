// The walk of the reference evaluator: a computation's instructions in dependency order, each by its op's `evaluate`;
// a value is dropped after its last use. Called computations are walked the same way; a fusion is its computation.
// Plans (orders, slots, last uses) are made once per computation, so loop bodies and reducers only walk.
#include "core/evaluate/evaluate.h"

#include <chrono>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

#include "core/custom_calls/custom_calls.h"
#include "core/evaluate/deep_stack.h"
#include "core/evaluate/dynamic_values.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/callgraph.h"
#include "core/ops/inference/mixed_precision.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

struct Step {
  const Instruction* instruction;
  const OpDef* op;
  uint32_t slot;
  std::vector<uint32_t> operands;    // slots
  std::vector<bool> last;            // per operand: its value dies here
  std::vector<const Shape*> shapes;  // per operand
  bool unused = false;               // no instruction reads the value
};

struct Plan {
  std::vector<Step> steps;
  uint32_t slots = 0;
  uint32_t rootSlot = 0;
};

std::unexpected<Diagnostic> failAt(const Instruction& instruction, Diagnostic d) {
  return fail(placedAt(instruction, std::move(d)));
}

std::unexpected<Diagnostic> failAt(const Instruction& instruction, ErrorKind kind, std::string message) {
  return failAt(instruction, {.kind = kind, .message = std::move(message)});
}

Status checkEvaluable(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::Parameter) return {};
  const OpDef* op = findOp(instruction.opcode);
  if (!op || !op->evaluate)
    return failAt(instruction, ErrorKind::Unsupported,
                  "the evaluator cannot run " + std::string(instruction.opcodeName()));
  for (InstructionId operand : instruction.operands)
    if (!operand.valid() || !module.contains(operand))
      return failAt(instruction, ErrorKind::Invalid, "an input of %" + std::string(instruction.name) + " is open");
  for (ComputationId callee : module.callees(instruction))
    if (!module.contains(callee))
      return failAt(instruction, ErrorKind::Invalid,
                    instruction.reference() + " calls a computation that is not there");
  return {};
}

// Marks at each step the operands that are not read later; an operand named twice dies at its last mention.
void markLastUses(Plan& plan) {
  std::vector<bool> readLater(plan.slots, false);
  readLater[plan.rootSlot] = true;
  for (size_t s = plan.steps.size(); s-- > 0;) {
    Step& step = plan.steps[s];
    step.unused = !readLater[step.slot];
    step.last.assign(step.operands.size(), false);
    for (size_t i = step.operands.size(); i-- > 0;) {
      step.last[i] = !readLater[step.operands[i]];
      readLater[step.operands[i]] = true;
    }
  }
}

Result<Plan> makePlan(const Module& module, ComputationId id) {
  const Computation& computation = module.at(id);
  TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> order, topologicalOrder(module, id));
  if (!computation.root.valid()) return fail("computation %" + computation.name + " has no root");
  std::unordered_map<InstructionId, uint32_t> slotOf;
  Plan plan;
  for (InstructionId instructionId : order) {
    const Instruction& instruction = module.at(instructionId);
    TESSERA_TRY(checkEvaluable(module, instruction));
    Step step{&instruction, findOp(instruction.opcode), plan.slots++, {}, {}, {}};
    slotOf[instructionId] = step.slot;
    for (InstructionId operand : instruction.operands) {
      auto found = slotOf.find(operand);
      if (found == slotOf.end())
        return failAt(instruction, ErrorKind::Invalid,
                      instruction.reference() + " reads an instruction of another computation");
      step.operands.push_back(found->second);
      step.shapes.push_back(&module.shapeOf(operand));
    }
    plan.steps.push_back(std::move(step));
  }
  plan.rootSlot = slotOf.at(computation.root);
  markLastUses(plan);
  return plan;
}

int64_t bytesOf(const Literal& literal) {
  int64_t sum = static_cast<int64_t>(literal.bytes().size());
  for (const Literal& element : literal.elements()) sum += bytesOf(element);
  return sum;
}

// Structure ops pass on their operands' buffers, so their values cost nothing.
bool sharesBuffers(const OpDef& op) { return op.kind == ExecutionKind::Structure || op.kind == ExecutionKind::Control; }

class Evaluator {
 public:
  Evaluator(const Module& module, const EvaluateOptions& options)
      : module_(module), options_(options), start_(Clock::now()) {}

  Result<Literal> evaluate(ComputationId id, std::span<const Literal> arguments, bool observed) {
    ++depth_;
    auto result = walk(id, arguments, observed);
    --depth_;
    return result;
  }

  int64_t peakBytes() const { return peakBytes_; }
  void hold(int64_t bytes) {
    liveBytes_ += bytes;
    if (liveBytes_ > peakBytes_) peakBytes_ = liveBytes_;
  }
  int64_t nowNs() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  bool cancelled() const { return options_.cancel && options_.cancel->load(std::memory_order_relaxed); }

  Result<const Plan*> planOf(ComputationId id) {
    if (id.value >= plans_.size()) plans_.resize(std::max<size_t>(id.value + 1, module_.computationSlots()));
    if (!plans_[id.value]) {
      TESSERA_ASSIGN_OR_RETURN(Plan plan, makePlan(module_, id));
      plans_[id.value] = std::make_unique<Plan>(std::move(plan));
    }
    return plans_[id.value].get();
  }

  Result<Literal> walk(ComputationId id, std::span<const Literal> arguments, bool observed) {
    TESSERA_ASSIGN_OR_RETURN(const Plan* plan, planOf(id));
    std::vector<Literal> values(plan->slots);
    std::vector<Literal> operands;
    for (const Step& step : plan->steps) {
      if (cancelled()) return failAt(*step.instruction, failCancelled().error());
      if (step.instruction->opcode == Opcode::Parameter) {
        TESSERA_TRY(bindParameter(step, arguments, values));
        continue;
      }
      operands.clear();
      for (size_t i = 0; i < step.operands.size(); ++i) {
        Literal& value = values[step.operands[i]];
        operands.push_back(step.last[i] ? std::move(value) : value);
      }
      auto value = observed && options_.observe ? observedStep(step, operands) : runStep(step, operands, observed);
      if (!value) return failAt(*step.instruction, std::move(value).error());
      releaseDead(step, operands);
      if (!step.unused || step.slot == plan->rootSlot) values[step.slot] = std::move(*value);
    }
    return std::move(values[plan->rootSlot]);
  }

  Status bindParameter(const Step& step, std::span<const Literal> arguments, std::vector<Literal>& values) {
    auto number = static_cast<size_t>(step.instruction->parameterNumber);
    if (number >= arguments.size())
      return failAt(*step.instruction, ErrorKind::Invalid,
                    "parameter " + std::to_string(step.instruction->parameterNumber) + " has no argument");
    const Shape& parameter = *step.instruction->shape;
    if (parameter.isArray() && isFloat(parameter.type) && isFloat(arguments[number].shape().type) &&
        arguments[number].shape().type != parameter.type &&
        arguments[number].shape().dimensions == parameter.dimensions) {
      TESSERA_ASSIGN_OR_RETURN(values[step.slot], rounded(arguments[number], parameter.type));
      return {};
    }
    if (!fits(arguments[number].shape(), parameter))
      return failAt(*step.instruction, ErrorKind::Invalid,
                    "parameter " + std::to_string(number) + " is " + toString(*step.instruction->shape, false) +
                        ", its argument " + toString(arguments[number].shape(), false));
    values[step.slot] = arguments[number];
    return {};
  }

  // Callers may differ from what they call in the precision of floats alone.
  static Result<Literal> rounded(const Literal& value, ElementType type) {
    Shape shape = value.shape();
    const ElementType from = std::exchange(shape.type, type);
    TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(std::move(shape)));
    const auto read = static_cast<size_t>(byteWidth(from)), write = static_cast<size_t>(byteWidth(type));
    for (size_t i = 0; i * write < out.bytes().size(); ++i)
      storeDouble(type, out.mutableBytes().data() + i * write, loadDouble(from, value.bytes().data() + i * read));
    return out;
  }

  // Whether a parameter can hold a value: a caller may be checked for less than its body needs. One with
  // dynamic dimensions comes with its sizes beside it.
  static bool fits(const Shape& value, const Shape& parameter) {
    if (parameter.hasDynamicDimensions()) return true;
    return value.type == parameter.type && value.dimensions == parameter.dimensions &&
           std::ranges::equal(value.elements, parameter.elements, fits);
  }

  void releaseDead(const Step& step, std::span<const Literal> operands) {
    if (depth_ != 1 || sharesBuffers(*step.op)) return;
    for (size_t i = 0; i < operands.size(); ++i)
      if (step.last[i]) liveBytes_ -= std::min(liveBytes_, bytesOf(operands[i]));
  }

  Result<Literal> observedStep(const Step& step, std::span<const Literal> operands) {
    const int64_t outer = nestedNs_;
    nestedNs_ = 0;
    const int64_t begin = nowNs();
    auto value = runStep(step, operands, true);
    const int64_t end = nowNs();
    options_.observe({step.instruction->id, begin, end, end - begin - nestedNs_});
    nestedNs_ = outer + (end - begin);
    return value;
  }

  Result<Literal> runStep(const Step& step, std::span<const Literal> operands, bool observed) {
    const Instruction& instruction = *step.instruction;
    const bool inner = observed && step.op->kind == ExecutionKind::Control && instruction.opcode != Opcode::Fusion;
    EvaluateContext context{instruction,
                            *instruction.shape,
                            operands,
                            step.shapes,
                            [&](size_t callee, std::span<const Literal> arguments) -> Result<Literal> {
                              const std::vector<ComputationId> callees = calledBy(module_, instruction);
                              if (callee >= callees.size()) return fail(instruction.reference() + " calls nothing");
                              if (options_.called) options_.called(instruction.id, callees[callee], arguments);
                              return evaluate(callees[callee], arguments, inner);
                            },
                            [this] { return cancelled(); },
                            &module_,
                            options_.communicator};
    context.customCall = runCustomCall;
    if (step.op->kind == ExecutionKind::Library) context.memory = memoryOf(instruction);
    const bool dynamic = needsDynamicEvaluation(instruction, operands, step.shapes);
    auto value = dynamic ? evaluateDynamic(*step.op, context) : step.op->evaluate(context);
    if (value && depth_ == 1 && !sharesBuffers(*step.op)) hold(bytesOf(*value));
    return value;
  }

  std::array<uint64_t, 2>* memoryOf(const Instruction& instruction) {
    const bool outlivesRun = options_.states && instruction.opcode == Opcode::RngGetAndUpdateState;
    return &(outlivesRun ? *options_.states : memory_)[instruction.id.value];
  }

  const Module& module_;
  const EvaluateOptions& options_;
  Clock::time_point start_;
  std::vector<std::unique_ptr<Plan>> plans_;
  InstructionStates memory_;  // by instruction: EvaluateContext::memory
  int depth_ = 0;
  int64_t nestedNs_ = 0;
  int64_t liveBytes_ = 0, peakBytes_ = 0;
};

// Builds a value of a (possibly tuple) shape from leaves in order; tokens take none.
Result<Literal> assemble(const Shape& shape, std::span<const Literal> leaves, size_t& next) {
  if (shape.isToken()) return Literal::token();
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) {
      TESSERA_ASSIGN_OR_RETURN(Literal literal, assemble(element, leaves, next));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  if (next >= leaves.size()) return fail("there are fewer arguments than the entry has parameters");
  const Literal& leaf = leaves[next++];
  if (!takesArgument(shape, leaf.shape())) {
    return fail({.message = "argument " + std::to_string(next - 1) + " has the wrong shape",
                 .expected = toString(shape, false),
                 .found = toString(leaf.shape(), false)});
  }
  return dynamicArgument(leaf, shape);
}

Status flatten(const Literal& value, const Shape& shape, std::vector<Literal>& out) {
  if (shape.isToken()) return {};
  if (!shape.isTuple()) {
    TESSERA_ASSIGN_OR_RETURN(Literal leaf, reportedValue(value, shape));
    out.push_back(std::move(leaf));
    return {};
  }
  for (size_t i = 0; i < value.elements().size(); ++i)
    TESSERA_TRY(flatten(value.elements()[i], shape.elements[i], out));
  return {};
}

std::unexpected<Diagnostic> outOfMemory() { return fail(ErrorKind::Runtime, "out of memory while evaluating"); }

Result<std::vector<Literal>> evaluateEntry(const Module& module, std::span<const Literal> arguments,
                                           const EvaluateOptions& options, EvaluateStatistics* statistics) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> whole, wholeArguments(module, arguments));
  Evaluator evaluator(module, options);
  for (const Literal& argument : arguments) evaluator.hold(bytesOf(argument));
  auto root = evaluator.evaluate(module.entry(), whole, true);
  if (statistics) *statistics = {evaluator.peakBytes(), evaluator.nowNs()};
  if (!root) return std::unexpected(std::move(root).error());
  std::vector<Literal> out;
  TESSERA_TRY(flatten(*root, module.shapeOf(module.entryComputation().root), out));
  return out;
}

// evaluate() where the calls below the computation have room.
template <class Evaluate>
auto withRoom(const Module& module, ComputationId computation, const Evaluate& evaluate) -> decltype(evaluate()) {
  try {
    decltype(evaluate()) out = fail("");
    TESSERA_TRY(withRoomForCalls(module, computation, [&] { out = evaluate(); }));
    return out;
  } catch (const std::bad_alloc&) {
    return outOfMemory();
  }
}

Result<std::vector<Literal>> evaluateNormalized(const Module& module, std::span<const Literal> arguments,
                                                const EvaluateOptions& options, EvaluateStatistics* statistics) {
  return withRoom(module, module.entry(), [&] { return evaluateEntry(module, arguments, options, statistics); });
}

Result<Literal> evaluateNormalized(const Module& module, ComputationId computation, std::span<const Literal> arguments,
                                   const EvaluateOptions& options) {
  return withRoom(module, computation,
                  [&] { return Evaluator(module, options).evaluate(computation, arguments, false); });
}

}  // namespace

Result<std::vector<Literal>> wholeArguments(const Module& module, std::span<const Literal> leaves) {
  std::vector<Literal> out;
  size_t next = 0;
  for (InstructionId parameter : module.entryComputation().parameters) {
    if (!parameter.valid()) return fail("the entry's parameters are not numbered without gaps");
    TESSERA_ASSIGN_OR_RETURN(Literal argument, assemble(module.shapeOf(parameter), leaves, next));
    out.push_back(std::move(argument));
  }
  if (next != leaves.size())
    return fail("there are more arguments (" + std::to_string(leaves.size()) + ") than the entry takes (" +
                std::to_string(next) + ")");
  return out;
}

Result<std::vector<Literal>> evaluateModule(const Module& module, std::span<const Literal> arguments,
                                            const EvaluateOptions& options, EvaluateStatistics* statistics) {
  if (!module.contains(module.entry())) return fail("the module has no entry computation");
  if (!hasMixedPrecision(module)) return evaluateNormalized(module, arguments, options, statistics);
  Module normalized = module;
  TESSERA_TRY(normalizePrecision(normalized));
  return evaluateNormalized(normalized, arguments, options, statistics);
}

Result<std::vector<Literal>> evaluateModule(const Module& module, std::span<const Literal> arguments,
                                            const std::atomic<bool>* cancel) {
  EvaluateOptions options;
  options.cancel = cancel;
  return evaluateModule(module, arguments, options);
}

Result<Literal> evaluateComputation(const Module& module, ComputationId computation, std::span<const Literal> arguments,
                                    const std::atomic<bool>* cancel) {
  EvaluateOptions options;
  options.cancel = cancel;
  return evaluateComputation(module, computation, arguments, options);
}

Result<Literal> evaluateComputation(const Module& module, ComputationId computation, std::span<const Literal> arguments,
                                    const EvaluateOptions& options) {
  if (!module.contains(computation)) return fail("there is no such computation");
  if (!hasMixedPrecision(module)) return evaluateNormalized(module, computation, arguments, options);
  Module normalized = module;
  TESSERA_TRY(normalizePrecision(normalized));
  return evaluateNormalized(normalized, computation, arguments, options);
}

Status canEvaluate(const Module& module) {
  if (!module.contains(module.entry())) return fail("the module has no entry computation");
  std::vector<ComputationId> pending{module.entry()};
  std::vector<bool> seen(module.computationSlots(), false);
  while (!pending.empty()) {
    ComputationId id = pending.back();
    pending.pop_back();
    if (seen[id.value]) continue;
    seen[id.value] = true;
    for (InstructionId instruction : module.at(id).instructions) {
      TESSERA_TRY(checkEvaluable(module, module.at(instruction)));
      for (ComputationId callee : module.callees(module.at(instruction))) pending.push_back(callee);
    }
  }
  return {};
}

}  // namespace tessera
