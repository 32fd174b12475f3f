// A value as text: small ones in full, of large ones the first elements and a summary. Linear in the value, so the
// worker that ran the module makes it.
#pragma once

#include <QString>
#include <cstdint>

#include "core/hlo/literal.h"

namespace tessera {

QString valueText(const Literal& value);

double numberAt(const Literal& value, int64_t index);  // a complex element's absolute value

// Of all elements, in one pass.
struct ValueSummary {
  int64_t count = 0, nans = 0, infinities = 0, zeros = 0;
  double least = 0, most = 0, mean = 0, deviation = 0;  // of the finite elements; 0 when there are none
  bool anyFinite = false;
};
ValueSummary summaryOf(const Literal& value);

}  // namespace tessera
