// See instruction_index.h.
#include "core/profile/sources/instruction_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "core/arrange/nearest_places.h"
#include "core/arrange/scopes.h"
#include "core/hlo/source_frames.h"
#include "core/ops/inference/infer.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

// What it calls runs instruction by instruction.
bool executesInOrder(Opcode opcode) { return executesCallees(opcode) || opcode == Opcode::AsyncStart; }

std::unordered_set<ComputationId> executedComputations(const Module& module) {
  std::unordered_set<ComputationId> out;
  std::vector<ComputationId> open;
  if (module.contains(module.entry())) open.push_back(module.entry());
  while (!open.empty()) {
    const ComputationId at = open.back();
    open.pop_back();
    if (!module.contains(at) || !out.insert(at).second) continue;
    for (InstructionId id : module.at(at).instructions)
      if (executesInOrder(module.at(id).opcode))
        for (ComputationId callee : module.callees(module.at(id))) open.push_back(callee);
  }
  return out;
}

std::string kernelName(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}

std::string sourceLine(const SourceFrame& source) {
  return source.file.empty() ? std::string() : fmt::format("{}:{}", source.file, source.line);
}

std::string categoryOfInstruction(const Instruction& instruction) {
  if (instruction.opcode == Opcode::Fusion) {
    std::string_view kind = instruction.attributes->textOr(Attr::kind, "");
    if (kind.starts_with('k')) kind.remove_prefix(1);
    return kind.empty() ? "Fusion" : fmt::format("Fusion ({})", kind);
  }
  if (instruction.opcode == Opcode::CustomCall) return "Custom call";  // of any category
  const OpDef* op = findOp(instruction.opcode);
  return op ? std::string(nameOf(op->category.category)) : "Unknown";
}

}  // namespace

InstructionIndex::InstructionIndex(std::shared_ptr<const Module> module)
    : module_(std::move(module)), functions_(*module_), executed_(executedComputations(*module_)) {
  for (ComputationId computation : module_->order())
    for (InstructionId id : module_->at(computation).instructions)
      names_[std::string(module_->at(id).name)].push_back(id);
}

const InstructionIndex::Names& InstructionIndex::kernels() const {
  std::call_once(kernelsMade_, [this] {
    for (ComputationId computation : module_->order())
      for (InstructionId id : module_->at(computation).instructions)
        kernels_[kernelName(module_->at(id).name)].push_back(id);
  });
  return kernels_;
}

// A fusion that says nothing does what the last of its members does that says something.
void InstructionIndex::findPlaces() const {
  std::unordered_map<std::string, int32_t> numbers = {{"", -1}};  // of scopes
  std::unordered_map<const Metadata*, int32_t> known = {{nullptr, -1}};
  const auto numberOf = [&](const Metadata* metadata) {
    const auto [at, isNew] = known.try_emplace(metadata);
    if (isNew) at->second = numbers.try_emplace(scopeOf(*metadata), static_cast<int32_t>(numbers.size())).first->second;
    return at->second;
  };
  const auto tellerOf = [&](const Instruction& instruction) -> const Metadata* {
    if (instruction.opcode == Opcode::Parameter) return nullptr;
    if (numberOf(instruction.metadata) >= 0 || instruction.opcode != Opcode::Fusion) return instruction.metadata;
    for (ComputationId callee : module_->callees(instruction))
      if (module_->contains(callee))
        for (InstructionId member : std::views::reverse(module_->at(callee).instructions))
          if (numberOf(module_->at(member).metadata) >= 0) return module_->at(member).metadata;
    return instruction.metadata;
  };
  const UserTable users(*module_);
  places_.resize(module_->instructionSlots());
  for (ComputationId id : module_->order()) {
    const std::vector<InstructionId>& instructions = module_->at(id).instructions;
    std::vector<int32_t> own;
    for (InstructionId at : instructions) own.push_back(numberOf(places_[at.value] = tellerOf(module_->at(at))));
    const std::vector<int32_t> nearest = nearestPlaces(*module_, module_->at(id), users, own);
    for (size_t i = 0; i < own.size(); ++i)
      if (nearest[i] >= 0)
        places_[instructions[i].value] = places_[instructions[static_cast<size_t>(nearest[i])].value];
  }
}

CostCounter* InstructionIndex::costs() const {
  std::call_once(costsMade_, [this] {
    if (!verify(*module_).hasErrors()) costs_ = std::make_unique<CostCounter>(*module_);
  });
  return costs_.get();
}

InstructionIndex::Found InstructionIndex::chosen(std::string_view name, const Names& names) const {
  const auto found = names.find(std::string(name));
  if (found == names.end()) return {{}, fmt::format("the module {} has no such instruction", module_->name)};
  if (found->second.size() == 1) return {found->second[0], {}};
  std::vector<InstructionId> executed;
  for (InstructionId id : found->second)
    if (executed_.contains(module_->at(id).computation)) executed.push_back(id);
  if (executed.size() == 1) return {executed[0], {}};
  const auto computation = [&](size_t i) { return module_->at(module_->at(found->second[i]).computation).name; };
  return {{},
          fmt::format("{} instructions of the module {} have that name: in {} and in {}", found->second.size(),
                      module_->name, computation(0), computation(1))};
}

InstructionIndex::Found InstructionIndex::find(std::string_view name) const {
  if (name.starts_with('%')) name.remove_prefix(1);
  return chosen(name, names_);
}

InstructionIndex::Found InstructionIndex::findKernel(std::string_view kernel) const {
  return chosen(kernel, kernels());
}

// Where the path says only how the program was traced, the source functions say the rest, as on the canvas.
std::string InstructionIndex::scopeOf(const Metadata& metadata) const {
  const std::string_view path(metadata.opName);
  std::vector<std::string_view> segments = pathSegments(path.substr(0, path.find(';')));  // the first of several
  if (!segments.empty()) segments.pop_back();
  std::string out;
  const auto add = [&](std::string_view name) { out.append(out.empty() ? "" : "/").append(name); };
  std::ranges::for_each(segments, add);
  if (std::ranges::all_of(segments, isStructural)) std::ranges::for_each(functions_.namesOf(metadata), add);
  return out;
}

InstructionTime InstructionIndex::describe(InstructionId id) const {
  const Instruction& instruction = module_->at(id);
  InstructionTime out;
  out.name = instruction.name;
  out.computation = module_->at(instruction.computation).name;
  out.opcode = instruction.opcodeName();
  out.module = module_->name;
  out.category = categoryOfInstruction(instruction);
  std::call_once(placesMade_, [this] { findPlaces(); });
  const Metadata* place = places_[id.value];
  if (place) out.scope = scopeOf(*place);
  for (const Metadata* teller : {instruction.metadata, place})
    if (teller && out.source.empty()) out.source = sourceLine(sourceOf(*module_, *teller));
  return out;
}

bool InstructionIndex::callsTimed(const Instruction& instruction,
                                  const std::unordered_set<InstructionId>& timed) const {
  std::vector<ComputationId> open = module_->callees(instruction);
  std::unordered_set<ComputationId> seen;
  while (!open.empty()) {
    const ComputationId at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    for (InstructionId id : module_->at(at).instructions) {
      if (timed.contains(id)) return true;
      for (ComputationId callee : module_->callees(module_->at(id))) open.push_back(callee);
    }
  }
  return false;
}

Cost InstructionIndex::costOf(InstructionId id, const std::unordered_set<InstructionId>& timed) const {
  const Instruction& instruction = module_->at(id);
  if (instruction.opcode == Opcode::While || !costs()) return {};  // how often its body ran is not known
  if (executesInOrder(instruction.opcode) && callsTimed(instruction, timed)) return {};
  return costs()->of(id);
}

}  // namespace tessera
