// What the shape rules say of sizes: which dimensions are one and the same, which are made of others, which nothing
// tells. The relations come from core/ops/shared/dimension_relations.h. Read by sizes.cpp; uses symbolic_sizes.h.
#pragma once

#include <string>
#include <vector>

#include "core/edit/sizes/symbolic_sizes.h"
#include "core/hlo/module.h"

namespace tessera {

struct SizeFlow {
  explicit SizeFlow(const Module& module);

  SymbolicSizes terms;
  std::vector<std::vector<std::vector<SymbolicSize>>> values;  // by instruction, array leaf of its result, dimension

  // Dimensions that keep their size, with the reason: a term may change only if none of these does.
  struct Fixed {
    SymbolicSize term;
    InstructionId instruction;
    std::string reason;
  };
  std::vector<Fixed> fixed;
  // Sides whose products must stay equal: reshapes whose factors cannot be aligned.
  struct SizeConstraint {
    std::vector<SymbolicSize> left, right;
    InstructionId instruction;
    std::string reason;
  };
  std::vector<SizeConstraint> constraints;
  // One dimension of a slice: where it starts is `start` and the sum of these.
  struct SliceStart {
    InstructionId slice;
    size_t dimension = 0;
    int64_t start = 0;
    std::vector<SymbolicSize> before;
  };
  std::vector<SliceStart> sliceStarts;
};

}  // namespace tessera
