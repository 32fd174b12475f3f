// Gradients held against finite differences, at each array's own scale: for tests of rules and of whole programs.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/gradient/gradient.h"
#include "core/hlo/module.h"

namespace tessera::test {

struct GradientCheck {
  double low = -1, high = 1;  // range of the arguments
  bool twice = true;          // the gradient of a sum of the gradients too
  double tolerance = 1e-6;    // at each array's own scale
};

// Of HLO text whose root is an array of f64 or c128: all parameters of f64 and c128, element by element. The result is
// weighed with numbers of its own, so that no two elements can be exchanged unseen.
void expectGradient(const std::string& text, const GradientCheck& check = {});
// A module that has an error in it, or nodes that nothing needs, fails the test.
void expectTidy(const Module& module, const Gradient& gradient);
// Numbers in [low, high], other ones for each seed.
Literal numbersFor(const Shape& shape, uint64_t seed, double low, double high);
// The gradients of `of`, a scalar, at these arguments.
std::vector<Literal> gradientsAt(const Module& module, InstructionId of, const std::vector<InstructionId>& wrt,
                                 const std::vector<Literal>& arguments);
// What finite differences of it give, by the evaluator in f64; of complex numbers dL/dx - i dL/dy.
Literal differencesOf(const Module& module, InstructionId of, size_t argument, std::vector<Literal> arguments);
// Adds the sum of the real parts of an array times its own weights.
InstructionId addWeighedSum(Module& module, InstructionId array, uint64_t seed);

}  // namespace tessera::test
