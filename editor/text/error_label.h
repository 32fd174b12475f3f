// The colour of errors in panels, and a label for one error. Used by forms, tables and the text editor.
#pragma once

#include <QEvent>
#include <QPalette>

#include "editor/look/qt_colors.h"
#include "editor/text/plain_text.h"

namespace tessera {

inline QColor errorColor(const QPalette& palette) { return colorOf(Ink::Error, palette); }

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
    keepHeight();
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    PlainLabel::resizeEvent(event);
    keepHeight();
  }
  void changeEvent(QEvent* event) override {
    PlainLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) setColor();  // another theme
  }

 private:
  // Layouts within forms give a label that wraps the height that it had before it spoke.
  void keepHeight() {
    const int needed = text().isEmpty() ? 0 : heightForWidth(width());
    if (minimumHeight() != needed) setMinimumHeight(needed);
  }
  void setColor() {
    QPalette colors = palette();
    const QColor color = errorColor(colors);
    if (colors.color(QPalette::WindowText) == color) return;
    colors.setColor(QPalette::WindowText, color);
    setPalette(colors);
  }
};

}  // namespace tessera
