// See pullback.h.
#include "core/gradient/pullback.h"

#include <algorithm>

#include "core/gradient/sweep.h"
#include "core/passes/rewriter.h"

namespace tessera::gradient {
namespace {

// An instruction that may not be computed again.
std::optional<InstructionId> unrepeatable(const Module& module, ComputationId computation) {
  for (InstructionId id : module.at(computation).instructions) {
    const Instruction& in = module.at(id);
    if (hasSideEffect(in) || in.opcode == Opcode::Rng || in.opcode == Opcode::RngGetAndUpdateState) return id;
    for (ComputationId callee : module.callees(in))
      if (const auto found = unrepeatable(module, callee)) return found;
  }
  return std::nullopt;
}

Status checkRepeatable(const Module& module, ComputationId callee) {
  const auto found = unrepeatable(module, callee);
  if (!found) return {};
  const Instruction& in = module.at(*found);
  return fail(
      placedAt(in, {.message = in.reference() + ": the gradient of %" + module.at(callee).name +
                               " computes its values again, and " + std::string(in.opcodeName()) + " must run once"}));
}

// Unused parameters go, the others are numbered again; gives which stay.
std::vector<size_t> keepUsed(Module& module, ComputationId id, const std::vector<InstructionId>& parameters) {
  std::vector<bool> used(parameters.size(), false);
  for (InstructionId user : module.at(id).instructions)
    for (InstructionId operand : module.at(user).operands)
      if (const auto at = std::ranges::find(parameters, operand); at != parameters.end())
        used[static_cast<size_t>(at - parameters.begin())] = true;
  std::vector<size_t> kept;
  std::vector<InstructionId> unused, left;
  for (size_t i = 0; i < parameters.size(); ++i) {
    (used[i] ? left : unused).push_back(parameters[i]);
    if (used[i]) kept.push_back(i);
  }
  module.removeAll(id, unused);
  for (size_t i = 0; i < left.size(); ++i) module.edit(left[i]).parameterNumber = static_cast<int32_t>(i);
  module.edit(id).parameters = left;
  return kept;
}

class PullbackMaker {
 public:
  PullbackMaker(Session& session, ComputationId callee)
      : session_(session),
        module_(session.module),
        callee_(callee),
        emit_(session, module_.addComputation(session.freeComputationName(module_.at(callee).name + ".gradient"))) {}

  Result<Pullback> run(const std::vector<bool>& wanted, const std::vector<bool>& given, bool ofBranch) {
    const LeafParameters forward = addLeafParameters(emit_, callee_);
    for (const Value& leaf : forward.leaves) parameters_.push_back(leaf.id);
    const Value root = inlineBody(emit_, callee_, forward.packed);
    TESSERA_TRY(session_.status);
    const std::vector<Value> outputs = sweep(forward, root, wanted, given, ofBranch);
    TESSERA_TRY(session_.status);
    return finish(forward.leaves.size(), outputs);
  }

 private:
  std::vector<Value> sweep(const LeafParameters& forward, Value root, const std::vector<bool>& wanted,
                           const std::vector<bool>& given, bool ofBranch) {
    LeafFlags seeds;
    for (size_t k = 0; k < wanted.size(); ++k)
      if (wanted[k]) seeds[forward.leaves[k].id.value] = {true};
    const auto order = topologicalOrder(module_, emit_.computation);
    Sweep sweep(emit_, dependentLeaves(module_, *order, std::move(seeds)),
                branchValues(module_, *order, root.id, ofBranch));
    const std::vector<ShapeLeaf> results = leavesOf(root.shape());
    const std::string name = "d_" + std::string(module_.at(module_.at(callee_).root).name);
    for (size_t k = 0; k < given.size(); ++k) {
      if (!given[k]) continue;
      cotangents_.push_back(k);
      const Value cotangent = addParameter(emit_, name, *results[k].shape);
      parameters_.push_back(cotangent.id);
      sweep.give(root.id, k, cotangent);
    }
    if (const Status done = sweep.run(*order); !done && session_.status) session_.status = done;
    std::vector<Value> out;
    for (size_t k = 0; k < wanted.size(); ++k)
      out.push_back(wanted[k] ? sweep.cotangent(forward.leaves[k].id, 0) : Value());
    return out;
  }

  Result<Pullback> finish(size_t forwardCount, const std::vector<Value>& cotangents) {
    Pullback out;
    std::vector<Value> parts;
    for (size_t k = 0; k < cotangents.size(); ++k)
      if (cotangents[k]) out.outputs.push_back(k), parts.push_back(cotangents[k]);
    if (parts.empty()) {
      module_.remove(emit_.computation);
      return out;
    }
    finishComputation(emit_, emit_.tuple(parts));
    for (size_t i : keepUsed(module_, emit_.computation, parameters_)) {
      if (i < forwardCount)
        out.forwardInputs.push_back(i);
      else
        out.cotangentInputs.push_back(cotangents_[i - forwardCount]);
    }
    out.computation = emit_.computation;
    return out;
  }

  Session& session_;
  Module& module_;
  ComputationId callee_;
  Emitter emit_;
  std::vector<InstructionId> parameters_;
  std::vector<size_t> cotangents_;  // the result leaves that the parameters behind the callee's are of
};

}  // namespace

Value addParameter(Emitter& emit, const std::string& name, const Shape& shape) {
  Instruction parameter;
  parameter.opcode = Opcode::Parameter;
  parameter.parameterNumber = static_cast<int32_t>(emit.module.at(emit.computation).parameters.size());
  const std::string free = emit.session.freeName(name);
  parameter.name = free;
  Shape laidOut = shape;
  fillDefaultLayouts(laidOut);
  return emit.at(emit.module.add(emit.computation, std::move(parameter), laidOut));
}

LeafParameters addLeafParameters(Emitter& emit, ComputationId callee) {
  LeafParameters out;
  for (InstructionId parameter : std::vector<InstructionId>(emit.module.at(callee).parameters)) {
    const Shape shape = emit.module.shapeOf(parameter);
    const std::string name(emit.module.at(parameter).name);
    const size_t first = out.leaves.size();
    for (const ShapeLeaf& leaf : leavesOf(shape)) out.leaves.push_back(addParameter(emit, name, *leaf.shape));
    out.packed.push_back(emit.pack(shape, std::span(out.leaves).subspan(first)));
  }
  return out;
}

void finishComputation(Emitter& emit, Value root) {
  emit.module.setRoot(emit.computation, root.id);
  const InstructionId kept[] = {root.id};
  emit.removeUnused(kept);
}

Result<Pullback> makePullback(Session& session, ComputationId callee, const std::vector<bool>& wanted,
                              const std::vector<bool>& given, bool ofBranch) {
  TESSERA_TRY(checkRepeatable(session.module, callee));
  return PullbackMaker(session, callee).run(wanted, given, ofBranch);
}

std::vector<Value> applyInline(Emitter& into, const Pullback& pullback, const std::vector<Value>& inputs) {
  return into.leaves(inlineBody(into, pullback.computation, inputs));
}

Value inlineBody(Emitter& into, ComputationId callee, const std::vector<Value>& arguments) {
  const Module& module = into.module;
  std::unordered_map<uint32_t, Value> copies;
  const auto sorted = topologicalOrder(module, callee);
  if (!sorted) return {};
  for (InstructionId id : *sorted) {
    const Instruction in = module.at(id);
    if (in.opcode == Opcode::Parameter) {
      copies[id.value] = arguments[static_cast<size_t>(in.parameterNumber)];
      continue;
    }
    std::vector<Value> operands;
    for (InstructionId operand : in.operands) operands.push_back(copies.at(operand.value));
    copies[id.value] = into.clone(in, operands);
  }
  return copies.at(module.at(callee).root.value);
}

}  // namespace tessera::gradient
