// A value as a person reads it: small ones in full, of big ones the first elements and a summary. Linear in the value,
// so it is made by the worker that ran the module.
#pragma once

#include <QString>

#include "core/hlo/literal.h"

namespace tessera {

QString valueText(const Literal& value);

}  // namespace tessera
