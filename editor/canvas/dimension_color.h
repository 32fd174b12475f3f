// The colour of a dimension in panels, from their palette, and its legend. Uses core/edit/sizes/dimension_hues; used by
// the inspector, layout lab, attributes, values and tooltips.
#pragma once

#include <QCoreApplication>
#include <QPalette>
#include <QString>
#include <QStringList>
#include <span>
#include <vector>

#include "core/edit/sizes/dimension_hues.h"
#include "editor/canvas/render.h"

namespace tessera {

inline Theme themeOf(const QPalette& palette) {
  return palette.color(QPalette::Base).lightness() < 128 ? Theme::Dark : Theme::Light;
}
inline QColor dimensionColor(int hue, const QPalette& palette) { return toQColor(hueRole(hue), themeOf(palette)); }
// Plain text's colour where nothing is known of the dimension.
inline QColor dimensionColor(std::span<const DimensionHue> dimensions, size_t d, const QPalette& palette) {
  return d < dimensions.size() ? dimensionColor(dimensions[d].hue, palette) : palette.color(QPalette::Text);
}
inline QString letterOf(std::span<const DimensionHue> dimensions, size_t d) {
  return d < dimensions.size() ? QString::fromStdString(dimensions[d].letter) : QString();
}

// "B = 32 × i = 128" in their hues; empty where nothing is known.
inline QString legendOf(std::span<const DimensionHue> dimensions, std::span<const int64_t> sizes,
                        const QPalette& palette) {
  QStringList out;
  for (size_t d = 0; d < dimensions.size() && d < sizes.size(); ++d)
    out << QStringLiteral("<span style='color:%1'><b>%2</b> = %3</span>")
               .arg(dimensionColor(dimensions[d].hue, palette).name(),
                    QString::fromStdString(dimensions[d].letter).toHtmlEscaped(),
                    sizes[d] < 0 ? QStringLiteral("?") : QString::number(sizes[d]));
  return out.join(QStringLiteral(" × "));
}

}  // namespace tessera
