// The table of rules: every opcode once.
#include "core/gradient/rules.h"

#include <algorithm>
#include <array>

namespace tessera::gradient {
namespace {

constexpr std::string_view kCompiled = "it belongs to a compiled program; take the module before optimization";
constexpr std::string_view kNoNumbers = "its result is no real number";
constexpr std::string_view kNoOperands = "it has no operands";
constexpr std::string_view kOutside = "its values come from or go to the outside";

constexpr RuleEntry yes(Opcode opcode, RuleFunction rule) { return {opcode, Differentiable::Yes, rule, {}}; }
constexpr RuleEntry ofEachElement(Opcode opcode, RuleFunction rule) {
  return {opcode, Differentiable::Yes, rule, {}, true};
}
constexpr RuleEntry zero(Opcode opcode, std::string_view reason) {
  return {opcode, Differentiable::Zero, nullptr, reason};
}
constexpr RuleEntry refused(Opcode opcode, std::string_view reason) {
  return {opcode, Differentiable::Refused, nullptr, reason};
}

using O = Opcode;
constexpr RuleEntry kRules[] = {
#define TESSERA_DERIVATIVE(opcode, ...) ofEachElement(O::opcode, scalarFunctionRule),
#define TESSERA_DERIVATIVES(opcode, ...) ofEachElement(O::opcode, scalarFunctionRule),
#define TESSERA_FLAT(opcode, reason) zero(O::opcode, reason),
#include "core/gradient/scalar_derivatives.inc"
    yes(O::AddDependency, passOnRule),
    zero(O::AfterAll, kNoNumbers),
    yes(O::AllGather, allGatherRule),
    refused(O::AllGatherDone, kCompiled),
    refused(O::AllGatherStart, kCompiled),
    yes(O::AllReduce, allReduceRule),
    refused(O::AllReduceDone, kCompiled),
    refused(O::AllReduceStart, kCompiled),
    yes(O::AllToAll, allToAllRule),
    refused(O::AsyncDone, kCompiled),
    refused(O::AsyncStart, kCompiled),
    refused(O::AsyncUpdate, kCompiled),
    yes(O::BatchNormGrad, batchNormGradRule),
    yes(O::BatchNormInference, batchNormInferenceRule),
    yes(O::BatchNormTraining, batchNormTrainingRule),
    ofEachElement(O::Bitcast, bitcastRule),
    zero(O::BitcastConvert, "bits have no derivative"),
    ofEachElement(O::Broadcast, broadcastRule),
    yes(O::Call, callRule),
    yes(O::Cholesky, choleskyRule),
    yes(O::Clamp, clampRule),
    refused(O::CollectiveBroadcast, "the gradient of a broadcast between devices is not there yet"),
    yes(O::CollectivePermute, collectivePermuteRule),
    refused(O::CollectivePermuteDone, kCompiled),
    refused(O::CollectivePermuteStart, kCompiled),
    zero(O::Compare, kNoNumbers),
    ofEachElement(O::Concatenate, concatenateRule),
    yes(O::Conditional, conditionalRule),
    zero(O::Constant, kNoOperands),
    ofEachElement(O::Convert, convertRule),
    yes(O::Convolution, convolutionRule),
    ofEachElement(O::Copy, passOnRule),
    refused(O::CopyDone, kCompiled),
    refused(O::CopyStart, kCompiled),
    yes(O::CustomCall, customCallRule),
    yes(O::Domain, passOnRule),
    yes(O::Dot, dotRule),
    refused(O::DynamicReshape, "sizes that are known only while running have no gradient here"),
    yes(O::DynamicSlice, dynamicSliceRule),
    yes(O::DynamicUpdateSlice, dynamicUpdateSliceRule),
    yes(O::Fft, fftRule),
    yes(O::Fusion, callRule),
    yes(O::Gather, gatherRule),
    zero(O::GetDimensionSize, kNoNumbers),
    ofEachElement(O::GetTupleElement, getTupleElementRule),
    zero(O::Infeed, kOutside),
    zero(O::Iota, kNoOperands),
    yes(O::Map, mapRule),
    yes(O::OptBarrier, passOnRule),
    refused(O::Outfeed, kOutside),
    yes(O::Pad, padRule),
    zero(O::Parameter, kNoOperands),
    zero(O::PartitionId, kNoOperands),
    refused(O::RaggedAllToAll, "the gradient of an exchange between devices is not there yet"),
    yes(O::RaggedDot, raggedDotRule),
    refused(O::Recv, kOutside),
    zero(O::RecvDone, kOutside),
    yes(O::Reduce, reduceRule),
    ofEachElement(O::ReducePrecision, reducePrecisionRule),
    yes(O::ReduceScatter, reduceScatterRule),
    yes(O::ReduceWindow, reduceWindowRule),
    zero(O::ReplicaId, kNoOperands),
    ofEachElement(O::Reshape, reshapeRule),
    ofEachElement(O::Reverse, reverseRule),
    yes(O::Rng, rngRule),
    zero(O::RngBitGenerator, kNoNumbers),
    zero(O::RngGetAndUpdateState, kNoOperands),
    refused(O::ScaledDot, "scaled-dot works on quantized numbers, which have no derivative"),
    yes(O::Scan, scanRule),
    yes(O::Scatter, scatterRule),
    yes(O::Select, selectRule),
    yes(O::SelectAndScatter, selectAndScatterRule),
    refused(O::Send, kOutside),
    zero(O::SendDone, kNoNumbers),
    refused(O::SetDimensionSize, "sizes that are known only while running have no gradient here"),
    ofEachElement(O::Slice, sliceRule),
    yes(O::Sort, sortRule),
    refused(O::StochasticConvert, "rounding at random has no derivative"),
    yes(O::Topk, topkRule),
    ofEachElement(O::Transpose, transposeRule),
    yes(O::TriangularSolve, triangularSolveRule),
    ofEachElement(O::Tuple, tupleRule),
    yes(O::While, whileRule),
};

using Lookup = std::array<const RuleEntry*, static_cast<size_t>(kOpcodeCount)>;
constexpr Lookup kLookup = [] {
  Lookup out{};
  for (const RuleEntry& entry : kRules) out[static_cast<size_t>(entry.opcode)] = &entry;
  return out;
}();

bool wantsAny(const Rule& r) {
  for (size_t i = 0; i < r.operandCount(); ++i)
    for (size_t k = 0; k < leavesOf(r.operandShape(i)).size(); ++k)
      if (r.wants(i, k)) return true;
  return false;
}

// Cotangents have static shapes, and would count what is beyond a size of the run.
bool isStatic(const Rule& r) {
  const auto fixed = [](const Shape& shape) {
    return std::ranges::none_of(leavesOf(shape), [](const ShapeLeaf& leaf) {
      return leaf.shape->hasDynamicDimensions() || isUnbounded(*leaf.shape);
    });
  };
  if (!fixed(*r.forward.shape)) return false;
  for (size_t i = 0; i < r.operandCount(); ++i)
    if (!fixed(r.operandShape(i))) return false;
  return true;
}

}  // namespace

const RuleEntry* ruleOf(Opcode opcode) {
  return opcode == Opcode::Unknown ? nullptr : kLookup[static_cast<size_t>(opcode)];
}

Status applyRule(Rule& rule) {
  if (!wantsAny(rule)) return {};
  const RuleEntry* entry = ruleOf(rule.forward.opcode);
  if (!entry) return rule.refuse(std::string(rule.forward.opcodeName()) + " has no gradient: the operation is unknown");
  if (entry->kind == Differentiable::Zero) return {};
  if (entry->kind == Differentiable::Yes)
    return isStatic(rule) ? entry->rule(rule)
                          : rule.refuse("sizes that are known only while running have no gradient here");
  return rule.refuse(std::string(rule.forward.opcodeName()) + " has no gradient: " + std::string(entry->reason));
}

}  // namespace tessera::gradient
