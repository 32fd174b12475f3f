// Scalar arithmetic with HLO's meaning on the bits of Constant nodes: what one node of an ElementProgram computes.
// Used by constant folding (ElementBuilder) and the interpreter. f16, bf16 and f8 compute in f32 and round once.
#pragma once

#include <cstdint>
#include <span>

#include "core/element/element_program.h"

namespace tessera {

// Little-endian bits of one value, zero-extended; high is the second half of a c128.
struct ScalarBits {
  uint64_t low = 0, high = 0;
  bool operator==(const ScalarBits&) const = default;
};

// An operand of a scalar computation.
struct TypedScalar {
  ElementType type = ElementType::Invalid;
  ScalarBits bits;
};

ScalarBits scalarFromBytes(ElementType type, const void* bytes);
void scalarToBytes(ElementType type, ScalarBits value, void* bytes);
ScalarBits scalarFromInt(ElementType type, int64_t value);
ScalarBits scalarFromDouble(ElementType type, double value);
int64_t scalarAsInt(TypedScalar value);

// Of an op that computes its value from those of its inputs: no leaf, access to memory or loop.
ScalarBits applyScalar(const Node& node, std::span<const TypedScalar> inputs);

}  // namespace tessera
