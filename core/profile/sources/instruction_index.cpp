// See instruction_index.h.
#include "core/profile/sources/instruction_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arrange/scopes.h"
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

// A fusion that says nothing does what its root does.
const Metadata* metadataOf(const Module& module, const Instruction& instruction) {
  if (instruction.metadata || instruction.opcode != Opcode::Fusion) return instruction.metadata;
  const auto callees = module.callees(instruction);
  if (callees.empty() || !module.contains(module.at(callees[0]).root)) return nullptr;
  return module.at(module.at(callees[0]).root).metadata;
}

std::string sourceOf(const Module& module, const Metadata& metadata) {
  if (!metadata.sourceFile.empty()) return fmt::format("{}:{}", metadata.sourceFile, metadata.sourceLine);
  const auto& tables = module.stackFrames;
  const auto at = [](const auto& list, int32_t id) {
    return id >= 1 && static_cast<size_t>(id) <= list.size() ? &list[static_cast<size_t>(id) - 1] : nullptr;
  };
  const auto* frame = tables ? at(tables->stackFrames, metadata.stackFrameId) : nullptr;
  const auto* place = frame ? at(tables->fileLocations, frame->fileLocationId) : nullptr;
  const auto* file = place ? at(tables->fileNames, place->fileNameId) : nullptr;
  return file ? fmt::format("{}:{}", *file, place->line) : std::string();
}

std::string categoryOfInstruction(const Instruction& instruction) {
  if (instruction.opcode == Opcode::Fusion) {
    std::string_view kind = instruction.attributes->textOr(Attr::kind, "");
    if (kind.starts_with('k')) kind.remove_prefix(1);
    return kind.empty() ? "Fusion" : fmt::format("Fusion ({})", kind);
  }
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
  const size_t slash = metadata.opName.rfind('/');
  std::string out = slash == std::string::npos ? std::string() : metadata.opName.substr(0, slash);
  if (!std::ranges::all_of(pathSegments(out), isStructural)) return out;
  for (const std::string& name : functions_.namesOf(metadata)) out += (out.empty() ? "" : "/") + name;
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
  if (const Metadata* metadata = metadataOf(*module_, instruction)) {
    out.scope = scopeOf(*metadata);
    out.source = sourceOf(*module_, *metadata);
  }
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
