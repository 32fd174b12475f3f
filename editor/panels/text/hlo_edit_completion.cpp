// Completion in the HLO editor, and new lines that keep their indentation.
#include <QTextBlock>
#include <algorithm>

#include "core/edit/text_edit.h"
#include "editor/document/document.h"
#include "editor/panels/text/hlo_edit.h"

namespace tessera {

// Unasked only where a word has begun, or where the text expects one.
void HloEdit::complete(bool asked) {
  completion_->hide();
  if (!document_.isOpen() || field_->isReadOnly() || (!asked && !field_->hasFocus())) return;
  const QTextCursor cursor = field_->textCursor();
  const std::string text = field_->toPlainText().toStdString();
  const auto at = static_cast<size_t>(field_->toPlainText().left(cursor.position()).toUtf8().size());
  Completions found = completionsAt(document_.module(), text, at);
  const std::string_view typed = std::string_view(text).substr(found.begin, at - found.begin);
  const char last = found.begin == 0 ? ' ' : text[found.begin - 1];
  const bool expected = last == '(' || last == '=' || (last == ' ' && found.begin > 1 && text[found.begin - 2] == ',');
  const bool whole = found.items.size() == 1 && found.items[0].text == typed;
  if (found.items.empty() || whole || (!asked && typed.empty() && !expected)) return;
  QRect place = field_->cursorRect();
  place.moveTo(field_->viewport()->mapTo(window(), place.topLeft()));
  completion_->setParent(window());
  completion_->setFont(field_->font());
  completion_->show(found, place, asked || !typed.empty());
}

void HloEdit::take() {
  const QString word = completion_->chosen();
  if (word.isEmpty()) return;
  const QString text = field_->toPlainText();
  QTextCursor cursor = field_->textCursor();
  const auto begin =
      static_cast<int>(QString::fromUtf8(text.toUtf8().left(static_cast<qsizetype>(completion_->begin()))).size());
  const int end = cursor.position();
  cursor.setPosition(begin);
  // A bracket that stands there already is not put in again.
  const bool doubled = end < text.size() && text[end] == word.back() &&
                       (word.back() == u'(' || word.back() == u'=' || word.back() == u'[');
  cursor.setPosition(doubled ? end + 1 : end, QTextCursor::KeepAnchor);
  completion_->hide();
  cursor.insertText(word);
  field_->setTextCursor(cursor);
}

// Whether the list takes the key.
bool HloEdit::keyForCompletion(int key, int modifiers) {
  if (key == Qt::Key_Space && modifiers == Qt::ControlModifier) return complete(true), true;
  if (!completion_->isVisible()) return false;
  switch (key) {
    case Qt::Key_Down: completion_->step(1); return true;
    case Qt::Key_Up: completion_->step(-1); return true;
    case Qt::Key_PageDown: completion_->step(8); return true;
    case Qt::Key_PageUp: completion_->step(-8); return true;
    case Qt::Key_Escape: completion_->hide(); return true;
    case Qt::Key_Tab:
      if (completion_->chosen().isEmpty()) completion_->step(1);
      take();
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (completion_->chosen().isEmpty()) return completion_->hide(), false;
      take();
      return true;
    default: return false;
  }
}

// A new line stands as far in as the one that it comes from, behind a bracket further.
void HloEdit::beginLine() {
  const QString before = field_->textCursor().block().text().left(field_->textCursor().positionInBlock());
  qsizetype blanks = 0;
  while (blanks < before.size() && before[blanks] == u' ') ++blanks;
  if (before.endsWith(u'{')) blanks += 2;
  field_->textCursor().insertText(u'\n' + QString(blanks, u' '));
  field_->ensureCursorVisible();
}

}  // namespace tessera
