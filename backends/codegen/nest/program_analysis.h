// ProgramAnalysis: what code generation reads of a LoopProgram before it emits code: which nodes carry values
// (affine index arithmetic does not), the address of each access as a linear form over the loop counters, which
// adjacent dimensions act as one, in which loop each node lives, and which loops may be reduced lane by lane. Follows
// composition (core/element). Used by KernelNest and KernelEmitter.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/element/element_program.h"

namespace tessera::codegen {

inline constexpr size_t kMaxLoops = 256;

// An element program as a loop program that stores each result at its own index; layouts are dropped from shapes.
LoopProgram asLoopProgram(const ElementProgram& program);

// A counter of the generated nest: adjacent dimensions of one space that every access walks as one.
struct Counter {
  int32_t space = 0;  // 0: the iteration space; 1 + l: loop l
  int64_t size = 1;
};

struct CounterTerm {
  int32_t counter;
  int64_t coefficient;
};

// Linear position of an access: constant + Σ coefficient · counter + Σ stride · value of a node.
struct Address {
  int64_t constant = 0;
  std::vector<CounterTerm> terms;
  std::vector<std::pair<NodeId, int64_t>> others;
  int64_t coefficientOf(int32_t counter) const;
};

struct Dependence {
  std::bitset<kMaxLoops> loops;  // loops whose counters or accumulators the node sees
  uint64_t counters = 0;         // counters of the iteration space
};

class ProgramAnalysis {
 public:
  static Result<ProgramAnalysis> of(const LoopProgram& program);

  std::vector<bool> needed;                       // by node: its value must be in a register
  std::vector<Dependence> dependence;             // by node
  std::vector<std::optional<Address>> addresses;  // by node: Read, ReadIf, ReadOutput
  std::vector<Address> storeAddresses;            // by store
  std::vector<Counter> counters;
  std::vector<std::vector<int32_t>> spaceCounters;  // by space, major to minor
  std::vector<int32_t> homeLoop;                    // by node: the innermost loop it lives in, -1: none
  std::vector<bool> reducible;                      // by loop: each accumulator is acc = acc op x, op commutative
  std::vector<bool> narrow;                         // by node: S64 whose value and inputs fit 32 bits

  // The counter that an OutputIndex or LoopIndex node reads; -1 when its dimension has size 1.
  int32_t counterOf(const ElementProgram& program, NodeId node) const;

 private:
  struct Form;
  struct Work;
  std::vector<int32_t> variableCounter_;  // by variable
  std::vector<int32_t> spaceFirst_;       // first variable of each space
};

}  // namespace tessera::codegen
