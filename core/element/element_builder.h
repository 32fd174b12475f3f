// ElementBuilder: appends to an ElementProgram, hash-consing nodes and folding constants. Index arithmetic is kept
// simple: sums are normalised and (i·c + j) / c, (i·c + j) % c fold when the ranges of i and j allow it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/element/element_program.h"
#include "core/hlo/literal.h"

namespace tessera {

class ElementBuilder {
 public:
  ElementBuilder(std::vector<Shape> operands, std::vector<int64_t> outputDims);
  ~ElementBuilder();
  ElementBuilder(const ElementBuilder&) = delete;
  ElementBuilder& operator=(const ElementBuilder&) = delete;

  // --- leaves
  NodeId constantBits(ElementType type, uint64_t bits0, uint64_t bits1 = 0);
  NodeId constant(ElementType type, double value);  // converted to the type (saturating as HLO convert)
  NodeId zero(ElementType type) { return constant(type, 0); }
  NodeId scalarOf(const Literal& literal, int64_t linearIndex);  // element of a literal as a constant
  NodeId index(int64_t value);                                   // S64 constant
  NodeId outputIndex(int64_t dimension);
  NodeId dimensionSize(size_t operand, int64_t dimension);

  // --- memory
  NodeId read(size_t operand, std::span<const NodeId> indices);
  NodeId readIf(NodeId condition, size_t operand, std::span<const NodeId> indices, NodeId otherwise);
  NodeId readOutput(size_t output, ElementType type, std::span<const NodeId> indices);

  // --- scalars; types follow from the inputs unless given
  NodeId unary(NodeOp op, NodeId a);  // IsFinite gives Pred; Abs, Real, Imag of complex give the part
  NodeId binary(NodeOp op, NodeId a, NodeId b);
  NodeId compare(CompareDirection direction, NodeId a, NodeId b, bool totalOrder = false);
  NodeId select(NodeId condition, NodeId whenTrue, NodeId whenFalse);
  NodeId convert(ElementType type, NodeId a);
  NodeId bitcastConvert(ElementType type, NodeId a);  // same width
  NodeId reducePrecision(NodeId a, int exponentBits, int mantissaBits);
  NodeId makeComplex(NodeId re, NodeId im);
  NodeId fma(NodeId a, NodeId b, NodeId c);
  NodeId add(NodeId a, NodeId b) { return binary(NodeOp::Add, a, b); }
  NodeId subtract(NodeId a, NodeId b) { return binary(NodeOp::Subtract, a, b); }
  NodeId multiply(NodeId a, NodeId b) { return binary(NodeOp::Multiply, a, b); }
  NodeId divide(NodeId a, NodeId b) { return binary(NodeOp::Divide, a, b); }
  NodeId remainder(NodeId a, NodeId b) { return binary(NodeOp::Remainder, a, b); }
  NodeId minimum(NodeId a, NodeId b) { return binary(NodeOp::Minimum, a, b); }
  NodeId maximum(NodeId a, NodeId b) { return binary(NodeOp::Maximum, a, b); }
  NodeId logicalAnd(NodeId a, NodeId b) { return binary(NodeOp::And, a, b); }
  // index arithmetic
  NodeId clampIndex(NodeId i, int64_t low, int64_t high);  // min(max(i, low), high)
  NodeId inRange(NodeId i, int64_t low, int64_t high);     // low <= i && i < high; true when ranges prove it

  // --- loops: body(loop indices, accumulators) -> next accumulators; run now, once, to describe one iteration.
  using LoopBody =
      std::function<Result<std::vector<NodeId>>(std::span<const NodeId> indices, std::span<const NodeId> accumulators)>;
  Result<std::vector<NodeId>> loop(std::vector<int64_t> ranges, std::vector<NodeId> inits, const LoopBody& body,
                                   bool associative = true);

  ElementType typeOf(NodeId id) const;
  const ElementProgram& program() const { return program_; }
  ElementProgram finish(std::vector<NodeId> results);  // drops nodes that no result needs

 private:
  struct State;
  ElementProgram program_;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
