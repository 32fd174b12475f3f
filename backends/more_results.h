// A copy of a module whose result is a tuple of values that it computes. Used by value_compare and watch.
#pragma once

#include <span>

#include "core/hlo/module.h"

namespace tessera {

// The values in this order, of the entry. What callers were promised of the old result (aliases, donors, layouts, a
// schedule) is dropped.
Module withResults(const Module& module, std::span<const InstructionId> wanted);

}  // namespace tessera
