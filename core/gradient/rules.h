// The rule of each op: how its result's cotangents become its operands', or why they do not. The table in rules.cpp has
// every opcode; the functions are in rules/ by family.
#pragma once

#include <string_view>

#include "core/gradient/matrices.h"
#include "core/gradient/sweep.h"

namespace tessera::gradient {

using RuleFunction = Status (*)(Rule&);

enum class Differentiable : uint8_t {
  Yes,      // by `rule`
  Zero,     // no cotangent reaches the operands, for `reason`
  Refused,  // the gradient fails, with `reason`, where one of its operands' is needed
};

struct RuleEntry {
  Opcode opcode;
  Differentiable kind;
  RuleFunction rule;        // of Yes
  std::string_view reason;  // of the others
  // Each element of the result is made of at most one of each operand, so that zeros of its cotangent stay zeros.
  bool isOfEachElement = false;
};

// Null: the table lacks the opcode, which a test forbids.
const RuleEntry* ruleOf(Opcode opcode);
Status applyRule(Rule& rule);

// --- rules/elementwise.cpp
Status scalarFunctionRule(Rule& r);
Status selectRule(Rule& r);
Status clampRule(Rule& r);
Status convertRule(Rule& r);
Status reducePrecisionRule(Rule& r);
Status rngRule(Rule& r);
// --- rules/movement.cpp
Status passOnRule(Rule& r);
Status tupleRule(Rule& r);
Status getTupleElementRule(Rule& r);
Status bitcastRule(Rule& r);
Status reshapeRule(Rule& r);
Status broadcastRule(Rule& r);
Status transposeRule(Rule& r);
Status reverseRule(Rule& r);
Status sliceRule(Rule& r);
Status padRule(Rule& r);
Status concatenateRule(Rule& r);
// --- rules/indexed.cpp
Status dynamicSliceRule(Rule& r);
Status dynamicUpdateSliceRule(Rule& r);
Status gatherRule(Rule& r);
Status scatterRule(Rule& r);
// --- rules/products.cpp
Status dotRule(Rule& r);
Status convolutionRule(Rule& r);
// --- rules/ragged.cpp
Status raggedDotRule(Rule& r);
// --- rules/reductions.cpp
Status reduceRule(Rule& r);
Status reduceWindowRule(Rule& r);
Status selectAndScatterRule(Rule& r);
// --- rules/folds.cpp
Status foldRule(Rule& r);  // of reduce and reduce-window, by any function
// --- rules/order.cpp
Status sortRule(Rule& r);
Status topkRule(Rule& r);
// --- rules/algebra.cpp
Status choleskyRule(Rule& r);
Status triangularSolveRule(Rule& r);
Status fftRule(Rule& r);
// --- rules/lapack.cpp
// Of a custom call of this name, if it is a routine of LAPACK that has a rule; nullopt otherwise.
std::optional<Status> lapackRule(Rule& r, std::string_view target);
// --- rules/normalization.cpp
Status batchNormTrainingRule(Rule& r);
Status batchNormInferenceRule(Rule& r);
Status batchNormGradRule(Rule& r);
// --- rules/control.cpp
Status callRule(Rule& r);
Status calledRule(Rule& r, ComputationId callee);  // of an op that is a call of this computation
Status mapRule(Rule& r);
Status conditionalRule(Rule& r);
Status customCallRule(Rule& r);
// --- rules/loops.cpp
Status whileRule(Rule& r);
// --- rules/scan.cpp
Status scanRule(Rule& r);
// --- rules/devices.cpp
Status allReduceRule(Rule& r);
Status allToAllRule(Rule& r);
Status allGatherRule(Rule& r);
Status reduceScatterRule(Rule& r);
Status collectivePermuteRule(Rule& r);

// --- what several families ask
// The operation of two values that a computation applies, whichever way round, under converts of narrow types: wider
// than reducerOf, since a gradient needs no rounding kept, and comparators count.
std::optional<Opcode> operationOf(const Module& module, ComputationId computation);
// Of the triangle of a symmetric matrix that was factored, from that of its factor, whose other triangle is zeros.
Value choleskyCotangent(Value factor, Value d, bool lower);
// Of a triangular solve of operand 0 for operand 1, as TriangularForm says; conjugated: op(a) is the adjoint.
void giveTriangularSolve(Rule& r, TriangularForm form, bool conjugated);

}  // namespace tessera::gradient
