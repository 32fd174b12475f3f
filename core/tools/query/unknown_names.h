// The names in a query that the module does not have, so that a search without hits can say why. Used by `tessera grep`
// and the search bar of the studio.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/tools/query/query.h"

namespace tessera {

// One sentence for each value of a field that names an instruction, a computation or a scope of the module, or an
// opcode of HLO, and matches none: "near:nothing names no instruction or opcode of this module; did you mean noting?".
std::vector<std::string> unknownNames(const Module& module, const Query& query);

}  // namespace tessera
