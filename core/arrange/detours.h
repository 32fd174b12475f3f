// Detours: wires that would run through a box are led round it, at right angles and with some distance. Lanes keep most
// wires of an arrangement off the boxes; after the user moved boxes only this does.
#pragma once

#include <vector>

#include "core/arrange/arrangement.h"

namespace tessera {

// The boxes that a wire, as it is drawn, runs through: neither its ends' own insides nor what holds its ends. Its own
// ends are among them where it crosses them.
std::vector<int32_t> boxesUnder(const GraphView& view, const Arrangement& arrangement, size_t edge);

// Wires that `kept` names stay (by edge; empty: none does). Pages of very many boxes are left as they are, and
// the wires that are left when `stop` is requested.
void leadRoundBoxes(const GraphView& view, Arrangement& arrangement, const std::vector<bool>& kept = {},
                    const std::stop_token& stop = {});

}  // namespace tessera
