// See moved.h. A value's hash is that of all it is computed from, as if every call with one caller were inlined.
#include "core/tools/diff/moved.h"

#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/base/hash.h"

namespace tessera {
namespace {

class InlinedValues {
 public:
  explicit InlinedValues(const LabelledGraph& graph)
      : graph_(graph),
        callers_(graph.module().computationSlots()),
        state_(graph.module().instructionSlots()),
        value_(graph.module().instructionSlots()) {
    for (ComputationId id : graph.calleesFirst())
      for (InstructionId in : module().at(id).instructions)
        for (ComputationId callee : module().callees(module().at(in)))
          if (module().contains(callee)) callers_[callee.value].push_back(in);
  }

  // Only of what computes: what passes values on is no instruction of its own here.
  bool isValue(InstructionId id) const {
    const Opcode opcode = graph_.at(id).opcode;
    return opcode != Opcode::Parameter && opcode != Opcode::Tuple && opcode != Opcode::GetTupleElement &&
           !bindsParameters(module(), graph_.at(id));
  }

  uint64_t of(InstructionId wanted) {
    std::vector<InstructionId> open{wanted};
    while (!open.empty()) {
      const InstructionId id = open.back();
      if (state_[id.value] == Done) {
        open.pop_back();
        continue;
      }
      const std::vector<InstructionId> sources = sourcesOf(id);
      if (state_[id.value] == Entered) {
        value_[id.value] = combined(id, sources);
        state_[id.value] = Done;
        open.pop_back();
        continue;
      }
      state_[id.value] = Entered;
      for (InstructionId source : sources)
        if (state_[source.value] == Unseen) open.push_back(source);
    }
    return value_[wanted.value];
  }

 private:
  enum State : uint8_t { Unseen, Entered, Done };
  const Module& module() const { return graph_.module(); }

  std::optional<ComputationId> inlined(InstructionId call) const {
    if (!bindsParameters(module(), graph_.at(call))) return std::nullopt;
    const ComputationId callee = module().callees(graph_.at(call))[0];
    const bool once = module().contains(callee) && callers_[callee.value].size() == 1;
    return once && module().contains(module().at(callee).root) ? std::optional(callee) : std::nullopt;
  }

  // What it is, where it only passes a value on.
  InstructionId passedOn(InstructionId id) const {
    const Instruction& in = graph_.at(id);
    if (const auto callee = inlined(id)) return module().at(*callee).root;
    const auto& callers = callers_[in.computation.value];
    if (in.opcode == Opcode::Parameter && callers.size() == 1 && inlined(callers[0])) {
      const auto operands = graph_.at(callers[0]).operands;
      const auto number = static_cast<size_t>(in.parameterNumber);
      if (number < operands.size() && module().contains(operands[number])) return operands[number];
    }
    if (in.opcode == Opcode::GetTupleElement && in.operands.size() == 1 && module().contains(in.operands[0])) {
      InstructionId tuple = in.operands[0];
      while (const auto callee = inlined(tuple)) tuple = module().at(*callee).root;
      const auto index = static_cast<size_t>(in.attributes->intOr(Attr::index, 0));
      const Instruction& made = graph_.at(tuple);
      if (made.opcode == Opcode::Tuple && index < made.operands.size() && module().contains(made.operands[index]))
        return made.operands[index];
    }
    return {};
  }

  std::vector<InstructionId> sourcesOf(InstructionId id) const {
    if (const InstructionId same = passedOn(id); same.valid()) return {same};
    std::vector<InstructionId> out;
    for (InstructionId operand : graph_.at(id).operands)
      if (module().contains(operand)) out.push_back(operand);
    return out;
  }

  uint64_t combined(InstructionId id, const std::vector<InstructionId>& sources) const {
    if (passedOn(id).valid()) return value_[sources[0].value];
    const Instruction& in = graph_.at(id);
    uint64_t sum = 0;
    for (size_t i = 0; i < in.operands.size(); ++i)
      if (module().contains(in.operands[i])) {
        const uint64_t kind = graph_.edgeKind(in, i);
        sum += mixedHash(mixedHash(kind, value_[in.operands[i].value]), kind);
      }
    return mixedHash(graph_.meaning(id), sum);
  }

  const LabelledGraph& graph_;
  std::vector<std::vector<InstructionId>> callers_;  // by computation
  std::vector<State> state_;
  std::vector<uint64_t> value_;
};

// Of equal values those from the same line of the source go together.
uint64_t scopeHash(const Instruction& instruction) {
  return instruction.metadata ? std::hash<std::string_view>()(instruction.metadata->opName) : 0;
}

// Pairs of equal keys, in order; they leave both lists.
void pairEqual(std::vector<InstructionId>& gone, std::vector<InstructionId>& added, InstructionPairs& out,
               const auto& keyOfGone, const auto& keyOfAdded) {
  std::unordered_map<uint64_t, std::deque<InstructionId>> rows;
  for (InstructionId id : added) rows[keyOfAdded(id)].push_back(id);
  std::unordered_set<InstructionId> taken;
  std::erase_if(gone, [&](InstructionId id) {
    const auto found = rows.find(keyOfGone(id));
    if (found == rows.end() || found->second.empty()) return false;
    out.emplace_back(id, found->second.front());
    taken.insert(found->second.front());
    found->second.pop_front();
    return true;
  });
  std::erase_if(added, [&](InstructionId id) { return taken.contains(id); });
}

}  // namespace

InstructionPairs movedInstructions(const LabelledGraph& left, const std::vector<InstructionId>& gone,
                                   const LabelledGraph& right, const std::vector<InstructionId>& added) {
  InstructionPairs out;
  if (gone.empty() || added.empty()) return out;
  InlinedValues ones(left), others(right);
  std::vector<InstructionId> open(gone), free(added);
  std::erase_if(open, [&](InstructionId id) { return !ones.isValue(id); });
  std::erase_if(free, [&](InstructionId id) { return !others.isValue(id); });
  pairEqual(
      open, free, out, [&](InstructionId id) { return mixedHash(ones.of(id), scopeHash(left.at(id))); },
      [&](InstructionId id) { return mixedHash(others.of(id), scopeHash(right.at(id))); });
  pairEqual(
      open, free, out, [&](InstructionId id) { return ones.of(id); }, [&](InstructionId id) { return others.of(id); });
  return out;
}

}  // namespace tessera
