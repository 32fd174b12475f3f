// The comparison of two modules as one HTML page that needs no other file. Used by `tessera diff --html`.
#pragma once

#include <string>

#include "core/tools/diff/diff.h"

namespace tessera {

// The names are titles, such as the files'.
std::string diffPage(const Module& left, const std::string& leftName, const Module& right, const std::string& rightName,
                     const DiffResult& found, const CostDelta& cost);

}  // namespace tessera
