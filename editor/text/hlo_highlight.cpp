// A tokenizer of one line, only as fine as its colours.
#include "editor/text/hlo_highlight.h"

#include "editor/look/qt_colors.h"

namespace tessera {
namespace {

enum class Token { Name, Opcode, Key, Text, Comment, Number, Open, Word };

QColor colorOfToken(Token token, Theme theme) {
  switch (token) {
    case Token::Name: return colorOf(Ink::CodeName, theme);
    case Token::Opcode: return colorOf(Ink::CodeOpcode, theme);
    case Token::Key: return colorOf(Ink::CodeKey, theme);
    case Token::Text: return colorOf(Ink::CodeText, theme);
    case Token::Comment: return colorOf(Ink::CodeComment, theme);
    case Token::Number: return colorOf(Ink::CodeNumber, theme);
    case Token::Open: return colorOf(Ink::CodeOpen, theme);
    case Token::Word: break;
  }
  return {};
}

bool inToken(QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'-' || c == u'.'; }

// End of the token at `at` and what it is.
qsizetype tokenEnd(const QString& line, qsizetype at, Token* token) {
  const QChar c = line[at];
  qsizetype end = at + 1;
  if (c == u'"') {
    while (end < line.size() && line[end] != u'"') end += line[end] == u'\\' ? 2 : 1;
    *token = Token::Text;
    return std::min(line.size(), end + 1);
  }
  if (c == u'/' && end < line.size() && line[end] == u'*') {
    const qsizetype close = line.indexOf(QLatin1String("*/"), end);
    *token = Token::Comment;
    return close < 0 ? line.size() : close + 2;
  }
  while (end < line.size() && inToken(line[end])) ++end;
  *token = Token::Word;
  if (c == u'?') return *token = Token::Open, at + 1;
  if (c == u'%')
    *token = Token::Name;
  else if (c.isDigit())
    *token = Token::Number;
  else if (c.isLetter() && end < line.size() && line[end] == u'(')
    *token = Token::Opcode;
  else if (c.isLetter() && end < line.size() && line[end] == u'=')
    *token = Token::Key;
  return end;
}

}  // namespace

QList<QTextLayout::FormatRange> highlightHlo(const QString& line, Theme theme) {
  QList<QTextLayout::FormatRange> out;
  for (qsizetype at = 0; at < line.size();) {
    Token token = Token::Word;
    const qsizetype end = tokenEnd(line, at, &token);
    if (token != Token::Word) {
      QTextLayout::FormatRange range;
      range.start = static_cast<int>(at);
      range.length = static_cast<int>(end - at);
      range.format.setForeground(colorOfToken(token, theme));
      out.append(range);
    }
    at = end;
  }
  return out;
}

}  // namespace tessera
