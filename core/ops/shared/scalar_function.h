// ScalarFunction: a called computation over scalars (reducer, comparator, map body) made ready for being applied
// millions of times by `evaluate`. Computations of common scalar ops run in a small register machine; any other goes
// through EvaluateContext::call. Independent of `element`, like all of evaluation.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "core/ops/op.h"

namespace tessera {

// A scalar of a statically known type: floats in re, complex in re and im, integers and pred in bits (as int64).
struct ScalarValue {
  double re = 0, im = 0;
  int64_t bits = 0;
};

ScalarValue loadScalar(ElementType type, const void* data);
void storeScalar(ElementType type, void* data, const ScalarValue& value);

// The opcode of a computation of two scalars that is one commutative function of both; nullopt otherwise.
std::optional<Opcode> reducerOf(const Module& module, ComputationId computation);
// That of the callee of an instruction.
std::optional<Opcode> reducerOf(const Module& module, const Instruction& instruction, size_t callee);

class ScalarFunction {
 public:
  // parameterTypes: of the scalars that will be passed.
  ScalarFunction(const EvaluateContext& context, size_t callee, std::vector<ElementType> parameterTypes,
                 std::vector<ElementType> resultTypes);

  // Partial sums of small and single floats are kept in double when the computation is one plain binary op; the
  // caller rounds once, when it stores. Off by default.
  void keepPrecision() { rounds_ = !plain_; }
  // Fails when the user has cancelled.
  Status apply(std::span<const ScalarValue> arguments, std::span<ScalarValue> results);

 private:
  struct Step {
    Opcode opcode;
    ElementType type;         // of the result
    ElementType operandType;  // of the first operand
    int direction = 0;        // compare: index into EQ NE GE GT LE LT
    bool totalOrder = false;
    uint32_t a = 0, b = 0, c = 0, out = 0;
  };
  bool compile(const Module& module, ComputationId computation);
  bool compileInstruction(const Module& module, const Instruction& instruction, std::vector<uint32_t>& slots);
  void runStep(const Step& step);
  Status applyByCall(std::span<const ScalarValue> arguments, std::span<ScalarValue> results);

  const EvaluateContext& context_;
  size_t callee_;
  std::vector<ElementType> parameterTypes_, resultTypes_;
  bool compiled_ = false;
  bool rounds_ = true;
  std::optional<Opcode> plain_;
  std::vector<ScalarValue> registers_;
  std::vector<uint32_t> parameterSlots_, resultSlots_;
  std::vector<Step> steps_;
  uint32_t applied_ = 0;  // cancelling is looked for once in a while
};

}  // namespace tessera
