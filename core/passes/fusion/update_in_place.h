// Updates in place: a dynamic-update-slice, alone or with what computes its update fused into it, writes a part of an
// array over the array itself. That is right when the fusion reads no element of the array but the one that it is about
// to replace. Used by instruction fusion, alias analysis and the schedule.
#pragma once

#include <functional>
#include <optional>

#include "core/hlo/module.h"

namespace tessera {

// With every producer of the update fused for which `mayFuse` holds, the dynamic-update-slice reads no element of its
// operand 0 other than the one that it replaces. False when there are too many producers to analyse.
bool readsOnlyWhatItReplaces(const Module& module, const Instruction& update,
                             const std::function<bool(const Instruction&)>& mayFuse);
// The operand that a dynamic-update-slice or scatter, or a fusion that ends in a dynamic-update-slice, may write over
// in place; nullopt for others, and for a fusion that reads elements which it has replaced.
std::optional<size_t> updatedOperand(const Module& module, const Instruction& instruction);

}  // namespace tessera
