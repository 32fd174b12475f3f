// Literals in HLO text: the argument of constant(…) and the value of literal=. Numbers are checked against the type's
// range; printing follows XLA's rules, so that a printed value reads back to the same bits.
#pragma once

#include <string>

#include "core/formats/hlo_text/lexer.h"
#include "core/hlo/literal.h"

namespace tessera::text {

bool readLiteral(Lexer& lexer, const Shape& shape, Literal& out, int depth = 0);
// "s32[2]{0} {1,2}", "(f32[] 1, s8[2] {1,2})".
bool readShapedLiteral(Lexer& lexer, Literal& out, int depth = 0);

void appendLiteral(std::string& out, const Literal& literal);
void appendShapedLiteral(std::string& out, const Literal& literal);

}  // namespace tessera::text
