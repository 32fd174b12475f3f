// Whether a reduction's initial value leaves its results alone. XLA may combine it any number of times, so one that is
// no identity of the reducer gives unspecified results. Used by the studio, which warns at the node.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/module.h"

namespace tessera {

// A warning about the initial value of a reduce, reduce-window or select-and-scatter; nullopt: none, or it is
// not known.
std::optional<std::string> initialValueWarning(const Module& module, InstructionId id);

}  // namespace tessera
