// Round numbers: the distance between the marks of an axis, the end of a scale. Used by views of the timeline and of
// values.
#pragma once

#include <cmath>

namespace tessera {

// 1, 2 or 5 of a power of ten; at least `least`, which is above 0.
inline double roundStep(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (double step : {1.0, 2.0, 5.0})
    if (step * power >= least) return step * power;
  return 10 * power;
}

}  // namespace tessera
