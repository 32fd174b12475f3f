// Simplify: the driver and the rules of data movement; the arithmetic rules are in simplify_arithmetic.cpp.
#include "core/passes/simplify.h"

#include <algorithm>

#include "core/ops/op.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"
#include "core/passes/simplify_rules.h"

namespace tessera {
namespace {

// reshape(x) of the same shape, of a reshape, of a scalar's broadcast.
InstructionId simplifyReshape(Rewriter& rewriter, const Instruction& in) {
  Module& module = rewriter.module();
  const Instruction& from = module.at(in.operands[0]);
  if (from.shape == in.shape) return from.id;
  if (in.shape->hasDynamicDimensions()) return {};
  const InstructionId origin[] = {in.id, from.id};
  if (from.opcode == Opcode::Reshape) {
    const InstructionId operands[] = {from.operands[0]};
    if (module.at(operands[0]).shape == in.shape) return operands[0];
    return rewriter.add(in.computation, Opcode::Reshape, *in.shape, operands, {}, origin);
  }
  if (from.opcode == Opcode::Broadcast && module.shapeOf(from.operands[0]).isScalar()) {
    const InstructionId operands[] = {from.operands[0]};
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{});
    return rewriter.add(in.computation, Opcode::Broadcast, *in.shape, operands, attributes, origin);
  }
  return {};
}

// A broadcast that adds nothing; a broadcast of a broadcast; of a reshape that only adds or drops ones.
InstructionId simplifyBroadcast(Rewriter& rewriter, const Instruction& in) {
  Module& module = rewriter.module();
  const Instruction& from = module.at(in.operands[0]);
  const std::vector<int64_t>& dimensions = in.attributes->ints(Attr::dimensions);
  if (from.shape == in.shape && isIota(dimensions)) return from.id;
  if (from.opcode != Opcode::Broadcast) return {};
  std::vector<int64_t> composed;
  for (int64_t d : from.attributes->ints(Attr::dimensions)) composed.push_back(dimensions[static_cast<size_t>(d)]);
  AttributeSet attributes;
  attributes.set(Attr::dimensions, composed);
  const InstructionId operands[] = {from.operands[0]};
  const InstructionId origin[] = {in.id, from.id};
  return rewriter.add(in.computation, Opcode::Broadcast, *in.shape, operands, attributes, origin);
}

// transpose of a transpose; one that moves only dimensions of size 1 is a reshape.
InstructionId simplifyTranspose(Rewriter& rewriter, const Instruction& in) {
  Module& module = rewriter.module();
  const Instruction& from = module.at(in.operands[0]);
  const std::vector<int64_t>& permutation = in.attributes->ints(Attr::dimensions);
  if (isIota(permutation) && from.shape == in.shape) return from.id;
  const InstructionId origin[] = {in.id, from.id};
  if (from.opcode == Opcode::Transpose) {
    const std::vector<int64_t>& inner = from.attributes->ints(Attr::dimensions);
    std::vector<int64_t> composed;
    for (int64_t d : permutation) composed.push_back(inner[static_cast<size_t>(d)]);
    const InstructionId operands[] = {from.operands[0]};
    if (isIota(composed) && module.at(operands[0]).shape == in.shape) return operands[0];
    AttributeSet attributes;
    attributes.set(Attr::dimensions, composed);
    return rewriter.add(in.computation, Opcode::Transpose, *in.shape, operands, attributes, origin);
  }
  std::vector<int64_t> moved;
  for (int64_t d : permutation)
    if (from.shape->dimensions[static_cast<size_t>(d)] != 1) moved.push_back(d);
  if (!std::ranges::is_sorted(moved) || !keepsBytes(*from.shape, *in.shape)) return {};
  const InstructionId operands[] = {from.id};
  return rewriter.add(in.computation, Opcode::Reshape, *in.shape, operands, {}, {origin, 1});
}

// dot(transpose(a), b): the dimension numbers can say it, as long as the free dimensions keep their order.
struct FoldedOperand {
  InstructionId operand;
  std::vector<int64_t> batch, contracting;
};
std::optional<FoldedOperand> foldTranspose(const Module& module, InstructionId id, const std::vector<int64_t>& batch,
                                           const std::vector<int64_t>& contracting) {
  const Instruction& from = module.at(id);
  if (from.opcode != Opcode::Transpose) return std::nullopt;
  const std::vector<int64_t>& permutation = from.attributes->ints(Attr::dimensions);
  FoldedOperand out{from.operands[0], {}, {}};
  std::vector<int64_t> free;
  for (size_t d = 0; d < permutation.size(); ++d) {
    auto is = [&](const std::vector<int64_t>& list) { return std::ranges::find(list, static_cast<int64_t>(d)) != list.end(); };
    if (!is(batch) && !is(contracting)) free.push_back(permutation[d]);
  }
  if (!std::ranges::is_sorted(free)) return std::nullopt;
  for (int64_t d : batch) out.batch.push_back(permutation[static_cast<size_t>(d)]);
  for (int64_t d : contracting) out.contracting.push_back(permutation[static_cast<size_t>(d)]);
  // Batch dimensions stay in front: a library wants them outermost.
  if (!isIota(out.batch)) return std::nullopt;
  return out;
}

InstructionId simplifyDot(Rewriter& rewriter, const Instruction& in) {
  if (in.operands.size() != 2) return {};
  Module& module = rewriter.module();
  auto lhs = foldTranspose(module, in.operands[0], in.attributes->ints(Attr::lhs_batch_dims), in.attributes->ints(Attr::lhs_contracting_dims));
  auto rhs = foldTranspose(module, in.operands[1], in.attributes->ints(Attr::rhs_batch_dims), in.attributes->ints(Attr::rhs_contracting_dims));
  if (!lhs && !rhs) return {};
  AttributeSet attributes = *in.attributes;
  std::vector<InstructionId> operands(in.operands.begin(), in.operands.end());
  std::vector<InstructionId> origin{in.id};
  auto apply = [&](const FoldedOperand& folded, size_t i, Attr batch, Attr contracting) {
    origin.push_back(operands[i]);
    operands[i] = folded.operand;
    if (!folded.batch.empty()) attributes.set(batch, folded.batch);
    if (!folded.contracting.empty()) attributes.set(contracting, folded.contracting);
  };
  if (lhs) apply(*lhs, 0, Attr::lhs_batch_dims, Attr::lhs_contracting_dims);
  if (rhs) apply(*rhs, 1, Attr::rhs_batch_dims, Attr::rhs_contracting_dims);
  return rewriter.add(in.computation, Opcode::Dot, *in.shape, operands, std::move(attributes), origin);
}

InstructionId simplifyGetTupleElement(Rewriter& rewriter, const Instruction& in) {
  const Instruction& from = rewriter.module().at(in.operands[0]);
  if (from.opcode != Opcode::Tuple) return {};
  InstructionId element = rewriter.resolve(from.operands[static_cast<size_t>(in.attributes->intOr(Attr::index, 0))]);
  return rewriter.module().at(element).shape == in.shape ? element : InstructionId();
}

// tuple(get-tuple-element(x, 0), get-tuple-element(x, 1), …) of all of x is x.
InstructionId simplifyTuple(Rewriter& rewriter, const Instruction& in) {
  Module& module = rewriter.module();
  InstructionId whole;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const Instruction& element = module.at(in.operands[i]);
    if (element.opcode != Opcode::GetTupleElement || element.attributes->intOr(Attr::index, -1) != static_cast<int64_t>(i)) return {};
    if (whole.valid() && whole != element.operands[0]) return {};
    whole = element.operands[0];
  }
  return whole.valid() && module.at(whole).shape == in.shape ? whole : InstructionId();
}

// Operations that give back their operand when its shape is already the result's.
InstructionId simplifyMovement(Rewriter& rewriter, const Instruction& in) {
  Module& module = rewriter.module();
  switch (in.opcode) {
    case Opcode::Slice: case Opcode::DynamicSlice: case Opcode::Copy: case Opcode::Convert:
      return module.at(in.operands[0]).shape == in.shape ? in.operands[0] : InstructionId();
    case Opcode::Concatenate:
      return in.operands.size() == 1 && module.at(in.operands[0]).shape == in.shape ? in.operands[0] : InstructionId();
    case Opcode::Pad: {
      const auto* padding = in.attributes->get<std::vector<PaddingDimension>>(Attr::padding);
      bool none = padding && std::ranges::all_of(*padding, [](const PaddingDimension& p) { return p == PaddingDimension{}; });
      return none && module.at(in.operands[0]).shape == in.shape ? in.operands[0] : InstructionId();
    }
    case Opcode::Reverse: {
      auto one = [&](int64_t d) { return in.shape->dimensions[static_cast<size_t>(d)] == 1; };
      return std::ranges::all_of(in.attributes->ints(Attr::dimensions), one) ? in.operands[0] : InstructionId();
    }
    case Opcode::DynamicUpdateSlice:
      return module.at(in.operands[1]).shape == in.shape ? in.operands[1] : InstructionId();
    default: return {};
  }
}

// Small operations over constants are computed now, by the reference evaluation of the op.
InstructionId foldConstants(Rewriter& rewriter, const Instruction& in) {
  constexpr int64_t kLargestElements = 256;
  Module& module = rewriter.module();
  if (in.operands.empty() || in.opcode == Opcode::Broadcast || !in.shape->isArray() || in.shape->hasDynamicDimensions()) return {};
  if (in.shape->elementCount().value_or(kLargestElements + 1) > kLargestElements) return {};
  const OpDef* op = findOp(in.opcode);
  if (!op || op->kind != ExecutionKind::Element || !op->evaluate || !module.callees(in).empty()) return {};
  std::vector<Literal> operands;
  std::vector<const Shape*> shapes;
  for (InstructionId id : in.operands) {
    const Instruction& operand = module.at(id);
    if (operand.opcode != Opcode::Constant || !operand.literal || operand.literal->elided() || !operand.shape->isArray()) return {};
    if (operand.literal->elementCount() > kLargestElements) return {};
    operands.push_back(*operand.literal);
    shapes.push_back(operand.shape);
  }
  EvaluateContext context{in, *in.shape, operands, shapes, {}, {}};
  Result<Literal> value = op->evaluate(context);
  if (!value || !sameIgnoringLayout(value->shape(), *in.shape)) return {};
  const InstructionId origin[] = {in.id};
  return rewriter.addConstant(in.computation, std::move(*value), *in.shape, origin);
}

InstructionId simplifyOne(Rewriter& rewriter, const Instruction& in) {
  switch (in.opcode) {
    case Opcode::Reshape: if (auto by = simplifyReshape(rewriter, in); by.valid()) return by; break;
    case Opcode::Broadcast: return simplifyBroadcast(rewriter, in);
    case Opcode::Transpose: if (auto by = simplifyTranspose(rewriter, in); by.valid()) return by; break;
    case Opcode::Dot: return simplifyDot(rewriter, in);
    case Opcode::GetTupleElement: return simplifyGetTupleElement(rewriter, in);
    case Opcode::Tuple: return simplifyTuple(rewriter, in);
    default:
      if (auto by = simplifyMovement(rewriter, in); by.valid()) return by;
      if (auto by = simplifyArithmetic(rewriter, in); by.valid()) return by;
  }
  return foldConstants(rewriter, in);
}

}  // namespace

Result<bool> simplify(Module& module) {
  Rewriter rewriter(module, "simplify");
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      const Instruction in = rewriter.visit(id);
      if (hasSideEffect(in)) continue;
      InstructionId by = simplifyOne(rewriter, in);
      constexpr int kMostRounds = 8;  // a rule's result may itself be simple
      for (int round = 0; by.valid() && round < kMostRounds; ++round) {
        const Instruction again = module.at(by);
        if (again.id.value < id.value || again.id == id) break;
        InstructionId next = simplifyOne(rewriter, again);
        if (!next.valid()) break;
        rewriter.replace(by, next);
        by = next;
      }
      if (by.valid()) rewriter.replace(id, by);
    }
  return rewriter.finish();
}

}  // namespace tessera
