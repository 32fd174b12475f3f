// The gradient of a called computation, as a computation of its own: from what the callee was given and the cotangents
// of its results to the cotangents of its parameters. It computes again what it needs of the callee's own values.
// Used by the rules of call, fusion, map, conditional, while and scan.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/gradient/value.h"

namespace tessera::gradient {

class Session;

// Parameters and results are given as leaves (leavesOf), counted through all parameters.
struct Pullback {
  ComputationId computation;  // invalid where nothing is given
  // Its parameters: first leaves of the callee's parameters, then cotangents of leaves of its result.
  std::vector<size_t> forwardInputs, cotangentInputs;
  std::vector<size_t> outputs;  // its root is a tuple of the cotangents of these leaves of the parameters
};

// `wanted`: by parameter leaf, whether its cotangent is needed; `given`: by result leaf, whether it has
// one; `ofBranch`: whether the result is a branch's value. Leaves that the result does not depend on are no outputs.
// Fails where an instruction has no gradient.
Result<Pullback> makePullback(Session& session, ComputationId callee, const std::vector<bool>& wanted,
                              const std::vector<bool>& given, bool ofBranch);
// The pullback's instructions, once, in another computation: cotangents in the order of `outputs`.
std::vector<Value> applyInline(Emitter& into, const Pullback& pullback, const std::vector<Value>& inputs);

// A computation's instructions, once, on these arguments; gives its root.
Value inlineBody(Emitter& into, ComputationId callee, const std::vector<Value>& arguments);

// A parameter for each array of the callee's parameters, which are packed from them; by leaf, and by parameter.
struct LeafParameters {
  std::vector<Value> leaves, packed;
};
LeafParameters addLeafParameters(Emitter& emit, ComputationId callee);
// A computation gets its root; what it does not need goes. Parameters that nothing reads stay.
void finishComputation(Emitter& emit, Value root);
Value addParameter(Emitter& emit, const std::string& name, const Shape& shape);

}  // namespace tessera::gradient
