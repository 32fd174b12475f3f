// The colour of errors in panels, and a label for one error. Used by forms, tables and the text editor.
#pragma once

#include <QColor>
#include <QEvent>
#include <QPalette>

#include "editor/text/plain_text.h"

namespace tessera {

inline bool isDark(const QPalette& palette) { return palette.color(QPalette::Base).lightness() < 128; }
inline QColor errorColor(bool dark) { return dark ? QColor(0xff, 0x8a, 0x80) : QColor(0xb3, 0x26, 0x1e); }
inline QColor errorColor(const QPalette& palette) { return errorColor(isDark(palette)); }

// Hidden while it says nothing.
class ErrorLabel : public PlainLabel {
 public:
  explicit ErrorLabel(QWidget* parent) : PlainLabel(parent) {
    setWordWrap(true);
    setColor();
    hide();
  }
  void say(const QString& error) {
    setText(error);
    setVisible(!error.isEmpty());
  }

 protected:
  void changeEvent(QEvent* event) override {
    PlainLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) setColor();  // another theme
  }

 private:
  void setColor() {
    QPalette colors = palette();
    const QColor color = errorColor(colors);
    if (colors.color(QPalette::WindowText) == color) return;
    colors.setColor(QPalette::WindowText, color);
    setPalette(colors);
  }
};

}  // namespace tessera
