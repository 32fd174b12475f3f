// Words, numbers and signs of PTX text, each with its line. Used by the parser alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/diagnostics.h"

namespace tessera::cuda::simulated {

struct Token {
  enum class Kind : uint8_t { End, Word, Integer, Float32, Float64, Text, Sign, Bad };
  Kind kind = Kind::End;
  std::string_view text = {};  // as it is written; of a Text without its quotes
  uint64_t bits = 0;           // of a number
  SourcePosition position = {};
  bool is(char sign) const { return kind == Kind::Sign && text.front() == sign; }
  bool isWord(std::string_view word) const { return kind == Kind::Word && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();
  // The rest of the line, for directives that end with it (.file, .loc).
  void skipLine();
  // What was read since a token began, for showing a statement.
  std::string_view textFrom(const Token& first, const Token& end) const;

 private:
  void skipBlanks();
  void skipComment();
  Token word();
  Token number();
  Token quoted();
  Token finish(Token::Kind kind, size_t begin);

  std::string_view text_;
  size_t at_ = 0, lineBegin_ = 0;
  uint32_t line_ = 1;
  SourcePosition begin_ = {};
};

}  // namespace tessera::cuda::simulated
