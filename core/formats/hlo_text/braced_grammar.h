// The grammar inside attributes that are kept as their text in braces: frontend_attributes, statistics, origin, domain,
// parameter_replication, sharding and result_accuracy. What XLA's parser refuses is refused here, with the place.
#pragma once

#include "core/formats/hlo_text/lexer.h"
#include "core/hlo/attributes.h"

namespace tessera::text {

// Walks over the text in braces that starts here. False with the lexer's error set where it breaks the grammar;
// attributes without one are not looked at.
bool followsGrammar(Lexer& lexer, Attr attr);
// The text without its comments, but for those that XLA itself prints into long lists.
std::string withoutComments(std::string_view braced);

}  // namespace tessera::text
