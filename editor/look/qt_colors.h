// The colours of the window as Qt's, and which theme a palette is of. Used by panels, text views and the theme.
#pragma once

#include <QColor>
#include <QPalette>

#include "editor/look/colors.h"

namespace tessera {

inline QColor colorOf(Ink ink, Theme theme) { return QColor::fromRgb(rgbOf(ink, theme)); }
inline bool isDark(const QPalette& palette) { return palette.color(QPalette::Base).lightness() < 128; }
inline QColor colorOf(Ink ink, const QPalette& palette) {
  return colorOf(ink, isDark(palette) ? Theme::Dark : Theme::Light);
}

}  // namespace tessera
