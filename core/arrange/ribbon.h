// A level of very many boxes that is a ribbon (a chain of thousands of steps) cut into columns of like height: seen as
// a whole its width would be less than a pixel. Used by arrange; of smaller levels columns.h chooses where it is cut.
#pragma once

#include <optional>

#include "core/arrange/columns.h"

namespace tessera {

// None: a part of it is seen as it is.
std::optional<Fold> foldOfRibbon(const Level& level, Flow flow, const Room& room);

}  // namespace tessera
