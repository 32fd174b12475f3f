// TextPattern: what a user writes to find texts: a part of the text, a glob, the whole text or a regular expression.
// Used by the terms of a query (query.h) and by `matchesGlob` alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace re2 {
class RE2;
}

namespace tessera {

// '*' any letters, '?' any one; the whole text must match.
bool matchesGlob(std::string_view pattern, std::string_view text);

class TextPattern {
 public:
  enum class Extent : uint8_t { Part, Whole };

  // '*' and '?' make a glob, which is of the whole text whatever the extent.
  static TextPattern words(std::string_view text, Extent extent);
  // Every character is literal.
  static TextPattern literal(std::string_view text, Extent extent);
  // In RE2's syntax, which is matched in time linear in the text. Fails with the reason in `message`.
  static Result<TextPattern> regex(std::string_view text, Extent extent);

  // Letters of ASCII match in either case, unless the pattern has a capital.
  bool matches(std::string_view text) const;
  // What was given, for messages.
  const std::string& text() const { return text_; }

 private:
  enum class Kind : uint8_t { Literal, Glob, Regex };
  TextPattern(std::string_view text, Kind kind, Extent extent);

  std::string text_;
  Kind kind_;
  Extent extent_;
  bool eitherCase_;
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace tessera
