#include "backends/cuda/simulated/ptx/lexer.h"

#include <bit>
#include <charconv>

namespace tessera::cuda::simulated {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool startsWord(char c) { return isLetter(c) || c == '_' || c == '$' || c == '%' || c == '.'; }
bool continuesWord(char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c == '.'; }
bool isHexDigit(char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// The digits of an integer behind its prefix; false where they are none or too many.
bool readInteger(std::string_view digits, int base, uint64_t& bits) {
  if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u')) digits.remove_suffix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, base);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
}

bool isDecimalFloat(std::string_view text) { return text.find_first_of(".eE") != std::string_view::npos; }

}  // namespace

void Lexer::skipComment() {
  if (text_[at_ + 1] == '/') {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    return;
  }
  const size_t end = text_.find("*/", at_ + 2);
  const size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
  for (; at_ < stop; ++at_)
    if (text_[at_] == '\n') ++line_, lineBegin_ = at_ + 1;
}

void Lexer::skipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const char following = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '\n')
      ++line_, lineBegin_ = ++at_;
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\0' || c == '\f' || c == '\v')
      ++at_;
    else if (c == '/' && (following == '/' || following == '*'))
      skipComment();
    else
      return;
  }
}

void Lexer::skipLine() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
}

std::string_view Lexer::textFrom(const Token& first, const Token& end) const {
  const char* last = end.kind == Token::Kind::End ? text_.data() + text_.size() : end.text.data();
  std::string_view text(first.text.data(), static_cast<size_t>(last - first.text.data()));
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

Token Lexer::finish(Token::Kind kind, size_t begin) {
  return {.kind = kind, .text = text_.substr(begin, at_ - begin), .position = begin_};
}

Token Lexer::word() {
  const size_t begin = at_++;
  while (at_ < text_.size()) {
    const bool isDoubleColon =
        text_[at_] == ':' && at_ + 2 < text_.size() && text_[at_ + 1] == ':' && text_[begin] != '$';
    if (isDoubleColon)
      at_ += 2;
    else if (continuesWord(text_[at_]))
      ++at_;
    else
      break;
  }
  return finish(Token::Kind::Word, begin);
}

Token Lexer::number() {
  const size_t begin = at_;
  const char mark = at_ + 1 < text_.size() && text_[at_] == '0' ? text_[at_ + 1] : '\0';
  const bool isExact = mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D';
  if (isExact || mark == 'x' || mark == 'X') {
    for (at_ += 2; at_ < text_.size() && isHexDigit(text_[at_]);) ++at_;
    if (at_ < text_.size() && text_[at_] == 'U') ++at_;
  } else {
    auto isExponentSign = [&] { return (text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] | 32) == 'e'; };
    while (at_ < text_.size() && (continuesWord(text_[at_]) || isExponentSign())) ++at_;
  }
  Token token = finish(Token::Kind::Integer, begin);
  const std::string_view text = token.text;
  bool isGood = false;
  if (isExact) {
    const bool isWide = mark == 'd' || mark == 'D';
    token.kind = isWide ? Token::Kind::Float64 : Token::Kind::Float32;
    isGood = readInteger(text.substr(2), 16, token.bits) && text.size() == (isWide ? 18u : 10u);
  } else if (mark == 'x' || mark == 'X') {
    isGood = readInteger(text.substr(2), 16, token.bits);
  } else if (mark == 'b' || mark == 'B') {
    isGood = readInteger(text.substr(2), 2, token.bits);
  } else if (isDecimalFloat(text)) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    token.kind = Token::Kind::Float64;
    token.bits = std::bit_cast<uint64_t>(value);
    isGood = error == std::errc() && end == text.data() + text.size();
  } else {
    isGood = readInteger(text, mark ? (isDigit(mark) ? 8 : 10) : 10, token.bits);
  }
  if (!isGood) token.kind = Token::Kind::Bad;
  return token;
}

Token Lexer::quoted() {
  const size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
  Token token = finish(Token::Kind::Text, begin);
  if (at_ < text_.size() && text_[at_] == '"')
    ++at_;
  else
    token.kind = Token::Kind::Bad;
  return token;
}

Token Lexer::next() {
  skipBlanks();
  begin_ = {line_, static_cast<uint32_t>(at_ - lineBegin_ + 1)};
  if (at_ >= text_.size()) return {.text = text_.substr(text_.size()), .position = begin_};
  const char c = text_[at_];
  if (isDigit(c)) return number();
  if (startsWord(c)) return word();
  if (c == '"') return quoted();
  const size_t begin = at_++;
  return finish(Token::Kind::Sign, begin);
}

}  // namespace tessera::cuda::simulated
