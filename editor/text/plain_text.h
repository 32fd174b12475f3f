// Text out of a file, shown as it is. Labels and tooltips of Qt take what looks like HTML for rich text, so that a name
// such as `<img src=…>` would load a picture. Used wherever a name, a path or a message is shown;
// tests/lint/plain_text.sh holds it.
#pragma once

#include <QLabel>
#include <QString>

namespace tessera {

class PlainLabel : public QLabel {
 public:
  explicit PlainLabel(QWidget* parent) : PlainLabel(QString(), parent) {}
  PlainLabel(const QString& text, QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setText(text);
  }
};

// What a panel says while it has nothing to show: over it, in the middle, in the way of nothing.
class EmptyLabel : public PlainLabel {
 public:
  EmptyLabel(const QString& text, QWidget* parent) : PlainLabel(text, parent) {
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setEnabled(false);
    setAttribute(Qt::WA_TransparentForMouseEvents);
  }
};

// For tooltips and message boxes, which guess: rich text that reads as the text, where they would guess wrongly.
inline QString asPlainText(const QString& text) {
  return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

}  // namespace tessera
