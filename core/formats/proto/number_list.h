// A list of integers in a sharding or mesh, up to its closing bracket: "1,2]" or ")".
#pragma once

#include "core/formats/hlo_text/lexer.h"

namespace tessera {

// Add takes each number (int64_t).
template <class Add>
bool readNumbers(text::Lexer& lexer, char close, Add&& add) {
  if (lexer.accept(close)) return true;
  do {
    int64_t value = 0;
    if (!lexer.integer(value, "an integer")) return false;
    add(value);
  } while (lexer.accept(','));
  return lexer.expect(close, "after the numbers");
}

}  // namespace tessera
