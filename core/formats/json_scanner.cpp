// See json_scanner.h. Texts are checked to be UTF-8, as everything that reads them expects.
#include "core/formats/json_scanner.h"

#include <array>
#include <cstdint>

#include "core/formats/hex_digit.h"

namespace tessera {
namespace {

// Bytes of a text that stand for themselves.
constexpr auto kPlain = [] {
  std::array<bool, 256> out{};
  for (size_t c = 0x20; c < 0x80; ++c) out[c] = c != '"' && c != '\\';
  return out;
}();

bool isPlain(char c) { return kPlain[static_cast<uint8_t>(c)]; }
bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Bytes of the character that begins there, by its first byte; 0: none does.
size_t lengthOfCharacter(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

bool isUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[at + k]); };
    const size_t length = lengthOfCharacter(byte(0));
    if (length == 0 || text.size() - at < length) return false;
    for (size_t k = 1; k < length; ++k)
      if ((byte(k) & 0xc0) != 0x80) return false;
    const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
    const bool surrogate = byte(0) == 0xed && byte(1) >= 0xa0, beyond = byte(0) == 0xf4 && byte(1) >= 0x90;
    if (overlong || surrogate || beyond) return false;
    at += length;
  }
  return true;
}

void appendUtf8(std::string& out, uint32_t code) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace

char JsonScanner::nextBehindSpace() {
  while (at_ != end_) {
    if (isSpace(*at_))
      ++at_;
    else if (*at_ == '/')
      skipComment();
    else
      return *at_;
  }
  return 0;
}

void JsonScanner::skipComment() {
  const std::string_view rest(at_, static_cast<size_t>(end_ - at_));
  const bool line = rest.starts_with("//");
  if (!line && !rest.starts_with("/*")) return void(fail());
  const size_t found = line ? rest.find('\n') : rest.find("*/", 2);
  if (found == rest.npos) return line ? void(at_ = end_) : void(fail());
  at_ += found + (line ? 1 : 2);
}

bool JsonScanner::enter(char bracket) {
  if (next() != bracket) return false;
  ++at_;
  first_ = true;
  return true;
}

// Over the comma before the next member or element; false: over the bracket at the end.
bool JsonScanner::separate(char close) {
  const bool first = first_;
  first_ = false;
  const char c = next();
  if (c == 0) return fail();
  if (c == close) return ++at_, false;
  if (first) return true;
  if (c != ',') return fail();
  ++at_;
  return next() != close || fail();
}

bool JsonScanner::nextMember(std::string_view& name) {
  if (!separate('}')) return false;
  if (!string(name)) return false;
  if (next() != ':') return fail();
  ++at_;
  return true;
}

bool JsonScanner::string(std::string_view& out) {
  if (next() != '"') return fail();
  const char* begin = ++at_;
  while (at_ != end_ && isPlain(*at_)) ++at_;
  if (at_ == end_) return fail();
  if (*at_ != '"') return unescape(begin, out);
  out = {begin, at_++};
  return true;
}

bool JsonScanner::unescape(const char* begin, std::string_view& out) {
  unescaped_.assign(begin, at_);
  while (at_ != end_ && *at_ != '"') {
    if (static_cast<uint8_t>(*at_) < 0x20) return fail();
    if (*at_ != '\\')
      unescaped_ += *at_++;
    else if (!appendEscape())
      return fail();
  }
  if (at_ == end_ || !isUtf8(unescaped_)) return fail();
  ++at_;
  out = unescaped_;
  return true;
}

bool JsonScanner::appendEscape() {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  if (++at_ == end_) return false;
  const char letter = *at_++;
  if (const size_t known = kLetters.find(letter); known != kLetters.npos) {
    unescaped_ += kMeant[known];
    return true;
  }
  if (letter != 'u') return false;
  const int first = hexadecimal();
  if (first < 0 || (first >= 0xdc00 && first < 0xe000)) return false;
  if (first < 0xd800 || first >= 0xe000) return appendUtf8(unescaped_, static_cast<uint32_t>(first)), true;
  if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
  at_ += 2;
  const int second = hexadecimal();
  if (second < 0xdc00 || second >= 0xe000) return false;
  appendUtf8(unescaped_, static_cast<uint32_t>(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)));
  return true;
}

// Four digits; -1: they are not there.
int JsonScanner::hexadecimal() {
  int out = 0;
  for (int k = 0; k < 4; ++k, ++at_) {
    const int digit = at_ == end_ ? -1 : hexDigit(*at_);
    if (digit < 0) return -1;
    out = out * 16 + digit;
  }
  return out;
}

bool JsonScanner::number(std::string_view& out) {
  const char* begin = at_;
  const auto isPart = [](char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || (c | 32) == 'e';
  };
  while (at_ != end_ && isPart(*at_)) ++at_;
  out = {begin, at_};
  const char last = out.empty() ? '-' : out.back();
  return (last >= '0' && last <= '9') || fail();
}

bool JsonScanner::word(std::string_view expected) {
  if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(expected)) return fail();
  at_ += expected.size();
  return true;
}

bool JsonScanner::scalar(std::string_view& text) {
  const char c = next();
  if (c == '"') return string(text);
  if (c == '-' || (c >= '0' && c <= '9')) return number(text);
  skip();
  return false;
}

// Over a text, number or word, or into an object or list.
bool JsonScanner::skipOne() {
  std::string_view text;
  switch (next()) {
    case '{': return open_.push_back('}'), enter('{');
    case '[': return open_.push_back(']'), enter('[');
    case '"': return string(text);
    case 't': return word("true");
    case 'f': return word("false");
    case 'n': return word("null");
    default: return number(text);
  }
}

// Without recursion: a text may be nested as deep as it is long.
void JsonScanner::skip() {
  std::string_view name;
  open_.clear();
  if (!skipOne()) return;
  while (!open_.empty() && !damaged_)
    if (open_.back() == '}' ? nextMember(name) : nextElement())
      skipOne();
    else
      open_.pop_back();
  first_ = false;
}

}  // namespace tessera
