// The grammar of shardings that name the axes of a mesh: {mesh['x'=2,'y'=4], [{'x'}, {'y', ?}], replicated={'z'}}.
// Stands behind braced_grammar, which knows the shardings that list devices.
#pragma once

#include "core/formats/hlo_text/lexer.h"

namespace tessera::text {

// Walks behind the '{' of such a sharding to behind its '}'. False with the lexer's error set where it breaks the
// grammar.
bool meshSharding(Lexer& lexer);

}  // namespace tessera::text
