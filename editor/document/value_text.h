// A value as text: small ones in full, of large ones the first elements and a summary. Linear in the value, so the
// worker that ran the module makes it.
#pragma once

#include <QString>

#include "core/hlo/literal.h"

namespace tessera {

QString valueText(const Literal& value);

}  // namespace tessera
