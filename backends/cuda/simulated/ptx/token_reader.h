// Two tokens ahead and the first error: what all parts of the parser read from. After an error every token is the end,
// so that no part has to look for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/cuda/simulated/ptx/lexer.h"
#include "core/base/result.h"

namespace tessera::cuda::simulated {

class TokenReader {
 public:
  explicit TokenReader(std::string_view text);
  const Token& now() const { return now_; }
  const Token& following();
  Token take();
  bool accept(char sign);
  bool acceptWord(std::string_view word);
  void expect(char sign);
  std::string_view expectName(std::string_view what);
  int64_t expectInteger(std::string_view what);  // with a sign before it
                                                 // The rest of the line of the token before now().
  void skipLine();
  std::string_view textSince(const Token& first) const { return lexer_.textFrom(first, now_); }

  bool failed() const { return error_.has_value(); }
  void fail(std::string message, std::string expected = {}) { failAt(now_, std::move(message), std::move(expected)); }
  void failAt(const Token& token, std::string message, std::string expected = {});
  Diagnostic error() const { return *error_; }

 private:
  void advance();

  Lexer lexer_;
  Token now_;
  std::optional<Token> following_;
  std::optional<Diagnostic> error_;
};

}  // namespace tessera::cuda::simulated
