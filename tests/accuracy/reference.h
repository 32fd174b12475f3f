// The functions in quadruple precision, and the distance of a result from the true value in units in the last place.
#pragma once

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/opcode.h"

namespace tessera::accuracy {

using Quad = __float128;
using ComplexQuad = __complex128;

inline ComplexQuad complexOf(Quad re, Quad im) {
  ComplexQuad out;
  __real__ out = re;
  __imag__ out = im;
  return out;
}

struct Function {
  std::string_view name;  // opcode
  Quad (*real)(Quad);
  ComplexQuad (*complex)(ComplexQuad);  // null: real numbers only
};

struct Function2 {
  std::string_view name;
  Quad (*real)(Quad, Quad);
  ComplexQuad (*complex)(ComplexQuad, ComplexQuad);
};

inline Quad logistic(Quad x) { return 1 / (1 + expq(-x)); }
inline Quad rsqrt(Quad x) { return 1 / sqrtq(x); }
inline ComplexQuad complexLogistic(ComplexQuad z) { return 1 / (1 + cexpq(-z)); }
inline ComplexQuad complexRsqrt(ComplexQuad z) { return 1 / csqrtq(z); }
inline ComplexQuad complexExpm1(ComplexQuad z) {
  const Quad x = crealq(z), y = cimagq(z), half = sinq(y / 2);
  return complexOf(expm1q(x) * cosq(y) - 2 * half * half, expq(x) * sinq(y));
}
inline ComplexQuad complexLog1p(ComplexQuad z) {
  const Quad x = crealq(z), y = cimagq(z);
  return complexOf(log1pq(x * (x + 2) + y * y) / 2, atan2q(y, 1 + x));
}

inline ComplexQuad complexPower(ComplexQuad a, ComplexQuad b) { return cexpq(b * clogq(a)); }
// -i log((x + iy) / sqrt(x² + y²))
inline ComplexQuad complexAtan2(ComplexQuad y, ComplexQuad x) {
  const ComplexQuad i = complexOf(0, 1), log = clogq((x + i * y) / csqrtq(x * x + y * y));
  return complexOf(cimagq(log), -crealq(log));
}

// The rows of scalar_functions.inc that name a reference.
constexpr std::nullptr_t none = nullptr, unmeasured = nullptr;
#define REFERENCE(real, complex) real, complex
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, evaluated, approximation, forms, \
                               reference, ...)                                                                  \
  {nameOf(Opcode::opcode), reference},
inline const Function kUnary[] = {
#include "core/element/scalar_functions.inc"
};
#define REFERENCE(real, complex) real, complex
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, evaluated, approximation, \
                                forms, reference, ...)                                                             \
  {nameOf(Opcode::opcode), reference},
inline const Function2 kBinary[] = {
#include "core/element/scalar_functions.inc"
};
template <class Row>
std::vector<Row> withReference(std::span<const Row> rows) {
  std::vector<Row> out;
  std::ranges::copy_if(rows, std::back_inserter(out), [](const Row& row) { return row.real != nullptr; });
  return out;
}
inline const std::vector<Function> kFunctions = withReference<Function>(kUnary);
inline const std::vector<Function2> kFunctions2 = withReference<Function2>(kBinary);

// Digits and range of a binary float.
struct Format {
  int digits;         // of the significand, the hidden one too
  int leastExponent;  // of the last place of denormals
  Quad greatest;
};

inline Quad ulpAt(Quad value, const Format& format) {
  int exponent = 0;
  frexpq(value, &exponent);
  return ldexpq(1, std::max(exponent - format.digits, format.leastExponent));
}

constexpr double kWrong = 1e30;

// What overflows in the format, rounded to nearest.
inline bool overflows(Quad value, const Format& format) {
  return fabsq(value) >= format.greatest + ulpAt(format.greatest, format) / 2;
}

inline double errorOf(double found, Quad expected, const Format& format) {
  if (isnanq(expected) || std::isnan(found)) return isnanq(expected) && std::isnan(found) ? 0 : kWrong;
  if (std::signbit(found) != (signbitq(expected) != 0) && (found != 0 || expected == 0)) return kWrong;
  if (std::isinf(found) || overflows(expected, format)) {
    // About the greatest number a result may be the neighbour of the right one.
    const Quad other = std::isinf(found) ? fabsq(expected) : static_cast<Quad>(std::fabs(found));
    if (std::isinf(found) && overflows(expected, format)) return 0;
    return other >= format.greatest - 2 * ulpAt(format.greatest, format) ? 1 : kWrong;
  }
  return static_cast<double>(fabsq(static_cast<Quad>(found) - expected) / ulpAt(expected, format));
}

}  // namespace tessera::accuracy
