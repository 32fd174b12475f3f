// See gradient.h.
#include "core/gradient/gradient.h"

#include <algorithm>
#include <unordered_set>

#include "core/gradient/rules.h"
#include "core/ops/inference/callgraph.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

using gradient::Emitter;
using gradient::Session;
using gradient::Value;

Status checkRequest(const Module& module, const GradientRequest& request) {
  for (InstructionId id : request.withRespectTo) {
    if (module.contains(id) && module.at(id).computation != module.at(request.of).computation)
      return fail(placedAt(module.at(id), {.message = module.at(id).reference() + " is not in the computation of " +
                                                      module.at(request.of).reference()}));
  }
  std::vector<InstructionId> all = request.withRespectTo;
  all.push_back(request.of);
  for (InstructionId id : all)
    if (std::string why = notDifferentiable(module, id); !why.empty())
      return fail(module.contains(id) ? placedAt(module.at(id), {.message = why}) : Diagnostic{.message = why});
  const Instruction& of = module.at(request.of);
  if (isComplex(of.shape->type))
    return fail(
        placedAt(of, {.message = of.reference() + " is complex; a gradient is of real numbers, such as its real "
                                                  "part or its absolute value"}));
  return {};
}

// All in front of what is differentiated, operands first.
std::vector<InstructionId> instructionsBehind(const Module& module, InstructionId of,
                                              const std::vector<InstructionId>& order) {
  std::vector<bool> needed(module.instructionSlots(), false);
  needed[of.value] = true;
  std::vector<InstructionId> out;
  for (size_t i = order.size(); i-- > 0;) {
    if (!needed[order[i].value]) continue;
    out.push_back(order[i]);
    for (InstructionId operand : module.at(order[i]).operands)
      if (operand.valid()) needed[operand.value] = true;
  }
  std::ranges::reverse(out);
  return out;
}

// Rules rely on what inference checks: operands, attributes and shapes that go together, here and in what is called. A
// graph that is being built may lack them.
class CheckedGraph {
 public:
  explicit CheckedGraph(const Module& module) : module_(module) {}

  Status check(const std::vector<InstructionId>& ids) {
    for (InstructionId id : ids) TESSERA_TRY(check(id));
    return {};
  }

 private:
  Status check(InstructionId id) {
    const Instruction& in = module_.at(id);
    for (InstructionId operand : in.operands)
      if (!operand.valid() || !module_.contains(operand))
        return fail(placedAt(in, {.message = in.reference() + " has an open input; a gradient needs the whole graph"}));
    for (ComputationId callee : module_.callees(in)) TESSERA_TRY(check(in, callee));
    if (in.opcode == Opcode::Unknown) return {};  // its rule refuses it
    TESSERA_ASSIGN_OR_RETURN(const Shape inferred, inferInstruction(module_, id));
    if (!sameSizes(inferred, *in.shape))
      return fail(placedAt(
          in, {.message = in.reference() + " has another shape than " + std::string(in.opcodeName()) + " gives",
               .expected = toString(inferred, false),
               .found = toString(*in.shape, false)}));
    return {};
  }

  // Floats may differ in width.
  static bool sameSizes(const Shape& a, const Shape& b) {
    const auto left = leavesOf(a), right = leavesOf(b);
    return std::ranges::equal(left, right, [](const ShapeLeaf& x, const ShapeLeaf& y) {
      return x.index == y.index && x.shape->dimensions == y.shape->dimensions &&
             gradient::isDifferentiable(x.shape->type) == gradient::isDifferentiable(y.shape->type);
    });
  }

  Status check(const Instruction& caller, ComputationId callee) {
    if (!module_.contains(callee) || !module_.at(callee).root.valid() ||
        std::ranges::any_of(module_.at(callee).parameters, [](InstructionId id) { return !id.valid(); }))
      return fail(placedAt(caller, {.message = caller.reference() + " calls a computation that is not finished"}));
    if (!checked_.insert(callee.value).second) return {};
    TESSERA_ASSIGN_OR_RETURN(const auto order, topologicalOrder(module_, callee));
    return check(order);
  }

  const Module& module_;
  std::unordered_set<uint32_t> checked_;
};

class Differentiation {
 public:
  Differentiation(Module& module, const GradientRequest& request)
      : module_(module), request_(request), session_(module), emit_(session_, module.at(request.of).computation) {}

  Result<Gradient> run() {
    TESSERA_ASSIGN_OR_RETURN(const auto order, topologicalOrder(module_, emit_.computation));
    const std::vector<InstructionId> behind = instructionsBehind(module_, request_.of, order);
    TESSERA_TRY(CheckedGraph(module_).check(behind));
    const InstructionId root = module_.at(emit_.computation).root;
    gradient::LeafFlags seeds;
    for (InstructionId id : request_.withRespectTo) seeds[id.value] = {true};
    gradient::Sweep sweep(emit_, gradient::dependentLeaves(module_, behind, std::move(seeds)),
                          gradient::branchValues(module_, behind, request_.of, false));
    emit_.differentiates(module_.at(request_.of));
    sweep.give(request_.of, 0, emit_.filled(module_.shapeOf(request_.of), 1));
    TESSERA_TRY(sweep.run(behind));
    Gradient out = collect(sweep);
    TESSERA_TRY(session_.status);
    emit_.removeUnused(out.gradients);
    out.added = emit_.made();
    dropUncalled();
    module_.setRoot(emit_.computation, root);
    module_.setOrder(CallGraph(module_).calleesFirst());
    return out;
  }

 private:
  Gradient collect(const gradient::Sweep& sweep) {
    Gradient out;
    for (InstructionId id : request_.withRespectTo) {
      Value cotangent = sweep.cotangent(id, 0);
      emit_.differentiates(module_.at(id));
      if (!cotangent) cotangent = emit_.zeros(module_.shapeOf(id));
      const std::string name = "d_" + std::string(module_.at(id).name);
      const bool made = std::ranges::find(emit_.made(), cotangent.id) != emit_.made().end();
      const bool taken = std::ranges::find(out.gradients, cotangent.id) != out.gradients.end();
      if (made && !taken && module_.at(cotangent.id).name != name) emit_.rename(cotangent, name);
      out.gradients.push_back(cotangent.id);
    }
    return out;
  }

  // Computations that were tried and are called by nothing that stayed.
  void dropUncalled() {
    for (bool dropped = true; dropped;) {
      dropped = false;
      const CallGraph calls(module_);
      for (ComputationId id : std::vector<ComputationId>(module_.order()))
        if (id.value >= firstNew_ && calls.callersOf(id).empty()) {
          module_.remove(id);
          dropped = true;
        }
    }
  }

  Module& module_;
  const GradientRequest& request_;
  const size_t firstNew_ = module_.computationSlots();
  Session session_;
  Emitter emit_;
};

}  // namespace

std::string notDifferentiable(const Module& module, InstructionId id) {
  if (!module.contains(id)) return "there is no instruction with id " + std::to_string(id.value);
  const Instruction& in = module.at(id);
  if (in.shape->isArray() && gradient::isDifferentiable(in.shape->type)) return {};
  return in.reference() + " is no array of floats or complex numbers but " + toString(*in.shape, false);
}

Result<Gradient> addGradient(Module& module, const GradientRequest& request) {
  if (!module.contains(request.of)) return fail("there is no instruction to differentiate");
  TESSERA_TRY(checkRequest(module, request));
  return Differentiation(module, request).run();
}

std::vector<InstructionId> parametersBehind(const Module& module, InstructionId of) {
  std::vector<InstructionId> out;
  const auto order = topologicalOrder(module, module.at(of).computation);
  if (!order) return out;
  const std::vector<InstructionId> behind = instructionsBehind(module, of, *order);
  for (InstructionId parameter : module.at(module.at(of).computation).parameters)
    if (std::ranges::find(behind, parameter) != behind.end() && notDifferentiable(module, parameter).empty())
      out.push_back(parameter);
  return out;
}

}  // namespace tessera
