// Computations in callers-first order, then one sweep that hands the number of runs down. No recursion: a chain of
// calls may be longer than the stack.
#include "core/overview/execution.h"

#include <algorithm>
#include <charconv>

#include "core/hlo/numbers.h"

namespace tessera {
namespace {

bool executesCallees(Opcode opcode) {
  return opcode == Opcode::While || opcode == Opcode::Conditional || opcode == Opcode::Call;
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

const Instruction* instructionAt(const Module& module, InstructionId id) {
  return module.contains(id) ? &module.at(id) : nullptr;
}

std::optional<int64_t> constantIn(const Module& module, InstructionId id) {
  const Instruction* i = instructionAt(module, id);
  if (!i || i->opcode != Opcode::Constant || !i->literal || !i->shape->isScalar() || !isInteger(i->shape->type))
    return std::nullopt;
  if (i->literal->elided()) return std::nullopt;
  return loadInt(i->shape->type, i->literal->bytes().data());
}

// The index of the element of a computation's only parameter that an instruction is.
std::optional<size_t> stateElement(const Module& module, InstructionId id) {
  const Instruction* i = instructionAt(module, id);
  if (!i || i->opcode != Opcode::GetTupleElement || i->operands.empty()) return std::nullopt;
  const Instruction* state = instructionAt(module, i->operands[0]);
  if (!state || state->opcode != Opcode::Parameter) return std::nullopt;
  return static_cast<size_t>(i->attributes->intOr(Attr::index, 0));
}

InstructionId tupleOperand(const Module& module, InstructionId tuple, size_t index) {
  const Instruction* i = instructionAt(module, tuple);
  return i && i->opcode == Opcode::Tuple && index < i->operands.size() ? i->operands[index] : InstructionId();
}

// "state[k] < constant", counted up by one from a constant.
std::optional<int64_t> countedTrips(const Module& module, const Instruction& loop) {
  const std::vector<ComputationId> callees = module.callees(loop);
  if (callees.size() != 2 || loop.operands.size() != 1) return std::nullopt;
  for (ComputationId callee : callees)
    if (!module.contains(callee)) return std::nullopt;
  const Instruction* test = instructionAt(module, module.at(callees[0]).root);
  if (!test || test->opcode != Opcode::Compare || test->operands.size() != 2) return std::nullopt;
  if (test->attributes->textOr(Attr::direction, "") != "LT") return std::nullopt;
  const auto counter = stateElement(module, test->operands[0]);
  const auto bound = constantIn(module, test->operands[1]);
  if (!counter || !bound) return std::nullopt;
  const auto start = constantIn(module, tupleOperand(module, loop.operands[0], *counter));
  const Instruction* next = instructionAt(module, tupleOperand(module, module.at(callees[1]).root, *counter));
  if (!start || !next || next->opcode != Opcode::Add || next->operands.size() != 2) return std::nullopt;
  for (size_t side : {0, 1})
    if (stateElement(module, next->operands[side]) == counter && constantIn(module, next->operands[1 - side]) == 1)
      return std::max<int64_t>(*bound - *start, 0);
  return std::nullopt;
}

std::vector<ComputationId> calleesOf(const Module& module, ComputationId id) {
  std::vector<ComputationId> out;
  for (InstructionId i : module.at(id).instructions)
    if (executesCallees(module.at(i).opcode))
      for (ComputationId callee : module.callees(module.at(i)))
        if (module.contains(callee)) out.push_back(callee);
  return out;
}

std::vector<ComputationId> callersFirst(const Module& module) {
  std::vector<uint8_t> state(module.computationSlots());  // 1: entered, 2: done
  std::vector<ComputationId> open, out;
  if (module.contains(module.entry())) open.push_back(module.entry());
  while (!open.empty()) {
    const ComputationId next = open.back();
    if (state[next.value] == 0) {
      state[next.value] = 1;
      for (ComputationId callee : calleesOf(module, next))
        if (state[callee.value] == 0) open.push_back(callee);
      continue;
    }
    open.pop_back();
    if (state[next.value] == 1) out.push_back(next);
    state[next.value] = 2;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::optional<int64_t> tripCountOf(const Module& module, const Instruction& loop) {
  const auto written = writtenTripCount(loop);
  return written ? written : countedTrips(module, loop);
}

Execution executionOf(const Module& module) {
  Execution out;
  out.computations = callersFirst(module);
  out.runs.resize(module.computationSlots());
  if (!out.computations.empty()) out.runs[out.computations[0].value].times = 1;
  for (ComputationId caller : out.computations)
    for (InstructionId id : module.at(caller).instructions) {
      const Instruction& i = module.at(id);
      if (!executesCallees(i.opcode)) continue;
      const Execution::Runs own = out.of(caller);
      const bool loops = i.opcode == Opcode::While;
      const auto trips = loops ? tripCountOf(module, i) : std::optional<int64_t>(1);
      for (ComputationId callee : module.callees(i)) {
        if (!module.contains(callee)) continue;
        Execution::Runs& inner = out.runs[callee.value];
        inner.times += own.times * static_cast<double>(trips.value_or(1));
        inner.timesKnown &= own.timesKnown && trips;
        inner.loop = loops ? id : own.loop;
      }
    }
  return out;
}

}  // namespace tessera
