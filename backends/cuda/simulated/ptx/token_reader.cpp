#include "backends/cuda/simulated/ptx/token_reader.h"

namespace tessera::cuda::simulated {

namespace {

constexpr size_t kShownText = 60;  // of what was found

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::End) return "the end of the text";
  return "\"" + std::string(token.text.substr(0, kShownText)) + "\"";
}

}  // namespace

TokenReader::TokenReader(std::string_view text) : lexer_(text) { advance(); }

void TokenReader::advance() {
  if (failed()) {
    now_ = {.text = now_.text.substr(now_.text.size()), .position = now_.position};
    following_.reset();
    return;
  }
  now_ = following_ ? *following_ : lexer_.next();
  following_.reset();
  if (now_.kind == Token::Kind::Bad) fail("this is no number or text of PTX");
}

const Token& TokenReader::following() {
  if (!following_) following_ = lexer_.next();
  return *following_;
}

Token TokenReader::take() {
  Token token = now_;
  advance();
  return token;
}

bool TokenReader::accept(char sign) {
  if (!now_.is(sign)) return false;
  advance();
  return true;
}

bool TokenReader::acceptWord(std::string_view word) {
  if (!now_.isWord(word)) return false;
  advance();
  return true;
}

void TokenReader::expect(char sign) {
  if (!accept(sign)) fail("the PTX does not go on as it should", std::string("\"") + sign + "\"");
}

std::string_view TokenReader::expectName(std::string_view what) {
  if (now_.kind != Token::Kind::Word) fail("a name is missing", std::string(what));
  return take().text;
}

int64_t TokenReader::expectInteger(std::string_view what) {
  const bool isNegative = accept('-');
  if (!isNegative) accept('+');
  if (now_.kind != Token::Kind::Integer) fail("a number is missing", std::string(what));
  const auto bits = take().bits;
  return static_cast<int64_t>(isNegative ? 0 - bits : bits);
}

void TokenReader::skipLine() {
  lexer_.skipLine();
  following_.reset();
  advance();
}

void TokenReader::failAt(const Token& token, std::string message, std::string expected) {
  if (failed()) return;
  error_ = Diagnostic{.message = std::move(message),
                      .expected = std::move(expected),
                      .found = shown(token),
                      .position = token.position};
  now_ = {.text = token.text.substr(token.text.size()), .position = token.position};
  following_.reset();
}

}  // namespace tessera::cuda::simulated
