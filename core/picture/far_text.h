// Titles seen from afar: as large as can be read, as much of them as their box has room for. Used by what paints
// pictures at a scale.
#pragma once

#include <vector>

#include "core/picture/picture.h"

namespace tessera {

// The lines of a text at a zoom: itself from near, and where it has no `room`.
std::vector<PictureItem> seenAt(const PictureItem& text, double zoom);

}  // namespace tessera
