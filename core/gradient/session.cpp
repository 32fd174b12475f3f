// See session.h.
#include "core/gradient/session.h"

#include <algorithm>

#include "core/gradient/emitter.h"
#include "core/passes/rewriter.h"

namespace tessera::gradient {
namespace {

std::string numbered(const std::string& stem, std::unordered_set<std::string>& taken,
                     std::unordered_map<std::string, size_t>& next) {
  std::string name = stem;
  for (size_t& k = next[stem]; !taken.insert(name).second;) name = stem + "." + std::to_string(++k);
  return name;
}

// A computation of the module that is the wanted one already; also where passes will merge equal ones later, a reader
// sees one.
std::optional<ComputationId> sameProgram(const Module& module, Opcode opcode, ElementType type,
                                         const AttributeSet& attributes) {
  for (ComputationId id : module.order()) {
    const Computation& each = module.at(id);
    if (each.parameters.size() != 2 || each.instructions.size() != 3 || !each.root.valid()) continue;
    const Instruction& root = module.at(each.root);
    if (root.opcode != opcode || !std::ranges::equal(root.operands, each.parameters)) continue;
    const Shape& taken = module.shapeOf(each.parameters[0]);
    if (taken.isScalar() && taken.type == type && module.shapeOf(each.parameters[1]) == taken &&
        equalAttributes(*root.attributes, attributes))
      return id;
  }
  return std::nullopt;
}

}  // namespace

Session::Session(Module& of) : module(of) {
  for (ComputationId id : module.order()) {
    computationNames_.insert(module.at(id).name);
    for (InstructionId instruction : module.at(id).instructions)
      names_.insert(std::string(module.at(instruction).name));
  }
}

std::string Session::freeName(const std::string& stem) { return numbered(stem, names_, nextNumber_); }

std::string Session::freeComputationName(const std::string& stem) {
  std::unordered_map<std::string, size_t> fromOne;
  return numbered(stem, computationNames_, fromOne);
}

ComputationId Session::scalarProgram(std::string_view stem, Opcode opcode, ElementType type, AttributeSet attributes) {
  const std::string key = std::string(stem) + "_" + std::string(nameOf(type));
  if (const auto known = programs_.find(key); known != programs_.end()) return known->second;
  if (const auto there = sameProgram(module, opcode, type, attributes)) return programs_[key] = *there;
  const ComputationId id = module.addComputation(freeComputationName(key));
  Emitter emit(*this, id);
  const Shape scalar = Shape::arrayRowMajor(type, {});
  const Value a = addParameter(emit, "a", scalar), b = addParameter(emit, "b", scalar);
  module.setRoot(id, emit.make(opcode, {a, b}, std::move(attributes)).id);
  return programs_[key] = id;
}

ComputationId Session::reducer(Opcode opcode, ElementType type) {
  return scalarProgram(nameOf(opcode), opcode, type, {});
}

ComputationId Session::comparison(std::string_view direction, ElementType type) {
  AttributeSet attributes;
  attributes.set(Attr::direction, std::string(direction));
  return scalarProgram("compare_" + std::string(direction), Opcode::Compare, type, std::move(attributes));
}

ComputationId Session::second(ElementType type) {
  const std::string key = "second_" + std::string(nameOf(type));
  if (const auto known = programs_.find(key); known != programs_.end()) return known->second;
  const ComputationId id = module.addComputation(freeComputationName(key));
  Emitter emit(*this, id);
  addParameter(emit, "a", Shape::arrayRowMajor(type, {}));
  module.setRoot(id, addParameter(emit, "b", Shape::arrayRowMajor(type, {})).id);
  return programs_[key] = id;
}

InstructionId Session::originalOf(InstructionId id) const {
  for (auto found = originals_.find(id.value); found != originals_.end(); found = originals_.find(id.value))
    id = found->second;
  return id;
}

Result<const Pullback*> Session::pullbackOf(ComputationId callee, const std::vector<bool>& wanted,
                                            const std::vector<bool>& given, bool ofBranch) {
  auto& known = pullbacks_[{callee.value, wanted, given, ofBranch}];
  if (!known) {
    TESSERA_ASSIGN_OR_RETURN(Pullback made, makePullback(*this, callee, wanted, given, ofBranch));
    known = std::make_unique<Pullback>(std::move(made));
  }
  return known.get();
}

}  // namespace tessera::gradient
