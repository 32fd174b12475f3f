// See iteration_signature.h.
#include "core/passes/fusion/iteration_signature.h"

#include <algorithm>
#include <unordered_set>

#include "core/ops/shared/dimension_relations.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

bool isFree(Opcode opcode) {
  return opcode == Opcode::Parameter || opcode == Opcode::Constant || opcode == Opcode::Broadcast ||
         opcode == Opcode::Iota;
}
bool isPlainReduce(const Instruction& in) {
  return in.opcode == Opcode::Reduce && in.operands.size() == 2 && in.shape->isArray();
}

const std::vector<InstructionId>* insideOf(const Module& module, const Instruction& in) {
  const std::string_view kind = in.attributes->textOr(Attr::kind, "");
  const auto callees = module.callees(in);
  if ((kind != "kLoop" && kind != "kInput") || callees.size() != 1) return nullptr;
  return &module.at(callees[0]).instructions;
}

// Adds a reduction to the form: all of one nest walk one space, and reduce the same of its dimensions.
bool addReduction(const Module& module, const Instruction& reduce, IterationSignature& form) {
  const std::vector<int64_t>& from = module.shapeOf(reduce.operands[0]).dimensions;
  const std::vector<int64_t> kept = alignedDimensions(module, reduce, 0);
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < static_cast<int64_t>(from.size()); ++d)
    if (std::ranges::find(kept, d) == kept.end()) dimensions.push_back(d);
  if (form.reduces) return form.walked == from && form.reduced == dimensions;
  form.reduces = true;
  form.walked = from;
  form.reduced = std::move(dimensions);
  return true;
}

bool addMember(const Module& module, const Instruction& in, IterationSignature& form) {
  if (isPlainReduce(in)) return addReduction(module, in, form);
  if (in.opcode == Opcode::Reshape) return keepsBytes(module.shapeOf(in.operands[0]), *in.shape);
  return isFree(in.opcode) || (isElementwise(in.opcode) && in.opcode != Opcode::Map);
}

// A reduction's nest gives what its reductions give; one that walks rows sees each row again for its elements.
bool isWhole(const IterationSignature& form) {
  if (!form.reduces || form.walked.empty()) return !form.reduces;
  if (form.walked == form.result)
    return form.reduced == std::vector<int64_t>{static_cast<int64_t>(form.walked.size()) - 1};
  std::vector<int64_t> kept;
  for (int64_t d = 0; d < static_cast<int64_t>(form.walked.size()); ++d)
    if (!std::ranges::binary_search(form.reduced, d)) kept.push_back(form.walked[static_cast<size_t>(d)]);
  return kept == form.result;
}

// A broadcast that repeats nothing and moves nothing.
bool keepsPlaces(const Module& module, const Instruction& broadcast) {
  return module.shapeOf(broadcast.operands[0]).dimensions == broadcast.shape->dimensions &&
         isIota(alignedDimensions(module, broadcast, 0));
}

}  // namespace

std::optional<IterationSignature> iterationSignatureOf(const Module& module, const Instruction& in) {
  if (!in.shape->isArray() || in.operands.empty() || hasSideEffect(in)) return std::nullopt;
  IterationSignature form{in.shape->dimensions, in.shape->dimensions, {}, false};
  if (in.opcode == Opcode::Fusion) {
    const auto* inside = insideOf(module, in);
    if (!inside) return std::nullopt;
    for (InstructionId id : *inside)
      if (!addMember(module, module.at(id), form)) return std::nullopt;
  } else {
    const bool isNest =
        isPlainReduce(in) || (isElementwise(in.opcode) && in.opcode != Opcode::Copy && in.opcode != Opcode::Map);
    if (!isNest || !addMember(module, in, form)) return std::nullopt;
  }
  if (!isWhole(form) || Shape::arrayRowMajor(ElementType::Pred, form.walked).elementCount().value_or(0) < 2)
    return std::nullopt;
  return form;
}

bool canShare(const IterationSignature& a, const IterationSignature& b) {
  if (a.result != b.result || a.walked != b.walked) return false;
  return a.result == a.walked || a.reduced == b.reduced;
}

bool readsInPlace(const Module& module, const Instruction& nest, InstructionId operand) {
  if (nest.opcode != Opcode::Fusion) return isElementwise(nest.opcode);
  const Computation& inside = module.at(module.callees(nest)[0]);
  std::unordered_set<uint32_t> walked;  // what comes of the operand, in its form
  for (size_t k = 0; k < nest.operands.size(); ++k)
    if (nest.operands[k] == operand) walked.insert(inside.parameters[k].value);
  for (InstructionId id : inside.instructions) {
    const Instruction& in = module.at(id);
    if (std::ranges::none_of(in.operands, [&](InstructionId o) { return walked.contains(o.value); }) ||
        isPlainReduce(in))
      continue;
    const bool stays = in.opcode == Opcode::Broadcast ? keepsPlaces(module, in) : isElementwise(in.opcode);
    if (!stays || in.shape->dimensions != nest.shape->dimensions) return false;
    walked.insert(id.value);
  }
  return true;
}

}  // namespace tessera
