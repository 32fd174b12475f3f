// Simplify: one forward sweep of algebra over every control computation; operands are simple before their users.
// The rules are in tables (simplify_rules.h), one file per subject; this is their driver. NaN, infinities, signed zeros
// and wrap-around stay; rules that round otherwise or regroup sums say so in their names.
#pragma once

#include <string_view>
#include <vector>

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> simplify(Module& module);
// The same; `fired` gets the name of each rule at each use.
Result<bool> simplify(Module& module, std::vector<std::string_view>* fired);
// Every rule's name, in the order in which they are tried.
std::vector<std::string_view> simplifyRuleNames();

}  // namespace tessera
