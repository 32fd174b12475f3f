// See simplify.h: the driver, and what holds for every operation (constants, arrays without elements).
#include "core/passes/simplify/simplify.h"

#include <algorithm>

#include "core/passes/simplify/fold_constants.h"
#include "core/passes/simplify/simplify_rules.h"

namespace tessera {
namespace {

std::vector<std::span<const Rule>> tables() {
  return {arithmeticRules(), logicRules(),   shapeRules(),  sliceRules(),
          reductionRules(),  productRules(), indexedRules()};
}

// Rules by opcode.
class RuleIndex {
 public:
  RuleIndex() {
    for (std::span<const Rule> table : tables())
      for (const Rule& rule : table) {
        const auto at = static_cast<size_t>(rule.opcode);
        if (rules_.size() <= at) rules_.resize(at + 1);
        rules_[at].push_back(&rule);
      }
  }
  std::span<const Rule* const> of(Opcode opcode) const {
    const auto at = static_cast<size_t>(opcode);
    return at < rules_.size() ? std::span<const Rule* const>(rules_[at]) : std::span<const Rule* const>();
  }

 private:
  std::vector<std::vector<const Rule*>> rules_;
};

class Simplifier {
 public:
  Simplifier(Module& module, std::vector<std::string_view>* fired)
      : module_(module), rewriter_(module, "simplify"), uses_(module.instructionSlots()), fired_(fired) {}

  Result<bool> run() {
    for (ComputationId computation : module_.order()) countUses(computation);
    for (ComputationId computation : controlComputations(module_))
      for (InstructionId id : std::vector<InstructionId>(module_.at(computation).instructions)) simplifyAt(id);
    return rewriter_.finish();
  }

 private:
  void countUses(ComputationId computation) {
    for (InstructionId id : module_.at(computation).instructions)
      for (InstructionId operand : module_.at(id).operands) ++uses_[operand.value];
    ++uses_[module_.at(computation).root.value];
  }

  void simplifyAt(InstructionId id) {
    constexpr int kMaxRounds = 12;  // a rule's result may itself be simple
    InstructionId by = one(id);
    for (int round = 0; by.valid() && round < kMaxRounds; ++round) {
      if (by.value < id.value || by == id) break;
      const size_t first = module_.instructionSlots();
      const InstructionId next = one(by);
      if (!next.valid()) break;
      rewriter_.replace(by, next);
      by = next;
      if (next.value < first) break;
    }
    if (by.valid()) rewriter_.replace(id, by);
  }

  // What may stand for the instruction, of the very same shape and layout.
  InstructionId one(InstructionId id) {
    const Instruction in = rewriter_.visit(id);
    if (hasSideEffect(in)) return {};
    if (isDynamic(in) && in.opcode != Opcode::GetTupleElement && in.opcode != Opcode::Tuple) return {};
    Site site(rewriter_, uses_, in);
    if (InstructionId by = nothing(site); accepted(in, by, "no elements")) return by;
    for (const Rule* rule : index().of(in.opcode))
      if (InstructionId by = rule->apply(site); accepted(in, by, rule->name)) return by;
    InstructionId by = foldSmallConstant(rewriter_, in);
    return accepted(in, by, "constants") ? by : InstructionId();
  }

  static const RuleIndex& index() {
    static const RuleIndex out;
    return out;
  }

  bool accepted(const Instruction& in, InstructionId by, std::string_view name) {
    if (!by.valid() || by == in.id || module_.at(by).shape != in.shape) return false;
    if (fired_) fired_->push_back(name);
    return true;
  }

  bool isDynamic(const Instruction& in) const {
    if (in.shape->hasDynamicDimensions()) return true;
    return std::ranges::any_of(in.operands,
                               [&](InstructionId id) { return module_.shapeOf(id).hasDynamicDimensions(); });
  }

  // An array without elements needs no computing.
  static InstructionId nothing(Site& site) {
    switch (site.in.opcode) {
      case Opcode::Parameter:
      case Opcode::Constant:
      case Opcode::Broadcast:
      case Opcode::GetTupleElement:
      case Opcode::While:
      case Opcode::Conditional:
      case Opcode::CustomCall:
      case Opcode::Call:
      case Opcode::Fusion:
      case Opcode::Rng: return {};
      default: break;
    }
    const Shape& shape = *site.in.shape;
    if (!shape.isArray() || shape.elementCount() != 0) return {};
    return site.filled(0);
  }

  Module& module_;
  Rewriter rewriter_;
  std::vector<uint32_t> uses_;
  std::vector<std::string_view>* fired_;
};

}  // namespace

Result<bool> simplify(Module& module) { return simplify(module, nullptr); }

Result<bool> simplify(Module& module, std::vector<std::string_view>* fired) { return Simplifier(module, fired).run(); }

std::vector<std::string_view> simplifyRuleNames() {
  std::vector<std::string_view> out;
  for (std::span<const Rule> table : tables())
    for (const Rule& rule : table) out.push_back(rule.name);
  return out;
}

}  // namespace tessera
