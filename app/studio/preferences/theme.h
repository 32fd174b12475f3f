// The light and the dark look of the studio: style and palette of the whole application.
#pragma once

#include "core/picture/picture.h"

namespace tessera {

void applyTheme(Theme theme);

}  // namespace tessera
