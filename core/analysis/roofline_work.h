// What the two halves of the roofline model share.
#pragma once

#include <vector>

#include "core/analysis/roofline_model.h"

namespace tessera {

// The unit's instruction, or those that it computes where it is none of the module.
std::vector<InstructionId> instructionsOf(const OpUnit& unit);
// Fills predictedNs and bound from the work, the type and the count.
void predict(RooflineDot& dot, const DevicePeaks& peaks);

}  // namespace tessera
