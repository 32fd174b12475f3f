// The k-th application of what map and scatter apply: to elements at one index, and to updates one after the
// other. Used by applications.cpp.
#pragma once

#include "core/evaluate/applications.h"

namespace tessera {

// An application an element, row-major.
Status findMapApplication(std::span<const Literal> operands, Application& out);
// An application an update whose window is inside, in row-major order of the updates: the value at its index so
// far, and the update.
Status findScatterApplication(const Module& module, const Instruction& scatter, std::span<const Literal> operands,
                              Application& out, const std::atomic<bool>* cancel);

}  // namespace tessera
