// Shapes and layouts in HLO text. Stands behind the lexer; the printer's side is toString in core/hlo/shape.h.
#pragma once

#include "core/formats/hlo_text/lexer.h"
#include "core/hlo/shape.h"

namespace tessera::text {

// Array leaves without a written layout get the default one when fillLayouts is set.
bool readShape(Lexer& lexer, Shape& out, bool fillLayouts = true, int depth = 0);
// True when a shape starts here: '(' , "b(" or an element type and '['.
bool shapeStartsHere(Lexer& lexer);
// End of the shape that starts at `begin` if it is written on one line without blanks before its layout; npos else.
size_t shapeTextEnd(std::string_view text, size_t begin);

}  // namespace tessera::text
