// Powers and angles of complex numbers: functions of two complex numbers that no formula in the numbers' own precision
// gives to a few units in the last place. Constant folding, interpretation and compiled code call them.
#pragma once

#include <complex>

namespace tessera {

// e^(w ln z); 0^0 is 1, 0^w is 0 for real w > 0 and NaN for others; powers of 1 are 1, real ones of inf are
// those of a real number.
std::complex<double> powerOf(std::complex<double> z, std::complex<double> w);
std::complex<float> powerOf(std::complex<float> z, std::complex<float> w);
// -i ln((x + iy) / sqrt(x² + y²))
std::complex<double> angleOf(std::complex<double> y, std::complex<double> x);

}  // namespace tessera
