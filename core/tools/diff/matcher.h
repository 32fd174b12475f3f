// Matches the instructions of two computations: anchors by hashes, then from neighbour to
// neighbour, the likeliest first. Used by core/tools/diff/diff.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tools/diff/labelled_graph.h"

namespace tessera {

inline constexpr uint32_t kUnmatched = UINT32_MAX;

// Of two computations. Places are those in Computation::instructions.
struct ComputationMatch {
  ComputationId left, right;
  std::vector<uint32_t> toRight, toLeft;  // by place; kUnmatched: no partner
};

ComputationMatch matchComputations(const LabelledGraph& left, const LabelledGraph& right, ComputationId a,
                                   ComputationId b);

}  // namespace tessera
