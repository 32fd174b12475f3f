// See text_pattern.h. Regular expressions are RE2's: a pattern of a stranger takes neither time nor stack without
// bound.
#include "core/tools/query/text_pattern.h"

#include <re2/re2.h>

#include <algorithm>

#include "core/base/ascii.h"

namespace tessera {
namespace {

// Behind a backslash a letter of a regular expression names a class and is none of the text: \S, \W.
bool hasCapital(std::string_view text, bool isRegex) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (isRegex && text[at] == '\\')
      ++at;
    else if (text[at] >= 'A' && text[at] <= 'Z')
      return true;
  }
  return false;
}

bool sameLetter(char pattern, char text, bool eitherCase) { return pattern == (eitherCase ? asciiLower(text) : text); }

// The last '*' may take one letter more each time the rest fails: linear in practice, never exponential.
bool globMatches(std::string_view pattern, std::string_view text, bool eitherCase) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || sameLetter(pattern[p], text[t], eitherCase))) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool equalsText(std::string_view pattern, std::string_view text, bool eitherCase) {
  return std::ranges::equal(pattern, text, [&](char p, char t) { return sameLetter(p, t, eitherCase); });
}

bool partMatches(std::string_view pattern, std::string_view text, bool eitherCase) {
  if (!eitherCase) return text.find(pattern) != std::string_view::npos;
  if (pattern.empty()) return true;
  for (size_t at = 0; at + pattern.size() <= text.size(); ++at)
    if (asciiLower(text[at]) == pattern[0] && equalsText(pattern, text.substr(at, pattern.size()), true)) return true;
  return false;
}

}  // namespace

bool matchesGlob(std::string_view pattern, std::string_view text) { return globMatches(pattern, text, false); }

TextPattern::TextPattern(std::string_view text, Kind kind, Extent extent)
    : text_(text), kind_(kind), extent_(extent), eitherCase_(!hasCapital(text, kind == Kind::Regex)) {}

TextPattern TextPattern::words(std::string_view text, Extent extent) {
  const bool glob = text.find_first_of("*?") != std::string_view::npos;
  return TextPattern(text, glob ? Kind::Glob : Kind::Literal, extent);
}

TextPattern TextPattern::literal(std::string_view text, Extent extent) {
  return TextPattern(text, Kind::Literal, extent);
}

Result<TextPattern> TextPattern::regex(std::string_view text, Extent extent) {
  constexpr int64_t kMostMemory = 1 << 20;  // of the compiled expression: some thousand letters
  TextPattern out(text, Kind::Regex, extent);
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  options.set_case_sensitive(!out.eitherCase_);
  out.regex_ = std::make_shared<const RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!out.regex_->ok()) return fail(ErrorKind::Usage, out.regex_->error());
  return out;
}

bool TextPattern::matches(std::string_view text) const {
  if (kind_ == Kind::Glob) return globMatches(text_, text, eitherCase_);
  if (kind_ == Kind::Literal)
    return extent_ == Extent::Part ? partMatches(text_, text, eitherCase_) : equalsText(text_, text, eitherCase_);
  const re2::StringPiece piece(text.data(), text.size());
  return extent_ == Extent::Part ? RE2::PartialMatch(piece, *regex_) : RE2::FullMatch(piece, *regex_);
}

}  // namespace tessera
