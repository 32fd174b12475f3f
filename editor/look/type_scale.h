// The type scale: four sizes, all of them by the size that the user chose. Used by what draws or shows words.
#pragma once

#include <QApplication>
#include <QFont>
#include <QString>
#include <functional>

class QWidget;

namespace tessera {

enum class TypeSize { Small, Body, Heading, Title };

inline double factorOf(TypeSize size) {
  switch (size) {
    case TypeSize::Small: return 0.9;
    case TypeSize::Body: return 1;
    case TypeSize::Heading: return 1.3;
    case TypeSize::Title: return 2;
  }
  return 1;
}

inline QFont sized(QFont font, TypeSize size) {
  font.setPointSizeF(QApplication::font().pointSizeF() * factorOf(size));
  return font;
}

// For rich text.
inline QString pointsOf(TypeSize size) {
  return QStringLiteral("%1pt").arg(QApplication::font().pointSizeF() * factorOf(size), 0, 'f', 1);
}

// The fixed-width font for code, in the size of body text.
QFont monoFont();

// Sets the font that `make` returns, now and whenever the user changes the font size.
void keepFont(QWidget& widget, const std::function<QFont()>& make);

}  // namespace tessera
