// Lexer: a cursor over HLO text. HLO's tokens depend on what the grammar expects (a dim-labels word looks like a name),
// so the parser requests the token it expects; tokens are views into the text and nothing is allocated for one.
// The first failure is kept with its place; functions return false after it. Stands before every parser file here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostics.h"

namespace tessera::text {

struct SyntaxError {
  size_t offset = 0;
  std::string message, expected, found;
  std::string label;  // of the constraint that is violated, where there is one
};

// Nesting of shapes, literals, operands and computations.
inline constexpr int kMaxDepth = 200;

inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool isNameChar(char c) { return isNameStart(c) || isDigit(c) || c == '.' || c == '-'; }
// `text` as a name that HLO text can say: other characters become '_'.
std::string asName(std::string_view text);
inline bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  size_t offset() const { return at_; }
  void seek(size_t offset) { at_ = offset; }

  // Blanks and comments. Comments on lines of their own are kept for takeNotes.
  void skipBlanks() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (isBlank(c))
        ++at_;
      else if (c == '/' && at_ + 1 < text_.size() && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*'))
        skipComment();
      else
        return;
    }
  }
  bool atEnd() {
    skipBlanks();
    return at_ >= text_.size();
  }
  // Next character behind blanks; '\0' at the end.
  char peek() {
    skipBlanks();
    return raw();
  }
  // The character right here, blanks included; '\0' at the end.
  char raw(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void bump(size_t count = 1) { at_ += count; }

  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  // The same without blanks before it: behind them an 'x', '_' or 'T' begins the next instruction's name.
  bool acceptHere(char c) {
    if (raw() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool accept(std::string_view symbol) {
    skipBlanks();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  // A whole identifier equal to `word`.
  bool acceptWord(std::string_view word);
  bool expect(char c, std::string_view where);
  bool expect(std::string_view symbol, std::string_view where);
  // The identifier here, empty when there is none.
  std::string_view word();
  // An identifier with or without '%'.
  bool name(std::string_view& out, std::string_view what);
  bool integer(int64_t& out, std::string_view what);
  bool boolean(bool& out);
  bool number(double& out, std::string_view what);
  // "…" or '…', unescaped.
  bool quoted(std::string& out, std::string_view what);
  // From an opening '{' to its '}': only "…" strings are skipped as units.
  bool braces(std::string_view& out, std::string_view what);
  // Everything to the next ',' outside of brackets and strings, or the end of the line.
  std::string_view rawValue();

  bool fail(std::string message, std::string expected = {}) {
    return failAt(at_, std::move(message), std::move(expected));
  }
  bool failAt(size_t offset, std::string message, std::string expected = {});
  // Fails as "expected WHAT" at the next token, or as truncation at the end.
  bool failExpected(std::string expected, std::string_view where = {});
  // After a failure: names the constraint that it violates. Always false.
  bool labelled(std::string_view label) {
    if (error_) error_->label = label;
    return false;
  }
  const std::optional<SyntaxError>& error() const { return error_; }
  void clearError() { error_.reset(); }
  // What can be read and is probably not meant; reading goes on.
  void warn(size_t offset, std::string message, std::string expected = {});
  std::vector<SyntaxError> takeWarnings() { return std::exchange(warnings_, {}); }

  // Text around an offset for "found …".
  std::string tokenAt(size_t offset) const;
  void collectNotes(bool on) { collecting_ = on; }
  // Comments on own lines since the last call, joined by newlines, inner lines trimmed on the left.
  std::string takeNotes();

 private:
  void skipComment();
  std::string_view text_;
  size_t at_ = 0;
  std::optional<SyntaxError> error_;
  std::vector<SyntaxError> warnings_;
  bool collecting_ = false;
  std::vector<std::string_view> notes_;
};

// Backslash escapes as C writes them.
std::string unescape(std::string_view text);
void appendEscaped(std::string& out, std::string_view text);

// Line and column of offsets; asking in ascending order costs one sweep over the text in all.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  SourcePosition at(size_t offset);

 private:
  std::string_view text_;
  size_t offset_ = 0, lineStart_ = 0;
  uint32_t line_ = 1;
};

}  // namespace tessera::text
