// The k-th application of what map and scatter apply: to elements that lie at one place, and to updates one after the
// other. Used by applications.cpp.
#pragma once

#include "core/evaluate/applications.h"

namespace tessera {

// An application an element, row-major.
Status findMapApplication(std::span<const Literal> operands, Application& out);
// An application an update whose window lies inside, in row-major order of the updates: what stands at its place so
// far, and the update.
Status findScatterApplication(const Module& module, const Instruction& scatter, std::span<const Literal> operands,
                              Application& out, const std::atomic<bool>* cancel);

}  // namespace tessera
