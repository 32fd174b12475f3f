// Of instructions with equal labels each may stand for each. Where the neighbours of two of them say so they change
// places. Used by matcher, when all pairs are found.
#pragma once

#include "core/tools/diff/partners.h"

namespace tessera {

void settleTwins(Partners& partners);

}  // namespace tessera
