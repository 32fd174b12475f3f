// What an ElementBuilder keeps while it builds: its nodes interned by content, and what is known of indices as sums.
// Used by the sources of ElementBuilder alone.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/element/element_builder.h"
#include "core/element/index_algebra.h"
#include "core/element/scalar_math.h"

namespace tessera {

struct ElementBuilder::State {
  explicit State(ElementProgram& p) : program(p), algebra(p) {}

  ElementProgram& program;
  IndexAlgebra algebra;
  std::unordered_multimap<size_t, NodeId> interned;

  NodeId append(NodeOp op, ElementType type, std::span<const NodeId> inputs, uint64_t bits0 = 0, uint64_t bits1 = 0);
  NodeId intern(NodeOp op, ElementType type, std::span<const NodeId> inputs, uint64_t bits0 = 0, uint64_t bits1 = 0);
  NodeId constant(ElementType type, ScalarBits bits) { return intern(NodeOp::Constant, type, {}, bits.low, bits.high); }
  NodeId index(int64_t value) { return constant(ElementType::S64, {static_cast<uint64_t>(value), 0}); }
  // A node for applyScalar, folded when all its inputs are constants.
  NodeId scalar(NodeOp op, ElementType type, std::initializer_list<NodeId> inputs, uint64_t bits0 = 0,
                uint64_t bits1 = 0);
  std::optional<ScalarBits> valueOf(NodeId id) const;
  bool isInt(NodeId id, int64_t value) const;
  bool isTrue(NodeId id) const { return isPred(id, 1); }
  bool isFalse(NodeId id) const { return isPred(id, 0); }
  bool isPred(NodeId id, uint64_t value) const;

  NodeId materialize(LinearForm form);
  std::optional<NodeId> indexBinary(NodeOp op, NodeId a, NodeId b);
  NodeId multiplyForms(NodeId a, NodeId b);
  std::optional<NodeId> quotient(NodeId a, int64_t divisor);
  std::optional<NodeId> remainder(NodeId a, int64_t divisor);
  NodeId rawQuotient(const LinearForm& form, int64_t divisor);
  NodeId rawRemainder(const LinearForm& form, int64_t divisor);
  std::optional<NodeId> extremum(NodeOp op, NodeId a, NodeId b);
  std::optional<bool> provenCompare(CompareDirection direction, NodeId a, NodeId b);
  std::optional<NodeId> identity(NodeOp op, ElementType type, NodeId a, NodeId b);
};

}  // namespace tessera
