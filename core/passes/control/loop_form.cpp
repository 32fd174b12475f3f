// See loop_form.h.
#include "core/passes/control/loop_form.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/passes/patterns.h"

namespace tessera {
namespace {

bool hasControlEdges(const Module& module, ComputationId computation) {
  return std::ranges::any_of(module.at(computation).instructions, [&](InstructionId id) {
    return module.at(id).attributes->has(Attr::control_predecessors);
  });
}

InstructionId addParameter(Module& module, ComputationId computation, const Shape& state, const Instruction& like) {
  Instruction parameter;
  const std::string name = fmt::format("state.t{}", module.instructionSlots());
  parameter.name = name;
  parameter.opcode = Opcode::Parameter;
  parameter.parameterNumber = 0;
  parameter.provenance = like.provenance;
  parameter.metadata = like.metadata;
  return module.add(computation, std::move(parameter), state);
}

InstructionId element(Rewriter& rewriter, InstructionId tuple, size_t index, InstructionId from) {
  Module& module = rewriter.module();
  AttributeSet attributes;
  attributes.set(Attr::index, static_cast<int64_t>(index));
  const InstructionId origin[] = {from};
  const Shape shape = module.shapeOf(tuple).elements[index];
  const InstructionId operands[] = {tuple};
  return rewriter.add(module.at(tuple).computation, Opcode::GetTupleElement, shape, operands, std::move(attributes),
                      origin);
}

// A copy of a loop's condition or body over another state.
class StateChange {
 public:
  StateChange(Rewriter& rewriter, const LoopForm& form, const std::vector<size_t>& kept, size_t added,
              const Shape& state, const std::unordered_map<uint32_t, size_t>& hoisted)
      : rewriter_(rewriter),
        module_(rewriter.module()),
        form_(form),
        kept_(kept),
        added_(added),
        state_(state),
        hoisted_(hoisted) {}

  ComputationId run(ComputationId original, InstructionId oldState, bool isBody) {
    const Computation from = module_.at(original);
    const ComputationId out = module_.addComputation(fmt::format("{}.t{}", from.name, module_.instructionSlots()));
    module_.edit(out).executionThread = from.executionThread;
    const InstructionId state = addParameter(module_, out, state_, module_.at(oldState));
    std::unordered_map<uint32_t, InstructionId> map{{oldState.value, state}};
    for (InstructionId id : from.instructions)
      if (!map.contains(id.value) && !(isBody && id == from.root)) copy(id, oldState, state, out, map);
    if (!isBody) {
      module_.setRoot(out, map.at(from.root.value));
      return out;
    }
    std::vector<InstructionId> next;
    for (size_t i : kept_) next.push_back(map.at(form_.next[i].value));
    for (size_t k = 0; k < added_; ++k) next.push_back(element(rewriter_, state, kept_.size() + k, from.root));
    const InstructionId origin[] = {from.root};
    module_.setRoot(out, rewriter_.add(out, Opcode::Tuple, state_, next, {}, origin));
    return out;
  }

 private:
  void copy(InstructionId id, InstructionId oldState, InstructionId state, ComputationId out,
            std::unordered_map<uint32_t, InstructionId>& map) {
    if (const auto hoisted = hoisted_.find(id.value); hoisted != hoisted_.end()) {
      map[id.value] = element(rewriter_, state, kept_.size() + hoisted->second, id);
      return;
    }
    if (const auto i = elementOf(module_, id, oldState)) {
      const auto at = std::ranges::lower_bound(kept_, *i);
      if (at == kept_.end() || *at != *i) return;
      map[id.value] = element(rewriter_, state, static_cast<size_t>(at - kept_.begin()), id);
      return;
    }
    std::vector<InstructionId> operands;
    for (InstructionId operand : module_.at(id).operands) {
      const auto found = map.find(operand.value);
      if (found == map.end()) return;  // it needs a dropped element: nobody needs it
      operands.push_back(found->second);
    }
    map[id.value] = rewriter_.clone(id, out, operands);
  }

  Rewriter& rewriter_;
  Module& module_;
  const LoopForm& form_;
  const std::vector<size_t>& kept_;
  size_t added_;
  const Shape& state_;
  const std::unordered_map<uint32_t, size_t>& hoisted_;
};

}  // namespace

std::optional<LoopForm> loopForm(Rewriter& rewriter, InstructionId loop) {
  const Module& module = rewriter.module();
  const Instruction& in = rewriter.visit(loop);
  if (in.opcode != Opcode::While || !in.shape->isTuple() || in.shape->hasDynamicDimensions()) return std::nullopt;
  const auto *condition = in.attributes->get<ComputationId>(Attr::condition),
             *body = in.attributes->get<ComputationId>(Attr::body);
  if (!condition || !body || in.attributes->has(Attr::control_predecessors)) return std::nullopt;
  LoopForm out{loop, in.operands[0], *condition, *body, {}, {}, {}, {}, {}};
  const Computation &test = module.at(*condition), &step = module.at(*body);
  if (test.parameters.size() != 1 || step.parameters.size() != 1) return std::nullopt;
  if (hasControlEdges(module, *condition) || hasControlEdges(module, *body)) return std::nullopt;
  out.conditionState = test.parameters[0];
  out.bodyState = step.parameters[0];
  const Instruction& root = module.at(step.root);
  if (root.opcode != Opcode::Tuple || root.shape != in.shape || module.at(out.bodyState).shape != in.shape ||
      module.at(out.conditionState).shape != in.shape)
    return std::nullopt;
  out.next.assign(root.operands.begin(), root.operands.end());
  for (size_t i = 0; i < out.next.size(); ++i)
    out.invariant.push_back(elementOf(module, out.next[i], out.bodyState) == i);
  const Instruction& init = module.at(out.init);
  if (init.opcode == Opcode::Tuple) out.initial.assign(init.operands.begin(), init.operands.end());
  return out;
}

std::optional<int64_t> tripCount(Rewriter& rewriter, const LoopForm& form) {
  const Module& module = rewriter.module();
  return countedTrips(module, module.at(form.loop), [&](InstructionId id) { return rewriter.resolve(id); });
}

InstructionId initialElement(Rewriter& rewriter, const LoopForm& form, size_t i) {
  if (!form.initial.empty()) return rewriter.resolve(form.initial[i]);
  return element(rewriter, form.init, i, form.loop);
}

void rebuildLoop(Rewriter& rewriter, const LoopForm& form, const std::vector<size_t>& kept,
                 const std::vector<InstructionId>& added, const std::unordered_map<uint32_t, size_t>& hoisted) {
  Module& module = rewriter.module();
  std::vector<InstructionId> parts;
  for (size_t i : kept) parts.push_back(initialElement(rewriter, form, i));
  parts.insert(parts.end(), added.begin(), added.end());
  std::vector<Shape> shapes;
  for (size_t i : kept) shapes.push_back(module.shapeOf(form.loop).elements[i]);
  for (InstructionId id : added) shapes.push_back(module.shapeOf(id));
  const Shape state = Shape::tuple(std::move(shapes));
  const Instruction old = module.at(form.loop);
  const InstructionId origin[] = {form.loop};
  const InstructionId init = rewriter.add(old.computation, Opcode::Tuple, state, parts, {}, origin);
  StateChange change(rewriter, form, kept, added.size(), state, hoisted);
  AttributeSet attributes = *old.attributes;
  attributes.set(Attr::condition, change.run(form.condition, form.conditionState, false));
  attributes.set(Attr::body, change.run(form.body, form.bodyState, true));
  const InstructionId operands[] = {init};
  const InstructionId loop =
      rewriter.add(old.computation, Opcode::While, state, operands, std::move(attributes), origin);
  std::vector<InstructionId> results(form.size());
  for (size_t k = 0; k < kept.size(); ++k) results[kept[k]] = element(rewriter, loop, k, form.loop);
  bool whole = module.at(old.computation).root == form.loop;
  for (InstructionId id : std::vector<InstructionId>(module.at(old.computation).instructions)) {
    if (module.contains(id) && id != loop && elementOf(module, id, form.loop)) {
      const size_t i = *elementOf(module, id, form.loop);
      if (results[i].valid()) rewriter.replace(id, results[i]);
    } else {
      whole = whole || std::ranges::find(module.at(id).operands, form.loop) != module.at(id).operands.end();
    }
  }
  if (!whole) return rewriter.replace(form.loop, loop);  // only elements are read
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].valid()) results[i] = initialElement(rewriter, form, i);
  rewriter.replace(form.loop, rewriter.add(old.computation, Opcode::Tuple, *old.shape, results, {}, origin));
}

std::vector<InstructionId> inlineStep(Rewriter& rewriter, const LoopForm& form,
                                      const std::vector<InstructionId>& state) {
  Module& module = rewriter.module();
  const ComputationId home = module.at(form.loop).computation;
  std::unordered_map<uint32_t, InstructionId> map;
  InstructionId whole;
  const Computation body = module.at(form.body);
  for (InstructionId id : body.instructions) {
    if (id == form.bodyState || id == body.root) continue;
    if (const auto i = elementOf(module, id, form.bodyState)) {
      map[id.value] = state[*i];
      continue;
    }
    std::vector<InstructionId> operands;
    for (InstructionId operand : module.at(id).operands) {
      if (operand == form.bodyState && !whole.valid()) {
        const InstructionId origin[] = {form.loop};
        whole = rewriter.add(home, Opcode::Tuple, *module.at(form.loop).shape, state, {}, origin);
      }
      operands.push_back(operand == form.bodyState ? whole : map.at(operand.value));
    }
    map[id.value] = rewriter.clone(id, home, operands);
  }
  std::vector<InstructionId> out;
  for (InstructionId next : form.next) {
    if (next == form.bodyState) continue;  // a state within a state: refused by inference
    out.push_back(map.at(next.value));
  }
  return out;
}

std::vector<InstructionId> loopsInsideOut(const Module& module) {
  std::vector<InstructionId> out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::While) out.push_back(id);
  return out;
}

bool hasOneCaller(const Module& module, ComputationId computation) {
  size_t callers = 0;
  for (ComputationId c : module.order())
    for (InstructionId id : module.at(c).instructions) {
      const Instruction& in = module.at(id);
      if (in.attributes->empty() ||
          (in.opcode != Opcode::While && in.opcode != Opcode::Conditional && in.opcode != Opcode::Call))
        continue;
      const auto callees = module.callees(in);
      callers += static_cast<size_t>(std::ranges::count(callees, computation));
    }
  return callers == 1;
}

bool isPure(const Module& module, ComputationId computation) {
  return std::ranges::all_of(module.at(computation).instructions, [&](InstructionId id) {
    const Instruction& in = module.at(id);
    if (in.opcode != Opcode::Parameter && isStateful(in)) return false;
    return std::ranges::all_of(module.callees(in), [&](ComputationId callee) { return isPure(module, callee); });
  });
}

}  // namespace tessera
