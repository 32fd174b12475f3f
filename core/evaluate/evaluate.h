// The reference evaluator: runs a module by each op's `evaluate`, the obvious loop in double precision or exact
// integers. Slow, simple, independent of code generation: the oracle. And the rule that fills missing
// arguments.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera {

class Communicator;  // core/devices/collectives.h

// Entry arguments as leaves in order; gives the root's leaves.
Result<std::vector<Literal>> evaluateModule(const Module& module, std::span<const Literal> arguments,
                                            const std::atomic<bool>* cancel = nullptr);
// One computation with whole (possibly tuple) literals.
Result<Literal> evaluateComputation(const Module& module, ComputationId computation, std::span<const Literal> arguments,
                                    const std::atomic<bool>* cancel = nullptr);

// One instruction that has been evaluated, for profiles. Times in nanoseconds since the start of the run; exclusive
// leaves out the instructions of called computations that are observed themselves.
struct EvaluatedStep {
  InstructionId instruction;
  int64_t beginNs = 0, endNs = 0, exclusiveNs = 0;
};
// Words that instructions keep from one execution to the next, by instruction id.
using InstructionStates = std::unordered_map<uint32_t, std::array<uint64_t, 2>>;
struct EvaluateOptions {
  const std::atomic<bool>* cancel = nullptr;
  Communicator* communicator = nullptr;  // null: the program runs alone, on device 0
  // Sees each instruction of the entry and of the bodies of while, conditional and call; not those of reducers.
  std::function<void(const EvaluatedStep&)> observe;
  // Sees the arguments of each call of a computation before it is made; not those of reducers and comparators, which
  // are folded without calls.
  std::function<void(InstructionId caller, ComputationId computation, std::span<const Literal> arguments)> called;
  // States of rng-get-and-update-state, which continue from run to run; null: each run starts from the initial state.
  InstructionStates* states = nullptr;
};
struct EvaluateStatistics {
  int64_t peakBytes = 0;  // most bytes of values alive at once, arguments included
  int64_t totalNs = 0;
};
Result<std::vector<Literal>> evaluateModule(const Module& module, std::span<const Literal> arguments,
                                            const EvaluateOptions& options, EvaluateStatistics* statistics = nullptr);
Result<Literal> evaluateComputation(const Module& module, ComputationId computation, std::span<const Literal> arguments,
                                    const EvaluateOptions& options);
// A literal for each parameter of the entry (tuples whole) from the leaves; fails when count or shapes differ.
Result<std::vector<Literal>> wholeArguments(const Module& module, std::span<const Literal> leaves);
// Fails with ErrorKind::Unsupported on the first reachable instruction that has no evaluation.
Status canEvaluate(const Module& module);

// Element j of parameter i: splitmix64(seed·2^56 xor i·2^40 xor j), see the README of this folder.
struct FillRule {
  uint64_t seed = 0;
  double scale = 0.02;
  uint64_t imax = 8;
};
Result<Literal> fillParameter(const Shape& shape, uint64_t parameterLeaf, const FillRule& rule);
// The number within [0, 1) behind one element, of 24 bits.
double fillNumber(uint64_t parameterLeaf, uint64_t element, uint64_t seed);
// Leaves of the entry's parameters in order (tokens skipped).
std::vector<Shape> entryArgumentShapes(const Module& module);

}  // namespace tessera
