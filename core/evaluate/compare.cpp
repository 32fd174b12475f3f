// Comparison of two values element by element: |expected - found| <= atol + rtol·|expected|; NaN equals NaN, equal
// infinities are equal; integers and predicates compare exactly.
#include <fmt/format.h>

#include <cmath>

#include "core/evaluate/evaluate.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

std::string indexText(const Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.dimensions.size());
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = linear % shape.dimensions[d];
    linear /= shape.dimensions[d];
  }
  return fmt::format("[{}]", fmt::join(index, ","));
}

std::string valueText(ElementType type, const std::byte* at) {
  if (isComplex(type)) {
    std::complex<double> value = loadComplex(type, at);
    return fmt::format("({}, {})", value.real(), value.imag());
  }
  if (isFloat(type)) return fmt::format("{}", loadDouble(type, at));
  if (isUnsigned(type)) return fmt::format("{}", static_cast<uint64_t>(loadInt(type, at)));
  return fmt::format("{}", loadInt(type, at));
}

struct ElementError {
  bool equal = true;
  double absolute = 0, relative = 0;
};

ElementError realError(double expected, double found, Tolerance tolerance) {
  if (std::isnan(expected) || std::isnan(found)) {
    bool equal = std::isnan(expected) && std::isnan(found);
    return {equal, equal ? 0 : std::nan(""), equal ? 0 : std::nan("")};
  }
  if (expected == found) return {};
  double absolute = std::fabs(expected - found);
  double relative = expected == 0 ? 0 : absolute / std::fabs(expected);
  bool close = std::isfinite(expected) && std::isfinite(found) &&
               absolute <= tolerance.atol + tolerance.rtol * std::fabs(expected);
  return {close, absolute, std::isfinite(relative) ? relative : absolute};
}

ElementError complexError(std::complex<double> expected, std::complex<double> found, Tolerance tolerance) {
  bool finite = std::isfinite(expected.real()) && std::isfinite(expected.imag()) && std::isfinite(found.real()) &&
                std::isfinite(found.imag());
  if (finite) {
    double absolute = std::abs(expected - found), size = std::abs(expected);
    return {absolute <= tolerance.atol + tolerance.rtol * size, absolute, size == 0 ? 0 : absolute / size};
  }
  ElementError re = realError(expected.real(), found.real(), tolerance),
               im = realError(expected.imag(), found.imag(), tolerance);
  return {re.equal && im.equal, std::fmax(re.absolute, im.absolute), std::fmax(re.relative, im.relative)};
}

ElementError integerError(ElementType type, int64_t expected, int64_t found, Tolerance tolerance) {
  if (expected == found) return {};
  bool isUnsignedType = isUnsigned(type) || type == ElementType::Pred;
  auto asDouble = [&](int64_t v) {
    return isUnsignedType ? static_cast<double>(static_cast<uint64_t>(v)) : static_cast<double>(v);
  };
  double size = std::fabs(asDouble(expected)), absolute = std::fabs(asDouble(expected) - asDouble(found));
  bool close = tolerance.atol + tolerance.rtol > 0 && absolute <= tolerance.atol + tolerance.rtol * size;
  return {close, absolute, size == 0 ? 0 : absolute / size};
}

ElementError elementError(ElementType type, const std::byte* expected, const std::byte* found, Tolerance tolerance) {
  if (isComplex(type)) return complexError(loadComplex(type, expected), loadComplex(type, found), tolerance);
  if (isFloat(type)) return realError(loadDouble(type, expected), loadDouble(type, found), tolerance);
  return integerError(type, loadInt(type, expected), loadInt(type, found), tolerance);
}

// The larger one, NaN counting as largest.
void raise(double& worst, double value) {
  if (!(value <= worst)) worst = std::isnan(worst) ? worst : value;
}

}  // namespace

Tolerance defaultTolerance(ElementType type) {
  switch (type) {
    case ElementType::F32:
    case ElementType::C64: return {2e-3, 1e-4};
    case ElementType::F64:
    case ElementType::C128: return {1e-9, 1e-12};
    case ElementType::F16:
    case ElementType::BF16: return {3e-2, 1e-2};
    default: return {};
  }
}

Comparison compareLiterals(const Literal& expected, const Literal& found, Tolerance tolerance,
                           const std::string& name) {
  Comparison out;
  if (!compatible(expected.shape(), found.shape())) {
    out.equal = false;
    out.mismatches = 1;
    out.firstMismatch = fmt::format("{}: expected shape {}, found {}", name, toString(expected.shape(), false),
                                    toString(found.shape(), false));
    return out;
  }
  const ElementType type = expected.shape().type;
  if (!isArrayElement(type)) return out;
  const size_t width = static_cast<size_t>(byteWidth(type));
  for (size_t at = 0; at + width <= expected.bytes().size(); at += width) {
    const std::byte *e = expected.bytes().data() + at, *f = found.bytes().data() + at;
    ElementError error = elementError(type, e, f, tolerance);
    raise(out.maxAbsError, error.absolute);
    raise(out.maxRelError, error.relative);
    if (error.equal) continue;
    if (out.mismatches++ == 0)
      out.firstMismatch = fmt::format("{}{}: expected {}, found {}", name,
                                      indexText(expected.shape(), static_cast<int64_t>(at / width)), valueText(type, e),
                                      valueText(type, f));
  }
  out.equal = out.mismatches == 0;
  return out;
}

}  // namespace tessera
