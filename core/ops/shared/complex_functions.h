// Complex functions for evaluation, in double precision: the C library's where they are XLA's, else with XLA's values
// for infinities, NaN and zeros of either sign. Used by the elementwise ops and scalar_function.
#pragma once

#include <complex>

namespace tessera {

using Complex128 = std::complex<double>;

double complexSize(Complex128 z);  // NaN when a part is, even beside an infinity
Complex128 complexExp(Complex128 z);
Complex128 complexExpm1(Complex128 z);
Complex128 complexLog(Complex128 z);
Complex128 complexLog1p(Complex128 z);
Complex128 complexLogistic(Complex128 z);
Complex128 complexSqrt(Complex128 z);  // an imaginary -0 counts as 0
Complex128 complexRsqrt(Complex128 z);
Complex128 complexSine(Complex128 z);
Complex128 complexCosine(Complex128 z);
Complex128 complexTan(Complex128 z);
Complex128 complexTanh(Complex128 z);
Complex128 complexSign(Complex128 z);
Complex128 complexPower(Complex128 base, Complex128 exponent);
// By the real parts, of equal ones by the imaginary parts; NaN in either part wins, as with floats.
Complex128 complexMaximum(Complex128 a, Complex128 b);
Complex128 complexMinimum(Complex128 a, Complex128 b);
Complex128 complexAtan2(Complex128 y, Complex128 x);  // -i log((x + iy) / sqrt(x² + y²))

}  // namespace tessera
