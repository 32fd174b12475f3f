// What the padding pass does with one instruction that reads or makes dynamic dimensions, operation by operation: where
// its sizes come from, and the values of elements beyond the size. dynamic_padding.cpp does control flow and
// signatures.
#pragma once

#include <unordered_map>

#include "core/passes/dynamic/static_builder.h"

namespace tessera {

using LeafSizes = std::vector<DimensionSizes>;  // one for each leaf of leavesOf(shape)

class DynamicSizes {
 public:
  // Sizes of an array leaf; empty: all are bounds.
  const DimensionSizes& of(InstructionId id, size_t leaf = 0) const;
  const LeafSizes& leaves(InstructionId id) const;
  bool any(InstructionId id) const { return sizes_.contains(id.value); }
  // Nothing is kept when no size is set.
  void set(InstructionId id, LeafSizes sizes);

 private:
  std::unordered_map<uint32_t, LeafSizes> sizes_;
};

// The shape without dynamic flags.
Shape staticShape(Shape shape);
// Makes the instruction static; its operands are already, and their sizes known. Fails with ErrorKind::Unsupported for
// an operation without a rule whose operands have sizes.
Status makeStatic(Rewriter& rewriter, DynamicSizes& sizes, InstructionId id);

}  // namespace tessera
