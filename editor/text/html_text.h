// Text out of a file in a page of facts: escaped, and its words of no end cut in the middle. Qt lays out a word of
// 100,000 letters in a table for minutes.
#pragma once

#include <QString>
#include <string_view>

namespace tessera {

inline QString htmlText(std::string_view text) {
  constexpr qsizetype kLongestWord = 400, kBegin = 300, kEnd = 80;
  QString out = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  for (qsizetype end = out.size(); end > 0;) {  // from the last word, so that places before it stay
    qsizetype begin = end;
    while (begin > 0 && !out[begin - 1].isSpace()) --begin;
    if (end - begin > kLongestWord) out.replace(begin + kBegin, end - begin - kBegin - kEnd, QStringLiteral(" … "));
    end = begin - 1;
  }
  return out.toHtmlEscaped();
}

}  // namespace tessera
