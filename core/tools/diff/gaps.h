// Beyond what came or went: from a pair through instructions without partners, those that may be partners of each
// other. Used by matcher.
#pragma once

#include <utility>
#include <vector>

#include "core/tools/diff/partners.h"

namespace tessera {

using InstructionPairs = std::vector<std::pair<InstructionId, InstructionId>>;

// Of the same label, where each side has one with it within a few steps.
InstructionPairs loneBeyondGaps(const Partners& partners, InstructionId a, InstructionId b);
// Of several with one label the nearest: at most one pair a direction.
InstructionPairs nearestBeyondGaps(const Partners& partners, InstructionId a, InstructionId b);

}  // namespace tessera
