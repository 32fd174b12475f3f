// See sweep.h.
#include "core/gradient/sweep.h"

#include <algorithm>

#include "core/gradient/rules.h"

namespace tessera::gradient {

Value Sweep::cotangent(InstructionId id, size_t leaf) const {
  const auto found = cotangents_.find(id.value);
  return found == cotangents_.end() ? Value() : found->second[leaf];
}

bool Sweep::varied(InstructionId id, size_t leaf) const {
  const auto found = varied_.find(id.value);
  return found != varied_.end() && found->second[leaf];
}

void Sweep::give(InstructionId id, size_t leaf, Value cotangent) {
  if (!varied(id, leaf)) return;
  auto& all = cotangents_[id.value];
  if (all.empty()) all.resize(leavesOf(emit_.module.shapeOf(id)).size());
  const Shape wanted = *leavesOf(emit_.module.shapeOf(id))[leaf].shape;
  const Value fitting = convert(cotangent, wanted.type);
  if (fitting && fitting.dims() == wanted.dimensions)
    all[leaf] = all[leaf] ? all[leaf] + fitting : fitting;
  else if (emit_.session.status)
    emit_.session.status = fail(placedAt(emit_.module.at(id), {.message = "a rule gave no cotangent of its shape"}));
}

Status Sweep::run(const std::vector<InstructionId>& order) {
  for (size_t i = order.size(); i-- > 0;) TESSERA_TRY(visit(order[i]));
  return {};
}

Status Sweep::visit(InstructionId id) {
  const auto found = cotangents_.find(id.value);
  if (found == cotangents_.end() || std::ranges::none_of(found->second, [](Value v) { return bool(v); })) return {};
  const Instruction in = emit_.module.at(id);
  nameCotangents(in);
  emit_.differentiates(in);
  Rule rule(*this, in);
  TESSERA_TRY(applyRule(rule));
  if (emit_.session.status) return {};
  return std::unexpected(placedAt(emit_.module.at(emit_.session.originalOf(id)), emit_.session.status.error()));
}

void Sweep::nameCotangents(const Instruction& in) {
  const std::vector<Value>& all = cotangents_.at(in.id.value);
  const std::string name = "d_" + std::string(in.name);
  for (size_t k = 0; k < all.size(); ++k)
    if (all[k] && emit_.isNameless(all[k]))
      emit_.rename(all[k], all.size() == 1 ? name : name + "." + std::to_string(k));
}

std::vector<bool> Rule::given() const {
  std::vector<bool> out(leavesOf(*forward.shape).size());
  for (size_t k = 0; k < out.size(); ++k) out[k] = bool(d(k));
  return out;
}

void Rule::give(size_t operand, Value cotangent, size_t leaf) {
  sweep_.give(forward.operands[operand], leaf, cotangent);
}

std::unexpected<Diagnostic> Rule::refuse(const std::string& message) const {
  const Instruction& original = emit.module.at(emit.session.originalOf(forward.id));
  return fail(placedAt(original, {.message = original.reference() + ": " + message}));
}

}  // namespace tessera::gradient
