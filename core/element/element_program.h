// ElementProgram: how one output element comes from input elements, as plain data: hash-consed nodes in dependency
// order, comparable, printable. Built by ElementBuilder, read by code generation, tracing, printing and counting.
// Logical indices only: each reader applies the buffers' layouts itself at Read, ReadIf and the stores.
//
// Scalars are typed by ElementType. Indices are S64 nodes; affineForm() gives the form of one that is affine over the
// output and loop dimensions. Pred is a truth value. Complex is one scalar (a pair inside the generators). f16, bf16
// and f8 arithmetic nodes are typed with that type: a generator computes them in f32 and rounds once per node, as HLO
// does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/shape.h"

namespace tessera {

struct NodeId {
  uint32_t value = 0xffffffffu;
  bool valid() const { return value != 0xffffffffu; }
  auto operator<=>(const NodeId&) const = default;
};

enum class NodeOp : uint8_t {
  // Leaves
  Constant,       // bits0, bits1: little-endian bits of the value (bits1: second half of c128; c64 has re | im<<32)
  OutputIndex,    // bits0: dimension of the output (or of a LoopProgram's iteration space)
  LoopIndex,      // bits0: loop, bits1: dimension of the loop's ranges
  Accumulator,    // bits0: loop, bits1: which
  DimensionSize,  // bits0: operand, bits1: dimension; S64, the run-time size of a dynamic dimension
  // Memory
  Read,        // bits0: operand; inputs: one index per dimension, known in bounds
  ReadIf,      // bits0: operand; inputs: condition, otherwise, indices…; touches no memory when false
  ReadOutput,  // bits0: output; inputs: indices; LoopProgram only: the value stored so far
  // Loops
  LoopResult,  // bits0: loop, bits1: which accumulator; the value after the loop
  // Structure of scalars
  Select,           // inputs: condition, whenTrue, whenFalse
  Convert,          // HLO convert to this node's type
  BitcastConvert,   // same width
  Compare,          // bits0: CompareDirection, bits1: 1 for total order; inputs of equal type; result Pred
  ReducePrecision,  // bits0: exponent bits, bits1: mantissa bits
// Scalar functions, with HLO's meaning in the node's type: the rows of scalar_functions.inc
#define TESSERA_BINARY_FUNCTION(node, ...) node,
#define TESSERA_UNARY_FUNCTION(node, ...) node,
#include "core/element/scalar_functions.inc"
  // For approximations only
  Fma,  // inputs a, b, c: a·b + c with one rounding
};

// The name in listings: a scalar function's is its opcode's.
std::string_view nameOf(NodeOp op);
// Leaves, which listings write where they are read.
bool isLeaf(NodeOp op);
// Arithmetic: a scalar function that computes something, or a multiply-add; no selection, conversion or part of a
// value.
bool isArithmetic(NodeOp op);

enum class CompareDirection : uint8_t { Eq, Ne, Ge, Gt, Le, Lt };

struct Node {
  NodeOp op;
  ElementType type;
  uint32_t firstInput = 0;  // into ElementProgram::inputs
  uint32_t inputCount = 0;
  uint64_t bits0 = 0;
  uint64_t bits1 = 0;
  bool operator==(const Node&) const = default;
};

// A sequential loop nest with accumulators, in row-major order over `ranges`. Its body is every node that depends on
// its LoopIndex or Accumulator nodes; `next` are the accumulators' values after one iteration.
struct Loop {
  std::vector<int64_t> ranges;
  std::vector<NodeId> inits;
  std::vector<NodeId> next;
  bool associative = true;  // may be reassociated (reduce); false: order matters
  bool operator==(const Loop&) const = default;
};

struct ElementProgram {
  std::vector<Shape> operands;      // array shapes, logical
  std::vector<int64_t> outputDims;  // the iteration space; all results are indexed by it
  std::vector<Node> nodes;          // inputs precede users, except through Loop::next
  std::vector<NodeId> inputs;       // pool
  std::vector<Loop> loops;
  std::vector<NodeId> results;  // one per leaf of the result
  bool operator==(const ElementProgram&) const = default;

  const Node& at(NodeId id) const { return nodes[id.value]; }
  std::span<const NodeId> inputsOf(NodeId id) const { return {inputs.data() + at(id).firstInput, at(id).inputCount}; }
};

// One store per iteration; skipped where guard (Pred) is false.
struct Store {
  size_t output = 0;
  std::vector<NodeId> indices;
  NodeId guard;  // invalid: always
  NodeId value;
  bool operator==(const Store&) const = default;
};

// Stores over an iteration space (ops of kind Loops). Iterations run in row-major order; `parallelDims` leading
// dimensions are independent of each other. body.results is empty.
struct LoopProgram {
  ElementProgram body;
  std::vector<Shape> outputs;  // arrays
  std::vector<int64_t>
      initialOperand;  // per output: operand copied into it first (or aliased in place); -1: uninitialised
  std::vector<Store> stores;
  int64_t parallelDims = 0;
  bool operator==(const LoopProgram&) const = default;
};

// constant + Σ coefficient · variable
struct AffineTerm {
  NodeId variable;  // an OutputIndex or LoopIndex node
  int64_t coefficient;
};
struct AffineForm {
  int64_t constant = 0;
  std::vector<AffineTerm> terms;
};
std::optional<AffineForm> affineForm(const ElementProgram& program, NodeId index);

size_t hashValue(const ElementProgram& program);
// The loop nest as text with indices, for teaching and tests. Layout strides of the operands' shapes are shown.
std::string toString(const ElementProgram& program);
std::string toString(const LoopProgram& program);

}  // namespace tessera
