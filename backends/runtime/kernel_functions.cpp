// See kernel_functions.h.
#include "backends/runtime/kernel_functions.h"

#include <cmath>
#include <complex>

#include "core/element/scalar_values.h"
#include "core/hlo/numbers.h"

namespace {

namespace scalar = tessera::scalar;

TesseraComplex partsOf(std::complex<double> z) { return {z.real(), z.imag()}; }

}  // namespace

extern "C" {
#define TESSERA_KERNEL_FUNCTION(result, name, parameters, value) \
  result tessera_##name parameters { return value; }
#include "backends/runtime/kernel_functions.inc"
#undef TESSERA_KERNEL_FUNCTION
}
