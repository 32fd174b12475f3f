// See differentiating.h.
#include "core/edit/structure/differentiating.h"

#include <algorithm>

#include "core/edit/performer.h"
#include "core/edit/refusal.h"
#include "core/gradient/gradient.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

bool holds(std::span<const InstructionId> ids, InstructionId id) { return std::ranges::find(ids, id) != ids.end(); }

// What an instruction needs, itself too.
std::vector<bool> neededBy(const Module& module, InstructionId id) {
  std::vector<bool> out(module.instructionSlots(), false);
  Ids pending{id};
  while (!pending.empty()) {
    const InstructionId at = pending.back();
    pending.pop_back();
    if (out[at.value]) continue;
    out[at.value] = true;
    for (InstructionId operand : module.at(at).operands)
      if (operand.valid()) pending.push_back(operand);
  }
  return out;
}

// The one that needs all the others.
Result<InstructionId> resultOf(const Module& module, std::span<const InstructionId> ids) {
  for (InstructionId id : ids) {
    const std::vector<bool> needed = neededBy(module, id);
    if (std::ranges::all_of(ids, [&](InstructionId other) { return needed[other.value]; })) return id;
  }
  return fail("no selected value depends on all others; select a result and what its gradient is with respect to");
}

bool isSource(const Module& module, InstructionId id) {
  const Opcode opcode = module.at(id).opcode;
  return opcode == Opcode::Parameter || opcode == Opcode::Constant;
}

bool isNumeric(const Module& module, InstructionId id) { return notDifferentiable(module, id).empty(); }

// In order of the first reading.
Ids inputsOf(const Module& module, std::span<const InstructionId> ids, InstructionId of) {
  Ids out;
  const auto add = [&](InstructionId id) {
    if (id.valid() && isNumeric(module, id) && !holds(out, id)) out.push_back(id);
  };
  for (InstructionId id : ids)
    if (id != of && isSource(module, id)) add(id);
  if (!out.empty()) return out;
  for (InstructionId id : module.at(module.at(of).computation).instructions) {
    if (!holds(ids, id)) continue;
    const bool read = std::ranges::any_of(ids, [&](InstructionId user) { return holds(module.at(user).operands, id); });
    if (id != of && !read) add(id);
    const bool reads =
        std::ranges::any_of(module.at(id).operands, [&](InstructionId each) { return holds(ids, each); });
    if (read || reads)
      for (InstructionId operand : module.at(id).operands)
        if (operand.valid() && !holds(ids, operand) && module.at(operand).opcode != Opcode::Constant) add(operand);
  }
  return out;
}

}  // namespace

Result<AddGradient> gradientOfSelection(const Module& module, std::span<const InstructionId> ids) {
  Ids selected;
  for (InstructionId id : ids)
    if (module.contains(id) && !holds(selected, id)) selected.push_back(id);
  if (selected.empty()) return fail("select a value, and what its gradient is with respect to");
  for (InstructionId id : selected)
    if (module.at(id).computation != module.at(selected[0]).computation)
      return refuse(module, id, module.at(id).reference() + " is in another computation");
  AddGradient out;
  TESSERA_ASSIGN_OR_RETURN(out.of, resultOf(module, selected));
  if (const std::string why = notDifferentiable(module, out.of); !why.empty()) return refuse(module, out.of, why);
  out.withRespectTo = selected.size() == 1 ? parametersBehind(module, out.of) : inputsOf(module, selected, out.of);
  std::erase(out.withRespectTo, out.of);
  if (out.withRespectTo.empty())
    return refuse(module, out.of, module.at(out.of).reference() + " depends on no parameter of floats");
  return out;
}

Status Performer::operator()(const AddGradient& action) {
  GradientRequest request;
  for (InstructionId id : action.withRespectTo) {
    TESSERA_ASSIGN_OR_RETURN(id, resolve(id));
    request.withRespectTo.push_back(id);
  }
  if (action.of.valid()) {
    TESSERA_ASSIGN_OR_RETURN(request.of, resolve(action.of));
  } else {
    TESSERA_ASSIGN_OR_RETURN(const AddGradient meant, gradientOfSelection(module_, request.withRespectTo));
    request = {meant.of, meant.withRespectTo};
  }
  if (request.withRespectTo.empty()) return refuse(module_, request.of, "there is nothing to differentiate by");
  TESSERA_ASSIGN_OR_RETURN(const Gradient made, addGradient(module_, request));
  added_.insert(added_.end(), made.gradients.begin(), made.gradients.end());
  for (InstructionId id : made.added) seed(id);
  return {};
}

}  // namespace tessera
