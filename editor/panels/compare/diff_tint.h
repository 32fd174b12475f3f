// The tints of what differs between two graphs. Used by the comparison panel and by the merged graph of a comparison.
#pragma once

#include <utility>
#include <vector>

#include "core/tools/diff/merged_graph.h"
#include "editor/canvas/node_tint.h"

namespace tessera {

inline NodeTint tintOf(DiffState state) {
  return state == DiffState::Added     ? NodeTint::Added
         : state == DiffState::Removed ? NodeTint::Removed
                                       : NodeTint::Changed;
}

inline std::vector<std::pair<InstructionId, NodeTint>> tintsOf(const MergedGraph& graph) {
  std::vector<std::pair<InstructionId, NodeTint>> out;
  for (const auto& [id, state] : graph.states) out.emplace_back(id, tintOf(state));
  return out;
}

}  // namespace tessera
