// Colours of the layout lab, derived from a QPalette, so that the lab follows any light or dark theme.
#pragma once

#include <QColor>
#include <QPalette>

namespace tessera {

struct LabColors {
  bool dark = false;
  QColor page, panel, text, subtext, faint, line, accent, accentText;
  QColor paddingHatch, tileHatch;  // padded_dimensions; unused tile space
  QColor tileLine;                 // boundaries of tiles
  QColor error;

  // Long dimensions repeat their colours after so many, so that neighbours differ.
  static constexpr int64_t kCycle = 64;

  static LabColors of(const QPalette& palette);
  // Fill of the element at `row` of `rows` and `column` of `columns`: hue tells the row, lightness the column.
  QColor element(int64_t row, int64_t rows, int64_t column, int64_t columns) const;
  // Text that is legible on a fill.
  QColor textOn(const QColor& fill) const;
};

QColor blend(const QColor& a, const QColor& b, double share);  // share 0: a, 1: b

}  // namespace tessera
