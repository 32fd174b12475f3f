// The walk: pairs of instructions that must stand for each other, from the roots up. Each computation pair is walked
// once; where the operands of a call follow its parameters, a permutation of both is the same call.
#include "core/tools/diff.h"

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "core/formats/hlo_text.h"
#include "core/tools/attribute_diff.h"

namespace tessera {
namespace {

constexpr size_t kShownText = 120;

std::string shortened(std::string text) {
  if (text.size() <= kShownText) return text;
  text.resize(kShownText);
  text += "…";
  return text;
}

std::string placeOf(const Module& module, InstructionId id) {
  if (!id.valid()) return "-";
  const Instruction& instruction = module.at(id);
  return fmt::format("%{}: %{}", module.at(instruction.computation).name, instruction.name);
}

// Operand i of a call is parameter i of what it calls, so both may be permuted together.
bool bindsByPosition(Opcode opcode) {
  return opcode == Opcode::Call || opcode == Opcode::Fusion || opcode == Opcode::AsyncStart;
}

class Differ {
 public:
  Differ(const Module& left, const Module& right) : left_(left), right_(right) {}

  ModuleDiff run() {
    computations(left_.entry(), right_.entry(), true);
    compareAliases();
    return std::move(out_);
  }

 private:
  using Pair = std::pair<InstructionId, InstructionId>;

  void report(InstructionId a, InstructionId b, std::string what, std::string inLeft, std::string inRight) {
    if (out_.differences.size() >= kMaxDifferences) {
      out_.more = true;
      return;
    }
    out_.differences.push_back({a, b, std::move(what), shortened(std::move(inLeft)), shortened(std::move(inRight)),
                                placeOf(left_, a) + " | " + placeOf(right_, b)});
  }

  // Everything that stands in both computations. freeParameters: their numbers may differ.
  void computations(ComputationId a, ComputationId b, bool freeParameters) {
    if (!walked_.emplace(a, b).second) return;
    const Computation& one = left_.at(a);
    const Computation& other = right_.at(b);
    if (one.executionThread != other.executionThread)
      report(one.root, other.root, "execution thread", one.executionThread, other.executionThread);
    if (!freeParameters) pairParameters(one, other);
    walk(one.root, other.root);
    pairEnds(one, other);
    if (freeParameters) pairUnused(one, other);
    reportLeft(one, other);
  }

  void pairParameters(const Computation& a, const Computation& b) {
    for (size_t i = 0; i < std::min(a.parameters.size(), b.parameters.size()); ++i)
      walk(a.parameters[i], b.parameters[i]);
  }

  // Parameters that nothing has met yet: in order, where the shapes agree.
  void pairUnused(const Computation& a, const Computation& b) {
    for (InstructionId one : a.parameters) {
      if (forward_.contains(one)) continue;
      for (InstructionId other : b.parameters)
        if (!backward_.contains(other) && left_.shapeOf(one) == right_.shapeOf(other)) {
          walk(one, other);
          break;
        }
    }
  }

  // What no root needs, as an outfeed: the ends, in order, where opcode and shape agree.
  void pairEnds(const Computation& a, const Computation& b) {
    const std::vector<InstructionId> ones = endsOf(left_, a, forward_), others = endsOf(right_, b, backward_);
    for (InstructionId one : ones)
      for (InstructionId other : others) {
        const Instruction &x = left_.at(one), &y = right_.at(other);
        if (backward_.contains(other) || x.opcode != y.opcode || *x.shape != *y.shape) continue;
        walk(one, other);
        break;
      }
  }

  static std::vector<InstructionId> endsOf(const Module& module, const Computation& computation,
                                           const std::unordered_map<InstructionId, InstructionId>& met) {
    std::unordered_map<InstructionId, bool> used;
    for (InstructionId id : computation.instructions)
      for (InstructionId operand : module.at(id).operands) used[operand] = true;
    std::vector<InstructionId> out;
    for (InstructionId id : computation.instructions)
      if (!used.contains(id) && !met.contains(id) && module.at(id).opcode != Opcode::Parameter) out.push_back(id);
    return out;
  }

  // Only ends are told: what stands above them follows. Where the walk ended at a difference, what is above is unmet
  // too.
  void reportLeft(const Computation& a, const Computation& b) {
    for (InstructionId id : endsOf(left_, a, forward_)) report(id, {}, "missing", describe(left_, id), "");
    for (InstructionId id : endsOf(right_, b, backward_)) report({}, id, "missing", "", describe(right_, id));
    for (InstructionId id : a.parameters)
      if (!forward_.contains(id) && a.parameters.size() > b.parameters.size())
        report(id, {}, "missing", describe(left_, id), "");
    for (InstructionId id : b.parameters)
      if (!backward_.contains(id) && b.parameters.size() > a.parameters.size())
        report({}, id, "missing", "", describe(right_, id));
  }

  static std::string describe(const Module& module, InstructionId id) {
    return fmt::format("{} {}", module.at(id).opcodeName(), toString(module.shapeOf(id)));
  }

  void walk(InstructionId a, InstructionId b) {
    std::vector<Pair> open{{a, b}};
    while (!open.empty()) {
      const auto [one, other] = open.back();
      open.pop_back();
      if (!pair(one, other)) continue;
      const Instruction &x = left_.at(one), &y = right_.at(other);
      if (!sameKind(x, y)) continue;
      compareFacts(x, y);
      pushOperands(x, y, callees(x, y), open);
    }
  }

  // False when they were met before; says so when one of them was met with another.
  bool pair(InstructionId a, InstructionId b) {
    const auto known = forward_.find(a);
    const auto back = backward_.find(b);
    if (known == forward_.end() && back == backward_.end()) {
      forward_[a] = b;
      backward_[b] = a;
      ++out_.matched;
      return true;
    }
    const bool same = known != forward_.end() && known->second == b;
    if (!same && told_.emplace(a, b).second)
      report(a, b, "sharing",
             known == forward_.end() ? "" : "stands for %" + std::string(right_.at(known->second).name),
             back == backward_.end() ? "" : "stands for %" + std::string(left_.at(back->second).name));
    return false;
  }

  // Are their operands worth a look?
  bool sameKind(const Instruction& a, const Instruction& b) {
    if (a.opcode != b.opcode || a.opcodeName() != b.opcodeName()) {
      report(a.id, b.id, "opcode", std::string(a.opcodeName()), std::string(b.opcodeName()));
      return false;
    }
    if (a.operands.size() == b.operands.size()) return true;
    report(a.id, b.id, "operands", std::to_string(a.operands.size()), std::to_string(b.operands.size()));
    return false;
  }

  void compareFacts(const Instruction& a, const Instruction& b) {
    if (*a.shape != *b.shape) report(a.id, b.id, "shape", toString(*a.shape), toString(*b.shape));
    if (auto found = attributeDifference(left_, a, right_, b))
      report(a.id, b.id, "attribute " + found->name, std::move(found->inLeft), std::move(found->inRight));
    compareChannels(a, b);
    if (a.literal && b.literal ? !a.literal->identical(*b.literal) : a.literal != b.literal)
      report(a.id, b.id, "value", a.literal ? printLiteral(*a.literal) : "", b.literal ? printLiteral(*b.literal) : "");
  }

  // A channel may have another number, but the same one everywhere.
  void compareChannels(const Instruction& a, const Instruction& b) {
    const auto* one = a.attributes->get<int64_t>(Attr::channel_id);
    const auto* other = b.attributes->get<int64_t>(Attr::channel_id);
    if (!one && !other) return;
    const bool same = one && other && channels_.try_emplace(*one, *other).first->second == *other &&
                      channelsBack_.try_emplace(*other, *one).first->second == *one;
    if (!same)
      report(a.id, b.id, "attribute channel_id", one ? std::to_string(*one) : "", other ? std::to_string(*other) : "");
  }

  // Compares what they call; the first pair of callees, if parameters bind operands.
  std::optional<std::pair<ComputationId, ComputationId>> callees(const Instruction& a, const Instruction& b) {
    const auto one = left_.callees(a), other = right_.callees(b);
    if (one.size() != other.size()) {
      report(a.id, b.id, "called computations", std::to_string(one.size()), std::to_string(other.size()));
      return std::nullopt;
    }
    const bool binds = bindsByPosition(a.opcode) && one.size() == 1;
    for (size_t i = 0; i < one.size(); ++i) calleePair(a, b, one[i], other[i], binds);
    if (!binds) return std::nullopt;
    return std::pair(one[0], other[0]);
  }

  void calleePair(const Instruction& a, const Instruction& b, ComputationId one, ComputationId other, bool binds) {
    const bool first = standsFor_.try_emplace(one, other).first->second == other;
    const bool back = standsBack_.try_emplace(other, one).first->second == one;
    if (first && back) {
      computations(one, other, binds);
      bindings_.try_emplace({one, other}, bindingOf(one, other));
      return;
    }
    // One computation here, two there: a copy is as good as the same one, but it is a graph of its own.
    if (bindings_.contains({one, other})) return;
    Differ fresh(left_, right_);
    fresh.computations(one, other, binds);
    for (Difference& difference : fresh.out_.differences)
      report(difference.left, difference.right, difference.what, difference.inLeft, difference.inRight);
    if (!fresh.out_.differences.empty())
      report(a.id, b.id, "called computation", left_.at(one).name, right_.at(other).name);
    bindings_[{one, other}] = fresh.bindingOf(one, other);
  }

  // By parameter: the number of the one that stands for it on the right.
  std::vector<size_t> bindingOf(ComputationId a, ComputationId b) const {
    std::vector<size_t> out;
    for (InstructionId parameter : left_.at(a).parameters) {
      const auto found = forward_.find(parameter);
      const bool here = found != forward_.end() && right_.at(found->second).computation == b &&
                        right_.at(found->second).parameterNumber >= 0;
      out.push_back(here ? static_cast<size_t>(right_.at(found->second).parameterNumber) : out.size());
    }
    return out;
  }

  void pushOperands(const Instruction& a, const Instruction& b,
                    const std::optional<std::pair<ComputationId, ComputationId>>& bound, std::vector<Pair>& open) {
    const std::vector<size_t>* binding = bound ? &bindings_.at(*bound) : nullptr;
    for (size_t i = a.operands.size(); i-- > 0;) {
      const size_t j = binding && i < binding->size() ? (*binding)[i] : i;
      if (j < b.operands.size()) open.emplace_back(a.operands[i], b.operands[j]);
    }
  }

  void compareAliases() {
    const auto count = [](const ModuleConfig& config) { return config.inputOutputAlias.size(); };
    const InstructionId a = left_.entryComputation().root, b = right_.entryComputation().root;
    if (count(left_.config()) != count(right_.config()))
      return report(a, b, "input_output_alias", std::to_string(count(left_.config())),
                    std::to_string(count(right_.config())));
    for (const AliasEntry& alias : left_.config().inputOutputAlias)
      if (!hasAlias(alias))
        report(a, b, "input_output_alias", fmt::format("output {{{}}}", fmt::join(alias.outputIndex, ",")), "");
  }

  bool hasAlias(const AliasEntry& alias) const {
    const auto& parameters = left_.entryComputation().parameters;
    if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(parameters.size())) return false;
    const auto found = forward_.find(parameters[static_cast<size_t>(alias.parameter)]);
    if (found == forward_.end()) return false;
    for (const AliasEntry& other : right_.config().inputOutputAlias)
      if (other.outputIndex == alias.outputIndex && other.parameter == right_.at(found->second).parameterNumber &&
          other.parameterIndex == alias.parameterIndex && other.must == alias.must)
        return true;
    return false;
  }

  const Module& left_;
  const Module& right_;
  ModuleDiff out_;
  std::unordered_map<InstructionId, InstructionId> forward_, backward_;
  std::unordered_map<ComputationId, ComputationId> standsFor_, standsBack_;
  std::map<std::pair<ComputationId, ComputationId>, std::vector<size_t>> bindings_;
  std::map<int64_t, int64_t> channels_, channelsBack_;
  std::set<std::pair<ComputationId, ComputationId>> walked_;
  std::set<Pair> told_;
};

}  // namespace

ModuleDiff diff(const Module& left, const Module& right) { return Differ(left, right).run(); }

}  // namespace tessera
