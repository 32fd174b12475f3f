// Lowering: the program of one device, computation by computation, from the shardings that propagation has found. An
// instruction is computed on blocks where its rule allows it; else its operands are gathered and all devices compute
// the whole. Tuples are taken apart: a value is the blocks of its arrays.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "core/passes/partition/block_builder.h"
#include "core/passes/partition/propagation.h"

namespace tessera::partition {

// The device's block of one array.
struct Block {
  InstructionId id;
  ArraySharding sharding;
};
using Blocks = std::vector<Block>;  // of the arrays of a value

class Lowering {
 public:
  Lowering(Rewriter& rewriter, const AnnotationContext& context, const Propagation& shardings, ProgramGrid& grid)
      : rewriter_(rewriter), context_(context), shardings_(shardings), grid_(grid) {}

  // A new computation that does the old one's work on blocks.
  Result<ComputationId> lower(ComputationId source);

 private:
  Rewriter& rewriter_;
  const AnnotationContext& context_;
  const Propagation& shardings_;
  ProgramGrid& grid_;
  friend class ComputationLowering;
};

}  // namespace tessera::partition
