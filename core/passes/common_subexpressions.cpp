// Common subexpressions: hashing by opcode, resolved operands, interned shape, attributes and literal bits; one
// forward sweep per computation, operands first, so chains of equal instructions collapse at once.
#include "core/passes/common_subexpressions.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/base/tuning.h"
#include "core/element/scalar_functions.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

void mix(size_t& hash, size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15ull + (hash >> 29); }

size_t hashAttributes(const AttributeSet& attributes) {
  size_t sum = 0;
  for (const Attribute& item : attributes.items()) {
    size_t one = static_cast<size_t>(item.name);
    if (const auto* i = std::get_if<int64_t>(&item.value)) mix(one, static_cast<size_t>(*i));
    if (const auto* v = std::get_if<std::vector<int64_t>>(&item.value))
      for (int64_t x : *v) mix(one, static_cast<size_t>(x));
    if (const auto* s = std::get_if<std::string>(&item.value)) mix(one, std::hash<std::string>()(*s));
    if (const auto* c = std::get_if<ComputationId>(&item.value)) mix(one, c->value);
    if (const auto* s = std::get_if<std::vector<SliceDimension>>(&item.value))
      for (const SliceDimension& d : *s) mix(one, static_cast<size_t>(d.start * 31 + d.limit));
    sum += one;
  }
  return sum;
}

bool equalLiterals(const LiteralPtr& a, const LiteralPtr& b) {
  if (a == b) return true;
  return a && b && a->bytes().size() <= tuning().simplify.comparedLiteralBytes && !a->elided() && !b->elided() &&
         a->identical(*b);
}

size_t hashLiteral(const LiteralPtr& literal) {
  if (!literal) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(literal->bytes().data()),
                         std::min<size_t>(literal->bytes().size(), 256));
  return std::hash<std::string_view>()(bytes) + literal->bytes().size();
}

// Equality of two instructions of one computation, or, with numbering, of two computations.
class Comparison {
 public:
  explicit Comparison(const Module& module) : module_(module) {}

  bool equal(const Instruction& a, const Instruction& b) const {
    return a.opcode == b.opcode && a.shape == b.shape && a.parameterNumber == b.parameterNumber &&
           a.unknownOpcode == b.unknownOpcode && equalLiterals(a.literal, b.literal) &&
           equalAttributes(*a.attributes, *b.attributes);
  }
  size_t hash(const Instruction& a) const {
    size_t out = static_cast<size_t>(a.opcode);
    mix(out, reinterpret_cast<size_t>(a.shape));
    mix(out, static_cast<size_t>(a.parameterNumber + 1));
    mix(out, hashAttributes(*a.attributes));
    mix(out, hashLiteral(a.literal));
    return out;
  }
  size_t hash(const Computation& c) const {
    size_t out = c.instructions.size();
    for (InstructionId id : c.instructions) mix(out, hash(module_.at(id)));
    return out;
  }
  bool equal(const Computation& a, const Computation& b) const {
    if (a.instructions.size() != b.instructions.size() || a.executionThread != b.executionThread) return false;
    std::unordered_map<uint32_t, uint32_t> match;
    for (size_t i = 0; i < a.instructions.size(); ++i) {
      const Instruction& x = module_.at(a.instructions[i]);
      const Instruction& y = module_.at(b.instructions[i]);
      if (!equal(x, y) || x.operands.size() != y.operands.size() || hasSideEffect(x)) return false;
      for (size_t k = 0; k < x.operands.size(); ++k)
        if (match.at(x.operands[k].value) != y.operands[k].value) return false;
      match[x.id.value] = y.id.value;
    }
    return match.at(a.root.value) == b.root.value;
  }

 private:
  const Module& module_;
};

void redirectCallees(Rewriter& rewriter, InstructionId id, const std::unordered_map<uint32_t, ComputationId>& same) {
  const Instruction& instruction = rewriter.module().at(id);
  AttributeSet attributes = *instruction.attributes;
  bool changed = false;
  auto redirect = [&](ComputationId& c) {
    if (auto it = same.find(c.value); it != same.end()) c = it->second, changed = true;
  };
  for (const Attribute& item : instruction.attributes->items()) {
    AttributeValue value = item.value;
    if (auto* one = std::get_if<ComputationId>(&value))
      redirect(*one);
    else if (auto* many = std::get_if<std::vector<ComputationId>>(&value))
      std::ranges::for_each(*many, redirect);
    else
      continue;
    attributes.set(item.name, std::move(value));
  }
  if (changed) rewriter.module().setAttributes(id, std::move(attributes));
}

// Equal small computations that are applied inside one instruction become one. Loop bodies and branches stay apart:
// their steps are measured one by one and must lead back to one source each.
bool mergeComputations(Rewriter& rewriter) {
  Module& module = rewriter.module();
  Comparison comparison(module);
  std::unordered_multimap<size_t, ComputationId> seen;
  std::unordered_map<uint32_t, ComputationId> same;
  std::vector<bool> control(module.computationSlots());
  for (ComputationId c : controlComputations(module)) control[c.value] = true;
  for (ComputationId c : module.order()) {
    const std::vector<InstructionId> instructions = module.at(c).instructions;
    if (!same.empty())
      for (InstructionId id : instructions)
        if (!module.at(id).attributes->empty()) redirectCallees(rewriter, id, same);
    if (instructions.size() > tuning().simplify.comparedInstructions || control[c.value]) continue;
    size_t hash = comparison.hash(module.at(c));
    auto [begin, end] = seen.equal_range(hash);
    auto found = std::find_if(
        begin, end, [&](const auto& entry) { return comparison.equal(module.at(entry.second), module.at(c)); });
    if (found == end) {
      seen.emplace(hash, c);
      continue;
    }
    same.emplace(c.value, found->second);
    const std::vector<InstructionId>& kept = module.at(found->second).instructions;
    for (size_t i = 0; i < kept.size(); ++i) rewriter.absorb(kept[i], instructions[i]);
  }
  return !same.empty();
}

// A custom call is a function of its operands unless it says otherwise; without any it may be a clock.
bool isFunctionOfOperands(const Instruction& instruction) {
  if (instruction.opcode == Opcode::CustomCall) return !hasSideEffect(instruction) && !instruction.operands.empty();
  return !isStateful(instruction);
}

class Merger {
 public:
  Merger(Rewriter& rewriter, ComputationId computation)
      : rewriter_(rewriter), comparison_(rewriter.module()), computation_(computation) {}

  void run() {
    for (InstructionId id : std::vector<InstructionId>(rewriter_.module().at(computation_).instructions)) visit(id);
  }

 private:
  std::vector<InstructionId> keyOperands(const Instruction& instruction) const {
    std::vector<InstructionId> operands(instruction.operands.begin(), instruction.operands.end());
    if (isCommutative(instruction.opcode)) std::ranges::sort(operands);
    return operands;
  }
  void visit(InstructionId id) {
    const Instruction& instruction = rewriter_.visit(id);
    if (!isFunctionOfOperands(instruction)) return;
    std::vector<InstructionId> operands = keyOperands(instruction);
    size_t hash = comparison_.hash(instruction);
    for (InstructionId operand : operands) mix(hash, operand.value);
    auto [begin, end] = seen_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      const Instruction& other = rewriter_.module().at(it->second);
      if (!comparison_.equal(instruction, other) || keyOperands(other) != operands) continue;
      rewriter_.replace(id, it->second);
      return;
    }
    seen_.emplace(hash, id);
  }

  Rewriter& rewriter_;
  Comparison comparison_;
  ComputationId computation_;
  std::unordered_multimap<size_t, InstructionId> seen_;
};

}  // namespace

Result<bool> mergeCommonSubexpressions(Module& module) {
  Rewriter rewriter(module, "common-subexpressions");
  bool changed = mergeComputations(rewriter);
  for (ComputationId c : module.order()) Merger(rewriter, c).run();
  TESSERA_ASSIGN_OR_RETURN(bool merged, rewriter.finish());
  TESSERA_TRY(restoreComputationOrder(module));
  return changed || merged;
}

}  // namespace tessera
