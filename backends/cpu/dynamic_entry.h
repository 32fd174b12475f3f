// DynamicEntry: an executable whose entry has dynamic dimensions, around one that has further parameters and results
// for their sizes (core/passes/dynamic/dynamic_padding). Arguments may be smaller than their bounds; results are cut to
// size.
#pragma once

#include <memory>
#include <vector>

#include "backends/backend.h"

namespace tessera::cpu {

bool hasDynamicEntry(const Module& source);
std::unique_ptr<Executable> makeDynamicEntry(const Module& source, std::unique_ptr<Executable> inner);

}  // namespace tessera::cpu
