// See trip_count.h.
#include "core/ops/inference/trip_count.h"

#include <charconv>
#include <span>
#include <string_view>

#include "core/hlo/numbers.h"

namespace tessera {
namespace {

// What a copy copies.
InstructionId copied(const Module& module, InstructionId id) {
  while (module.contains(id) && module.at(id).opcode == Opcode::Copy && module.at(id).operands.size() == 1)
    id = module.at(id).operands[0];
  return id;
}

// The instruction that computes a value, and the fusion that it is in, if any.
struct Computed {
  const Instruction* instruction = nullptr;
  const Instruction* fusion = nullptr;

  // An operand, outside of the fusion where it is one of its parameters.
  InstructionId operand(const Module& module, size_t k) const {
    const InstructionId id = copied(module, instruction->operands[k]);
    if (!fusion || !module.contains(id) || module.at(id).opcode != Opcode::Parameter) return id;
    const auto number = static_cast<size_t>(module.at(id).parameterNumber);
    return number < fusion->operands.size() ? copied(module, fusion->operands[number]) : InstructionId();
  }
};

Computed computedBy(const Module& module, InstructionId id) {
  id = copied(module, id);
  if (!module.contains(id)) return {};
  const Instruction& in = module.at(id);
  const bool isElement = in.opcode == Opcode::GetTupleElement;
  if (isElement && in.operands.size() != 1) return {};
  const InstructionId source = isElement ? copied(module, in.operands[0]) : id;
  if (!module.contains(source) || module.at(source).opcode != Opcode::Fusion) return {&in, nullptr};
  const Instruction& fusion = module.at(source);
  const std::vector<ComputationId> callees = module.callees(fusion);
  if (callees.size() != 1 || !module.contains(module.at(callees[0]).root)) return {&in, nullptr};
  const Instruction* root = &module.at(module.at(callees[0]).root);
  if (isElement) {
    const auto index = static_cast<size_t>(in.attributes->intOr(Attr::index, 0));
    if (root->opcode != Opcode::Tuple || index >= root->operands.size()) return {&in, nullptr};
    const InstructionId element = copied(module, root->operands[index]);
    if (!module.contains(element)) return {};
    root = &module.at(element);
  }
  return {root, &fusion};
}

std::optional<int64_t> wholeConstant(const Module& module, InstructionId id) {
  id = copied(module, id);
  if (!module.contains(id)) return std::nullopt;
  const Instruction& in = module.at(id);
  if (in.opcode != Opcode::Constant || !in.literal || in.literal->elided() || !in.shape->isScalar() ||
      !isInteger(in.shape->type))
    return std::nullopt;
  const int64_t value = loadInt(in.shape->type, in.literal->bytes().data());
  if (in.shape->type == ElementType::U64 && value < 0) return std::nullopt;
  return value;
}

// The state of a while whose condition and body each take one parameter and whose body ends in a tuple.
struct LoopState {
  const Module& module;
  const std::function<InstructionId(InstructionId)>& resolve;
  InstructionId test, bodyState, conditionState;  // test: the condition's root
  std::span<const InstructionId> next, initial;   // elements after a step, before the first

  bool isInvariant(size_t i) const { return elementOf(module, copied(module, next[i]), bodyState) == i; }
  std::optional<int64_t> start(size_t i) const { return wholeConstant(module, resolve(initial[i])); }
};

const Instruction* theTuple(const Module& module, InstructionId id) {
  const Instruction* i = module.contains(id) ? &module.at(id) : nullptr;
  return i && i->opcode == Opcode::Tuple ? i : nullptr;
}

std::optional<LoopState> loopState(const Module& module, const Instruction& loop,
                                   const std::function<InstructionId(InstructionId)>& resolve) {
  const auto *condition = loop.attributes->get<ComputationId>(Attr::condition),
             *body = loop.attributes->get<ComputationId>(Attr::body);
  if (loop.opcode != Opcode::While || loop.operands.size() != 1 || !condition || !body) return std::nullopt;
  if (!module.contains(*condition) || !module.contains(*body)) return std::nullopt;
  const Computation &test = module.at(*condition), &step = module.at(*body);
  const Instruction *initial = theTuple(module, copied(module, resolve(loop.operands[0]))),
                    *next = theTuple(module, step.root);
  if (test.parameters.size() != 1 || step.parameters.size() != 1 || !module.contains(test.root)) return std::nullopt;
  if (!initial || !next || initial->operands.size() != next->operands.size()) return std::nullopt;
  return LoopState{module,         resolve,          test.root, step.parameters[0], test.parameters[0],
                   next->operands, initial->operands};
}

// A number that is the same in every step: a constant, or an invariant element that starts as one.
std::optional<int64_t> invariantNumber(const LoopState& state, InstructionId id) {
  const auto i = elementOf(state.module, id, state.conditionState);
  if (!i) return wholeConstant(state.module, id);
  return *i < state.next.size() && state.isInvariant(*i) ? state.start(*i) : std::nullopt;
}

// The constant that a step adds to element i.
std::optional<int64_t> stepOf(const LoopState& state, size_t i) {
  const Module& module = state.module;
  const Computed next = computedBy(module, state.next[i]);
  if (!next.instruction || next.instruction->operands.size() != 2) return std::nullopt;
  const bool isSum = next.instruction->opcode == Opcode::Add;
  if (!isSum && next.instruction->opcode != Opcode::Subtract) return std::nullopt;
  for (size_t k : {0u, 1u}) {
    if (elementOf(module, next.operand(module, k), state.bodyState) != i || (k == 1 && !isSum)) continue;
    const auto step = wholeConstant(module, next.operand(module, 1 - k));
    if (step && *step != INT64_MIN) return isSum ? *step : -*step;
  }
  return std::nullopt;
}

std::string_view mirrored(std::string_view direction) {
  if (direction == "LT") return "GT";
  if (direction == "GT") return "LT";
  if (direction == "LE") return "GE";
  if (direction == "GE") return "LE";
  return direction;
}

using Wide = __int128;

// Steps while `start + n · step DIRECTION bound` holds; nullopt when the counter would wrap first or never stops.
std::optional<int64_t> countSteps(Wide start, Wide step, Wide bound, std::string_view direction, ElementType type,
                                  bool negated = false) {
  if (direction == "GT" || direction == "GE") return countSteps(-start, -step, -bound, mirrored(direction), type, true);
  if (direction == "LE") bound += 1;
  Wide count = 0;
  if (direction == "LT" || direction == "LE") {
    if (start >= bound) return 0;
    if (step <= 0) return std::nullopt;
    count = (bound - start + step - 1) / step;
  } else if (direction == "NE") {
    if (start == bound) return 0;
    if (step == 0 || (bound - start) % step != 0 || (bound - start) / step < 0) return std::nullopt;
    count = (bound - start) / step;
  } else {
    return std::nullopt;
  }
  const Wide last = (start + count * step) * (negated ? -1 : 1), limit = Wide{1} << (info(type).bits - isSigned(type));
  const bool fits = last < limit && last >= (isSigned(type) ? -limit : 0);
  return fits && count <= INT64_MAX ? std::optional<int64_t>(static_cast<int64_t>(count)) : std::nullopt;
}

std::optional<int64_t> writtenTripCount(const Instruction& loop) {
  const RawText* config = loop.attributes->get<RawText>(Attr::backend_config);
  if (!config) return std::nullopt;
  const std::string_view text = config->text;
  const size_t key = text.find("known_trip_count");
  const size_t digits = key == text.npos ? key : text.find_first_of("0123456789", key);
  if (digits == text.npos || digits - key > 40) return std::nullopt;
  int64_t out = 0;
  const auto end = std::from_chars(text.data() + digits, text.data() + text.size(), out);
  return end.ec == std::errc() ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<size_t> elementOf(const Module& module, InstructionId id, InstructionId state) {
  if (!module.contains(id)) return std::nullopt;
  const Instruction& in = module.at(id);
  if (in.opcode != Opcode::GetTupleElement || in.operands.empty() || in.operands[0] != state) return std::nullopt;
  return static_cast<size_t>(in.attributes->intOr(Attr::index, 0));
}

std::optional<int64_t> countedTrips(const Module& module, const Instruction& loop,
                                    const std::function<InstructionId(InstructionId)>& resolve) {
  const auto state = loopState(module, loop, resolve);
  if (!state) return std::nullopt;
  const Computed test = computedBy(module, state->test);
  if (!test.instruction || test.instruction->opcode != Opcode::Compare || test.instruction->operands.size() != 2)
    return std::nullopt;
  const std::string_view direction = test.instruction->attributes->textOr(Attr::direction, "");
  for (size_t k : {0u, 1u}) {
    const InstructionId compared = test.operand(module, k);
    const auto counter = elementOf(module, compared, state->conditionState);
    if (!counter || *counter >= state->next.size()) continue;
    const ElementType type = module.shapeOf(compared).type;
    if (!isInteger(type)) continue;
    const auto start = state->start(*counter), bound = invariantNumber(*state, test.operand(module, 1 - k));
    if (!start || !bound) continue;
    const std::string_view asked = k == 0 ? direction : mirrored(direction);
    const auto step = state->isInvariant(*counter) ? std::optional<int64_t>(0) : stepOf(*state, *counter);
    if (const auto count = countSteps(*start, step.value_or(0), *bound, asked, type); count && (step || *count == 0))
      return count;
  }
  return std::nullopt;
}

std::optional<int64_t> tripCountOf(const Module& module, const Instruction& loop) {
  const auto written = writtenTripCount(loop);
  return written ? written : countedTrips(module, loop);
}

}  // namespace tessera
