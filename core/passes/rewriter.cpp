// Rewriter: adding, cloning, replacing with provenance.
#include "core/passes/rewriter.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "core/ops/inference/callgraph.h"
#include "core/ops/op.h"
#include "core/passes/pipeline.h"

namespace tessera {
namespace {

// "add.5.t77" -> "add.5": copies of copies keep short names.
std::string_view baseName(std::string_view name) {
  size_t at = name.rfind(".t");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  bool digits = std::ranges::all_of(name.substr(at + 2), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? name.substr(0, at) : name;
}

ProvenancePtr withInsertion(Provenance provenance, const Insertion& insertion) {
  provenance.insertion = insertion;
  return std::make_shared<const Provenance>(std::move(provenance));
}

}  // namespace

InstructionId Rewriter::resolve(InstructionId id) const {
  for (auto it = replaced_.find(id.value); it != replaced_.end(); it = replaced_.find(id.value)) id = it->second;
  return id;
}

const Instruction& Rewriter::visit(InstructionId id) {
  const Instruction& instruction = module_.at(id);
  if (replaced_.empty()) return instruction;
  bool stale = std::ranges::any_of(instruction.operands, [&](InstructionId o) { return replaced_.contains(o.value); });
  if (!stale) return instruction;
  std::vector<InstructionId> operands(instruction.operands.begin(), instruction.operands.end());
  for (InstructionId& operand : operands) operand = resolve(operand);
  module_.setOperands(id, operands);
  touch(instruction.computation);
  return module_.at(id);
}

ProvenancePtr Rewriter::provenanceOf(std::span<const InstructionId> from) const {
  // A constant that stands for thousands is cloned into thousands of fusions: its list is shared, not copied.
  constexpr size_t kShared = 16;
  if (from.size() == 1)
    if (const ProvenancePtr& one = module_.at(from[0]).provenance;
        one && one->sources.size() > kShared && !one->insertion)
      return one;
  return mergeProvenance(module_, from, pass_);
}

InstructionId Rewriter::add(ComputationId computation, Opcode opcode, const Shape& shape,
                            std::span<const InstructionId> operands, AttributeSet attributes,
                            std::span<const InstructionId> from) {
  InstructionId id = module_.add(computation, opcode, shape, operands, std::move(attributes), provenanceOf(from));
  if (!from.empty()) module_.edit(id).metadata = module_.at(from.front()).metadata;
  touch(computation);
  return id;
}

InstructionId Rewriter::addConstant(ComputationId computation, Literal literal, const Shape& shape,
                                    std::span<const InstructionId> from) {
  InstructionId id = add(computation, Opcode::Constant, shape, {}, {}, from);
  literal.setLayout(shape.layout);
  module_.edit(id).literal = std::make_shared<const Literal>(std::move(literal));
  return id;
}

InstructionId Rewriter::clone(InstructionId original, ComputationId into, std::span<const InstructionId> operands) {
  Instruction copy = module_.at(original);
  std::string name = fmt::format("{}.t{}", baseName(copy.name), module_.instructionSlots());
  copy.name = name;
  copy.operands = operands;
  const InstructionId from[] = {original};
  const ProvenancePtr provenance = copy.provenance;
  copy.provenance = provenanceOf(from);
  if (provenance && provenance->insertion) copy.provenance = withInsertion(*copy.provenance, *provenance->insertion);
  touch(into);
  const Shape& shape = *copy.shape;
  return module_.add(into, std::move(copy), shape);
}

ComputationId Rewriter::cloneComputation(ComputationId original) {
  std::string name = fmt::format("{}.t{}", baseName(module_.at(original).name), module_.instructionSlots());
  ComputationId copy = module_.addComputation(std::move(name));
  std::unordered_map<uint32_t, InstructionId> map;
  const Computation from = module_.at(original);
  for (InstructionId id : from.instructions) {
    std::vector<InstructionId> operands;
    for (InstructionId operand : module_.at(id).operands) operands.push_back(map.at(operand.value));
    map[id.value] = clone(id, copy, operands);
  }
  for (InstructionId id : from.instructions) {
    const auto* before = module_.at(id).attributes->get<std::vector<InstructionId>>(Attr::control_predecessors);
    if (!before) continue;
    std::vector<InstructionId> mapped;
    for (InstructionId predecessor : *before) mapped.push_back(map.at(predecessor.value));
    AttributeSet attributes = *module_.at(id).attributes;
    attributes.set(Attr::control_predecessors, mapped);
    module_.setAttributes(map.at(id.value), std::move(attributes));
  }
  module_.setRoot(copy, map.at(from.root.value));
  module_.edit(copy).executionThread = from.executionThread;
  return copy;
}

// A parameter of a fused computation, in the place of what the fusion reads.
InstructionId Rewriter::addParameter(ComputationId fused, size_t number, InstructionId input) {
  const InstructionId from[] = {input};
  Instruction parameter;
  const std::string name = fmt::format("param_{}.t{}", number, module_.instructionSlots());
  parameter.name = name;
  parameter.opcode = Opcode::Parameter;
  parameter.parameterNumber = static_cast<int32_t>(number);
  parameter.provenance = provenanceOf(from);
  return module_.add(fused, std::move(parameter), module_.shapeOf(input));
}

InstructionId Rewriter::fuse(std::span<const InstructionId> members, std::string_view kind) {
  return fuse(members, members.last(1), kind);
}

InstructionId Rewriter::fuse(std::span<const InstructionId> members, std::span<const InstructionId> results,
                             std::string_view kind) {
  const InstructionId fusion = makeFusion(members, results, kind);
  replaceByFusion(results, fusion);
  return fusion;
}

InstructionId Rewriter::makeFusion(std::span<const InstructionId> members, std::span<const InstructionId> results,
                                   std::string_view kind) {
  const ComputationId home = module_.at(results[0]).computation;
  ComputationId fused = module_.addComputation(fmt::format("fused_computation.t{}", module_.instructionSlots()));
  std::unordered_map<uint32_t, InstructionId> inside;
  std::vector<InstructionId> inputs;
  for (InstructionId member : members) inside.emplace(member.value, InstructionId());
  for (InstructionId member : members)
    for (InstructionId operand : module_.at(member).operands)
      if (inside.try_emplace(operand.value).second) inputs.push_back(operand);
  for (size_t i = 0; i < inputs.size(); ++i) inside[inputs[i].value] = addParameter(fused, i, inputs[i]);
  std::vector<InstructionId> operands;
  for (InstructionId member : members) {
    operands.clear();
    for (InstructionId operand : module_.at(member).operands) operands.push_back(inside.at(operand.value));
    inside[member.value] = clone(member, fused, operands);
  }
  std::vector<InstructionId> roots;
  std::vector<Shape> shapes;
  for (InstructionId result : results) {
    roots.push_back(inside.at(result.value));
    shapes.push_back(module_.shapeOf(result));
  }
  const Shape shape = shapes.size() == 1 ? shapes[0] : Shape::tuple(std::move(shapes));
  module_.setRoot(fused, roots.size() == 1 ? roots[0] : add(fused, Opcode::Tuple, shape, roots, {}, results));
  // A constant is no work of the fusion's; its clone inside says where it comes from.
  std::vector<InstructionId> workers;
  std::ranges::copy_if(members, std::back_inserter(workers),
                       [&](InstructionId id) { return module_.at(id).opcode != Opcode::Constant; });
  AttributeSet attributes;
  attributes.set(Attr::kind, std::string(kind));
  attributes.set(Attr::calls, fused);
  InstructionId fusion = module_.add(home, Opcode::Fusion, shape, inputs, std::move(attributes), provenanceOf(workers));
  module_.edit(fusion).metadata = module_.at(results.back()).metadata;
  touch(home);
  return fusion;
}

void Rewriter::replaceByFusion(std::span<const InstructionId> results, InstructionId fusion) {
  if (results.size() > 1) return replaceByElements(results, fusion);
  replaced_[results[0].value] = fusion;
  replacedAny_ = true;
}

void Rewriter::noteInsertion(InstructionId inserted, const Insertion& insertion) {
  module_.edit(inserted).provenance = withInsertion(*module_.at(inserted).provenance, insertion);
}

void Rewriter::replace(InstructionId old, InstructionId by) {
  by = resolve(by);
  if (old == by) return;
  replaced_[old.value] = by;
  absorb(by, old);
  touch(module_.at(old).computation);
  replacedAny_ = true;
}

void Rewriter::replaceByElements(std::span<const InstructionId> old, InstructionId by) {
  if (old.size() == 1) return replace(old[0], by);
  for (size_t k = 0; k < old.size(); ++k) {
    AttributeSet index;
    index.set(Attr::index, static_cast<int64_t>(k));
    const Shape shape = module_.shapeOf(by).elements[k];
    replace(old[k], add(module_.at(by).computation, Opcode::GetTupleElement, shape, {&by, 1}, std::move(index),
                        old.subspan(k, 1)));
  }
}

void Rewriter::touch(ComputationId computation) {
  if (touched_.size() <= computation.value) touched_.resize(computation.value + 1);
  touched_[computation.value] = true;
}

void Rewriter::applyAbsorbed() {
  // What was absorbed by something that was replaced later belongs to the final stand-in.
  std::unordered_map<uint32_t, std::vector<InstructionId>> final;
  for (auto& [target, others] : absorbed_) {
    auto& list = final[resolve(InstructionId(target)).value];
    list.insert(list.end(), others.begin(), others.end());
  }
  for (auto& [target, others] : final) {
    others.push_back(InstructionId(target));
    const InstructionId id(target);
    ProvenancePtr old = module_.at(id).provenance;
    ProvenancePtr merged = mergeProvenance(module_, others, pass_);
    if (old && old->sources == merged->sources) continue;
    if (old && old->insertion) merged = withInsertion(*merged, *old->insertion);
    module_.edit(id).provenance = std::move(merged);
  }
  absorbed_.clear();
}

AttributeSetPtr Rewriter::resolvedPredecessors(const Instruction& instruction) const {
  const auto* before = instruction.attributes->get<std::vector<InstructionId>>(Attr::control_predecessors);
  if (!before) return nullptr;
  std::vector<InstructionId> now;
  for (InstructionId id : *before) {
    id = resolve(id);
    if (module_.contains(id) && id != instruction.id && module_.at(id).computation == instruction.computation)
      now.push_back(id);
  }
  if (now == *before) return nullptr;
  AttributeSet attributes = *instruction.attributes;
  if (now.empty())
    attributes.remove(Attr::control_predecessors);
  else
    attributes.set(Attr::control_predecessors, std::move(now));
  return std::make_shared<const AttributeSet>(std::move(attributes));
}

Status Rewriter::tidy(ComputationId computation) {
  if (replacedAny_) {
    const Computation& c = module_.at(computation);
    std::vector<InstructionId> gone;
    const InstructionId root = resolve(c.root);
    for (InstructionId id : c.instructions)
      if (replaced_.contains(id.value)) gone.push_back(id);
    module_.setRoot(computation, root);
    module_.removeAll(computation, gone);
    const std::vector<InstructionId> live = module_.at(computation).instructions;
    for (InstructionId id : live) visit(id);
    for (InstructionId id : live)
      if (auto attributes = resolvedPredecessors(module_.at(id))) module_.edit(id).attributes = attributes;
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> order, topologicalOrder(module_, computation));
  if (order != module_.at(computation).instructions) module_.edit(computation).instructions = std::move(order);
  return {};
}

Result<bool> Rewriter::finish() {
  applyAbsorbed();
  bool changed = false;
  for (uint32_t c = 0; c < touched_.size(); ++c) {
    if (!touched_[c] || !module_.contains(ComputationId(c))) continue;
    TESSERA_TRY(tidy(ComputationId(c)));
    changed = true;
  }
  replaced_.clear();
  touched_.clear();
  replacedAny_ = false;
  return changed;
}

Result<bool> restoreComputationOrder(Module& module) {
  const ComputationId entry = module.entry();
  const CallGraph graph(module, {&entry, 1});
  if (!graph.recursiveCalls().empty())
    return fail("computation %" + module.at(module.at(graph.recursiveCalls().front()).computation).name +
                " calls itself");
  std::vector<ComputationId> order = graph.calleesFirst();
  if (order == module.order()) return false;
  std::vector<bool> kept(module.computationSlots());
  for (ComputationId id : order) kept[id.value] = true;
  for (uint32_t c = 0; c < kept.size(); ++c)
    if (!kept[c] && module.contains(ComputationId(c))) module.remove(ComputationId(c));
  module.setOrder(std::move(order));
  return true;
}

std::vector<ComputationId> controlComputations(const Module& module) {
  std::vector<bool> seen(module.computationSlots());
  std::vector<ComputationId> out{module.entry()};
  seen[module.entry().value] = true;
  for (size_t at = 0; at < out.size(); ++at)
    for (InstructionId id : module.at(out[at]).instructions) {
      const Instruction& instruction = module.at(id);
      if (instruction.opcode != Opcode::While && instruction.opcode != Opcode::Conditional &&
          instruction.opcode != Opcode::Call)
        continue;
      for (ComputationId callee : module.callees(instruction))
        if (module.contains(callee) && !seen[callee.value]) seen[callee.value] = true, out.push_back(callee);
    }
  return out;
}

bool hasSideEffect(const Instruction& instruction) {
  if (instruction.opcode == Opcode::Unknown || hasTrait(instruction.opcode, kSideEffect)) return true;
  return instruction.attributes->boolOr(Attr::custom_call_has_side_effect, false) ||
         instruction.attributes->has(Attr::control_predecessors);
}

bool isStateful(const Instruction& instruction) {
  return hasSideEffect(instruction) || instruction.opcode == Opcode::Rng || instruction.opcode == Opcode::CustomCall ||
         instruction.opcode == Opcode::RngGetAndUpdateState || instruction.opcode == Opcode::Parameter ||
         instruction.opcode == Opcode::Domain;
}

bool equalAttributes(const AttributeSet& a, const AttributeSet& b) {
  if (&a == &b) return true;
  if (a.items().size() != b.items().size() || a.unknown.size() != b.unknown.size()) return false;
  for (const Attribute& item : a.items()) {
    const AttributeValue* other = b.find(item.name);
    if (!other || !(*other == item.value)) return false;
  }
  for (size_t i = 0; i < a.unknown.size(); ++i)
    if (a.unknown[i].name != b.unknown[i].name || !(a.unknown[i].value == b.unknown[i].value)) return false;
  return true;
}

}  // namespace tessera
