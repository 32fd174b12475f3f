// A Picture as PDF and as PNG, painted by cairo. Text is set in DejaVu Sans, glyph by glyph without kerning, as the
// tables of core/arrange measure it. Used by `tessera render` and the
// studio's export.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/picture/picture.h"

namespace tessera {

// One page of the picture's size (scaled down to 14,400 points a side, the largest page that viewers open).
Result<std::string> toPdf(const Picture& picture, Theme theme, const std::string& title);
// `scale` pixels a unit. What is too small to be read at this scale is left out, as on the canvas. Painted tile by
// tile, so that memory does not grow with the height; ErrorKind::Usage where a side is longer than a PNG may be.
Result<std::string> toPng(const Picture& picture, Theme theme, double scale);

}  // namespace tessera
