// Instructions with equal labels are interchangeable. Swaps the partners of two of them if their neighbours match
// better then. Used by matcher, when all pairs are found.
#pragma once

#include "core/tools/diff/partners.h"

namespace tessera {

void settleTwins(Partners& partners);

}  // namespace tessera
