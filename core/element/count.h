// Exact counts of one run of a program over its whole iteration space; transcendental nodes count once each.
#pragma once

#include "core/element/element_program.h"

namespace tessera {

struct ElementCounts {
  double flops = 0, transcendentals = 0, bytesRead = 0, bytesWritten = 0;
};
ElementCounts countProgram(const ElementProgram& program);

}  // namespace tessera
