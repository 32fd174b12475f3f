// Tall ribbons of a small graph, its page or an open group, folded into columns side by side, so that they can be read
// as a whole on a screen, which is wide. Used by arrange.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/arrange/level.h"
#include "core/arrange/routing.h"

namespace tessera {

struct Fold {
  std::vector<size_t> ends;    // of each column, as numbers of rows
  std::vector<PointF> shifts;  // of its boxes
  float width = 0, height = 0;
};
// How a level is folded; none: it is seen large enough as it is, or no fold shows it much larger.
std::optional<Fold> foldOf(const Level& level, Flow flow, const Room& room);
using Folds = std::unordered_map<int32_t, Fold>;  // by open group; -1: the page
// Wires from column to column, and those that leave a folded group, are led round boxes.
void applyFolds(const GraphView& view, const PlacedLevels& placed, const Folds& folds, Arrangement& arrangement);

}  // namespace tessera
