// Tokens of HLO text: comments, identifiers, numbers, strings, raw braces; and line counting.
#include "core/formats/hlo_text/lexer.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/formats/hex_digit.h"

namespace tessera::text {
namespace {

bool isOctal(char c) { return c >= '0' && c <= '7'; }

// Reads \xNN or \NNN behind the backslash at i; i ends on the last character used.
char numericEscape(std::string_view text, size_t& i) {
  unsigned value = 0;
  if (text[i] == 'x' || text[i] == 'X') {
    for (int n = 0; n < 2 && i + 1 < text.size() && hexDigit(text[i + 1]) >= 0; ++n)
      value = value * 16 + static_cast<unsigned>(hexDigit(text[++i]));
  } else {
    value = static_cast<unsigned>(text[i] - '0');
    for (int n = 0; n < 2 && i + 1 < text.size() && isOctal(text[i + 1]); ++n)
      value = value * 8 + static_cast<unsigned>(text[++i] - '0');
  }
  return static_cast<char>(value);
}

}  // namespace

std::string asName(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (!isNameChar(c)) c = '_';
  if (out.empty() || !isNameStart(out[0])) out.insert(out.begin(), '_');
  return out;
}

void Lexer::skipComment() {
  const size_t begin = at_;
  const bool block = text_[at_ + 1] == '*';
  size_t end = block ? text_.find("*/", at_ + 2) : text_.find_first_of("\r\n", at_);
  if (end == std::string_view::npos) {
    if (block) failAt(begin, "a comment is not closed", "*/");
    end = text_.size();
  } else if (block) {
    end += 2;
  }
  at_ = end;
  if (!collecting_) return;
  size_t lineStart = begin;
  while (lineStart > 0 && (text_[lineStart - 1] == ' ' || text_[lineStart - 1] == '\t')) --lineStart;
  if (lineStart == 0 || text_[lineStart - 1] == '\n') notes_.push_back(text_.substr(begin, end - begin));
}

void Lexer::warn(size_t offset, std::string message, std::string expected) {
  warnings_.push_back({offset, std::move(message), std::move(expected), tokenAt(offset), {}});
}

std::string Lexer::takeNotes() {
  std::string out;
  for (std::string_view note : notes_) {
    if (!out.empty()) out += '\n';
    bool lineStart = false;
    for (char c : note) {
      if (c == '\r') continue;
      if (lineStart && (c == ' ' || c == '\t')) continue;
      out += c;
      lineStart = c == '\n';
    }
  }
  notes_.clear();
  return out;
}

bool Lexer::acceptWord(std::string_view word) {
  skipBlanks();
  if (text_.substr(at_, word.size()) != word || isNameChar(raw(word.size()))) return false;
  at_ += word.size();
  return true;
}

bool Lexer::expect(char c, std::string_view where) {
  return accept(c) || failExpected(std::string("'") + c + "'", where);
}

bool Lexer::expect(std::string_view symbol, std::string_view where) {
  return accept(symbol) || failExpected("'" + std::string(symbol) + "'", where);
}

std::string_view Lexer::word() {
  skipBlanks();
  size_t end = at_;
  if (end >= text_.size() || !isNameStart(text_[end])) return {};
  while (end < text_.size() && isNameChar(text_[end])) ++end;
  std::string_view out = text_.substr(at_, end - at_);
  at_ = end;
  return out;
}

bool Lexer::name(std::string_view& out, std::string_view what) {
  skipBlanks();
  if (raw() == '%' && isNameStart(raw(1))) ++at_;
  out = word();
  return !out.empty() || failExpected(std::string(what));
}

bool Lexer::integer(int64_t& out, std::string_view what) {
  skipBlanks();
  const char* first = text_.data() + at_;
  const char* last = text_.data() + text_.size();
  std::from_chars_result result{};
  if (first != last && *first == '-') {
    result = std::from_chars(first, last, out);
  } else {
    uint64_t bits = 0;
    result = std::from_chars(first, last, bits);
    out = static_cast<int64_t>(bits);
  }
  if (result.ec == std::errc::result_out_of_range) return fail("the integer does not fit 64 bits", std::string(what));
  if (result.ec != std::errc()) return failExpected(std::string(what));
  at_ = static_cast<size_t>(result.ptr - text_.data());
  return true;
}

bool Lexer::boolean(bool& out) {
  if (acceptWord("true")) return out = true, true;
  if (acceptWord("false")) return out = false, true;
  return failExpected("true or false");
}

bool Lexer::number(double& out, std::string_view what) {
  skipBlanks();
  const char* first = text_.data() + at_;
  const char* last = text_.data() + text_.size();
  auto [end, ec] = std::from_chars(first, last, out);
  if (ec == std::errc::result_out_of_range) {
    out = std::strtod(std::string(first, end).c_str(), nullptr);  // underflow gives the nearest value
    if (std::isinf(out)) return fail("the number does not fit f64", std::string(what));
  } else if (ec != std::errc()) {
    return failExpected(std::string(what));
  }
  at_ = static_cast<size_t>(end - text_.data());
  return true;
}

bool Lexer::quoted(std::string& out, std::string_view what) {
  const char quote = peek();
  if (quote != '"' && quote != '\'') return failExpected(std::string(what));
  const size_t begin = at_;
  size_t end = at_ + 1;
  bool escapes = false;
  while (end < text_.size() && text_[end] != quote) {
    if (text_[end] == '\\') escapes = true, ++end;
    ++end;
  }
  if (end >= text_.size()) return failAt(begin, "a string is not closed", std::string(1, quote));
  std::string_view body = text_.substr(begin + 1, end - begin - 1);
  out = escapes ? unescape(body) : std::string(body);
  at_ = end + 1;
  return true;
}

bool Lexer::braces(std::string_view& out, std::string_view what) {
  if (peek() != '{') return failExpected(std::string(what));
  const size_t begin = at_;
  int depth = 0;
  for (size_t i = begin; i < text_.size(); ++i) {
    char c = text_[i];
    if (c == '"') {
      for (++i; i < text_.size() && text_[i] != '"'; ++i)
        if (text_[i] == '\\') ++i;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      out = text_.substr(begin, i + 1 - begin);
      at_ = i + 1;
      return true;
    }
  }
  return failAt(begin, "the text ends before this brace is closed", "'}'");
}

std::string_view Lexer::rawValue() {
  skipBlanks();
  const size_t begin = at_;
  int depth = 0;
  for (; at_ < text_.size(); ++at_) {
    char c = text_[at_];
    if (c == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
        if (text_[at_] == '\\') ++at_;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ']' || c == ')') {
      if (--depth < 0) break;
    } else if (c == '\n' || (c == ',' && depth == 0)) {
      break;
    }
  }
  at_ = std::min(at_, text_.size());
  std::string_view out = text_.substr(begin, at_ - begin);
  while (!out.empty() && isBlank(out.back())) out.remove_suffix(1);
  return out;
}

bool Lexer::failAt(size_t offset, std::string message, std::string expected) {
  if (!error_) error_ = SyntaxError{offset, std::move(message), std::move(expected), tokenAt(offset), {}};
  return false;
}

bool Lexer::failExpected(std::string expected, std::string_view where) {
  skipBlanks();
  if (error_) return false;
  std::string place = where.empty() ? std::string() : " " + std::string(where);
  if (at_ >= text_.size()) return failAt(at_, "the text ends too early: " + expected + " is missing" + place, expected);
  return failAt(at_, expected + " is missing" + place, expected);
}

std::string Lexer::tokenAt(size_t offset) const {
  if (offset >= text_.size()) return "end of text";
  constexpr size_t kLongest = 40;
  size_t end = offset + 1;
  if (isNameStart(text_[offset]) || isDigit(text_[offset]) || text_[offset] == '%' || text_[offset] == '-')
    while (end < text_.size() && end - offset < kLongest && isNameChar(text_[end])) ++end;
  std::string out = "'";
  for (char c : text_.substr(offset, end - offset)) {
    if (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f) {
      out += c;
    } else {
      constexpr char kHex[] = "0123456789abcdef";
      out += "\\x";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
  return out + "'";
}

std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      out += text[i];
      continue;
    }
    char c = text[++i];
    switch (c) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case 'a': out += '\a'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'v': out += '\v'; break;
      default: out += (c == 'x' || c == 'X' || isOctal(c)) ? numericEscape(text, i) : c;
    }
  }
  return out;
}

void appendEscaped(std::string& out, std::string_view text) {
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n': out += "\\n"; continue;
      case '\r': out += "\\r"; continue;
      case '\t': out += "\\t"; continue;
      case '"': out += "\\\""; continue;
      case '\'': out += "\\'"; continue;
      case '\\': out += "\\\\"; continue;
      default: break;
    }
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += '\\';
      out += static_cast<char>('0' + (byte >> 6));
      out += static_cast<char>('0' + ((byte >> 3) & 7));
      out += static_cast<char>('0' + (byte & 7));
    }
  }
}

SourcePosition LineCounter::at(size_t offset) {
  if (offset < lineStart_) offset_ = lineStart_ = 0, line_ = 1;
  offset = std::min(offset, text_.size());
  while (offset_ < offset) {
    const void* newline = std::memchr(text_.data() + offset_, '\n', offset - offset_);
    if (!newline) break;
    offset_ = lineStart_ = static_cast<size_t>(static_cast<const char*>(newline) - text_.data()) + 1;
    ++line_;
  }
  offset_ = std::max(offset_, offset);
  return {line_,
          static_cast<uint32_t>(std::min<size_t>(offset - lineStart_ + 1, std::numeric_limits<uint32_t>::max()))};
}

}  // namespace tessera::text
