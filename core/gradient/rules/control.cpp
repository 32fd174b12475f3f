// Gradients of what runs other computations once: calls, fusions, maps, conditionals and known custom calls.
#include <algorithm>
#include <map>

#include "core/gradient/rules.h"
#include "core/ops/inference/callee_index.h"

namespace tessera::gradient {
namespace {

// A leaf of an operand.
struct LeafPlace {
  size_t operand, leaf;
};

std::vector<LeafPlace> leafPlaces(const Rule& r, size_t first, size_t count) {
  std::vector<LeafPlace> out;
  for (size_t i = first; i < first + count; ++i)
    for (size_t k = 0; k < leavesOf(r.operandShape(i)).size(); ++k) out.push_back({i, k});
  return out;
}

std::vector<bool> wantedOf(const Rule& r, const std::vector<LeafPlace>& places) {
  std::vector<bool> out;
  for (const LeafPlace& place : places) out.push_back(r.wants(place.operand, place.leaf));
  return out;
}

// What the pullback takes, in order.
std::vector<Value> inputsOf(Rule& r, const Pullback& pullback, const std::vector<LeafPlace>& places) {
  std::vector<Value> out;
  for (size_t k : pullback.forwardInputs) out.push_back(r.emit.leaf(r.operand(places[k].operand), places[k].leaf));
  for (size_t k : pullback.cotangentInputs) out.push_back(r.d(k));
  return out;
}

// --- conditional

// The operand of a branch and its pullback; what the branch's own gradient computation takes, as one tuple.
struct Branch {
  const Pullback* pullback;
  std::vector<LeafPlace> places;
  Value argument;
};

// By who hands it over: two branches may share an operand.
using Shares = std::map<std::pair<uint32_t, size_t>, LeafPlace>;

// (inputs of the pullback) -> a cotangent for every share; zeros for those of other branches.
ComputationId branchProgram(Rule& r, const Branch& branch, const Shares& shares, const std::string& name) {
  Session& session = r.emit.session;
  const ComputationId id = session.module.addComputation(session.freeComputationName(name));
  Emitter emit(session, id);
  const Value argument = addParameter(emit, "arguments", branch.argument.shape());
  std::map<std::pair<uint32_t, size_t>, Value> found;
  if (branch.pullback->computation.valid()) {
    const std::vector<Value> given = applyInline(emit, *branch.pullback, emit.leaves(argument));
    for (size_t j = 0; j < given.size(); ++j) {
      const LeafPlace& place = branch.places[branch.pullback->outputs[j]];
      found[{r.forward.operands[place.operand].value, place.leaf}] = given[j];
    }
  }
  std::vector<Value> parts;
  for (const auto& [key, place] : shares) {
    const auto given = found.find(key);
    const Shape shape = *leavesOf(r.operandShape(place.operand))[place.leaf].shape;
    parts.push_back(given != found.end() ? convert(given->second, shape.type) : emit.zeros(shape));
  }
  finishComputation(emit, emit.tuple(parts));
  return id;
}

void setBranches(AttributeSet& attributes, const std::vector<ComputationId>& programs) {
  if (attributes.has(Attr::branch_computations)) return attributes.set(Attr::branch_computations, programs);
  attributes.set(Attr::true_computation, programs[0]);
  attributes.set(Attr::false_computation, programs[1]);
}

}  // namespace

Status callRule(Rule& r) { return calledRule(r, r.callees()[0]); }

Status calledRule(Rule& r, ComputationId callee) {
  const std::vector<LeafPlace> places = leafPlaces(r, 0, r.operandCount());
  TESSERA_ASSIGN_OR_RETURN(const Pullback* pullback,
                           r.emit.session.pullbackOf(callee, wantedOf(r, places), r.given(), r.isOfBranch()));
  if (!pullback->computation.valid()) return {};
  AttributeSet attributes;
  attributes.set(Attr::to_apply, pullback->computation);
  const Value call = r.emit.make(Opcode::Call, inputsOf(r, *pullback, places), std::move(attributes));
  if (!call) return {};
  for (size_t j = 0; j < pullback->outputs.size(); ++j) {
    const LeafPlace& place = places[pullback->outputs[j]];
    r.give(place.operand, r.emit.element(call, j), place.leaf);
  }
  return {};
}

// One map a cotangent: a mapped computation gives one scalar.
Status mapRule(Rule& r) {
  const std::vector<LeafPlace> places = leafPlaces(r, 0, r.operandCount());
  Session& session = r.emit.session;
  TESSERA_ASSIGN_OR_RETURN(const Pullback* pullback, session.pullbackOf(r.callees()[0], wantedOf(r, places), {true}));
  for (size_t j = 0; j < pullback->outputs.size(); ++j) {
    const std::string name = session.module.at(pullback->computation).name + ".element";
    const ComputationId id = session.module.addComputation(session.freeComputationName(name));
    Emitter emit(session, id);
    const LeafParameters parameters = addLeafParameters(emit, pullback->computation);
    finishComputation(emit, applyInline(emit, *pullback, parameters.leaves)[j]);
    AttributeSet attributes;
    attributes.set(Attr::dimensions, r.attributes().ints(Attr::dimensions));
    attributes.set(Attr::to_apply, id);
    r.give(places[pullback->outputs[j]].operand,
           r.emit.make(Opcode::Map, inputsOf(r, *pullback, places), std::move(attributes)));
  }
  return {};
}

Status conditionalRule(Rule& r) {
  const std::vector<ComputationId> callees = branchesOf(r.attributes());
  std::vector<Branch> branches;
  Shares shares;
  for (size_t b = 0; b < callees.size(); ++b) {
    Branch branch{nullptr, leafPlaces(r, b + 1, 1), {}};
    TESSERA_ASSIGN_OR_RETURN(branch.pullback,
                             r.emit.session.pullbackOf(callees[b], wantedOf(r, branch.places), r.given()));
    for (size_t k : branch.pullback->outputs)
      shares.try_emplace({r.forward.operands[b + 1].value, branch.places[k].leaf}, branch.places[k]);
    branch.argument = r.emit.tuple(inputsOf(r, *branch.pullback, branch.places));
    branches.push_back(std::move(branch));
  }
  if (shares.empty()) return {};
  std::vector<ComputationId> programs;
  std::vector<Value> operands{r.operand(0)};
  for (size_t b = 0; b < branches.size(); ++b) {
    const std::string name = r.emit.module.at(callees[b]).name + ".gradient_branch";
    programs.push_back(branchProgram(r, branches[b], shares, name));
    operands.push_back(branches[b].argument);
  }
  AttributeSet attributes = r.attributes();
  setBranches(attributes, programs);
  const Value chosen = r.emit.make(Opcode::Conditional, operands, std::move(attributes));
  if (!chosen) return {};
  size_t j = 0;
  for (const auto& [key, place] : shares) r.give(place.operand, r.emit.element(chosen, j++), place.leaf);
  return {};
}

// Targets that only mark a value, topk under its library name, and routines of LAPACK.
Status customCallRule(Rule& r) {
  const std::string target(r.attributes().textOr(Attr::custom_call_target, ""));
  if (target == "Sharding" || target == "xla.sdy.FuncResultSharding" || target == "annotate_device_placement")
    return passOnRule(r);
  if (target == "TopK") return topkRule(r);
  if (auto done = lapackRule(r, target)) return *std::move(done);
  for (size_t i = 0; i < r.operandCount(); ++i)
    for (size_t k = 0; k < leavesOf(r.operandShape(i)).size(); ++k)
      if (r.wants(i, k)) return r.refuse("nothing is known of the derivative of the custom call \"" + target + "\"");
  return {};
}

}  // namespace tessera::gradient
