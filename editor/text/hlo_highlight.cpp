// A tokenizer of one line, only as fine as its colours.
#include "editor/text/hlo_highlight.h"

namespace tessera {
namespace {

enum class Token { Name, Opcode, Key, Text, Comment, Number, Open, Word };

QColor colorOfToken(Token token, Theme theme) {
  const bool dark = theme == Theme::Dark;
  switch (token) {
    case Token::Name: return dark ? QColor(0x8a, 0xb8, 0xf0) : QColor(0x1b, 0x5a, 0xa8);
    case Token::Opcode: return dark ? QColor(0xe6, 0xa8, 0x6a) : QColor(0xa0, 0x4a, 0x00);
    case Token::Key: return dark ? QColor(0xc3, 0xa5, 0xe8) : QColor(0x70, 0x3c, 0xa8);
    case Token::Text: return dark ? QColor(0x9c, 0xc8, 0x8a) : QColor(0x2f, 0x7a, 0x2a);
    case Token::Comment: return QColor(0x8a, 0x8a, 0x8a);
    case Token::Number: return dark ? QColor(0x7f, 0xcc, 0xc8) : QColor(0x00, 0x70, 0x70);
    case Token::Open: return dark ? QColor(0xff, 0xc1, 0x6b) : QColor(0x9a, 0x5b, 0x00);
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
