// See compare.h.
#include "core/evaluate/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

// Below this XLA:CPU gives zero.
double smallestNormal(ElementType type) {
  switch (type) {
    case ElementType::F16: return 0x1p-14;
    case ElementType::BF16:
    case ElementType::F32:
    case ElementType::C64: return std::numeric_limits<float>::min();
    case ElementType::F64:
    case ElementType::C128: return std::numeric_limits<double>::min();
    default: return 0;
  }
}

double magnitude(ElementType type, const std::byte* at) {
  return isComplex(type) ? std::abs(loadComplex(type, at)) : std::fabs(loadDouble(type, at));
}

// What an element's error is held against: rtol·|expected| + absolute.
struct Allowed {
  double rtol = 0, absolute = 0;
};

struct ElementError {
  bool equal = true;
  double absolute = 0, relative = 0, share = 0;
};

// Of values that cannot be subtracted: NaN or an infinity on one side.
ElementError unlike() {
  const double nan = std::nan("");
  return {false, nan, nan, std::numeric_limits<double>::infinity()};
}

ElementError finiteError(double absolute, double size, Allowed allowed) {
  if (absolute == 0) return {};
  const double bound = allowed.absolute + allowed.rtol * size;
  return {absolute <= bound, absolute, size == 0 ? 0 : absolute / size,
          bound == 0 ? std::numeric_limits<double>::infinity() : absolute / bound};
}

ElementError realError(double expected, double found, Allowed allowed) {
  if (expected == found || (std::isnan(expected) && std::isnan(found))) return {};
  if (!std::isfinite(expected) || !std::isfinite(found)) return unlike();
  return finiteError(std::fabs(expected - found), std::fabs(expected), allowed);
}

bool isFinite(std::complex<double> value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

ElementError complexError(std::complex<double> expected, std::complex<double> found, Allowed allowed) {
  if (isFinite(expected) && isFinite(found))
    return finiteError(std::abs(expected - found), std::abs(expected), allowed);
  const ElementError re = realError(expected.real(), found.real(), allowed),
                     im = realError(expected.imag(), found.imag(), allowed);
  return {re.equal && im.equal, std::fmax(re.absolute, im.absolute), std::fmax(re.relative, im.relative),
          std::fmax(re.share, im.share)};
}

ElementError integerError(ElementType type, int64_t expected, int64_t found) {
  const bool isUnsignedType = isUnsigned(type) || type == ElementType::Pred;
  const auto asDouble = [&](int64_t v) {
    return isUnsignedType ? static_cast<double>(static_cast<uint64_t>(v)) : static_cast<double>(v);
  };
  if (expected == found) return {};
  ElementError out =
      finiteError(std::fabs(asDouble(expected) - asDouble(found)), std::fabs(asDouble(expected)), Allowed{});
  out.equal = false;  // also where both are one number in double precision
  return out;
}

ElementError elementError(ElementType type, const std::byte* expected, const std::byte* found, Allowed allowed) {
  if (isComplex(type)) return complexError(loadComplex(type, expected), loadComplex(type, found), allowed);
  if (isFloat(type)) return realError(loadDouble(type, expected), loadDouble(type, found), allowed);
  return integerError(type, loadInt(type, expected), loadInt(type, found));
}

// The larger one, NaN counting as largest.
void raise(double& worst, double value) {
  if (!(value <= worst)) worst = std::isnan(worst) ? worst : value;
}

Comparison differing(std::string what) {
  Comparison out;
  out.equal = false;
  out.mismatches = 1;
  out.worstShare = std::numeric_limits<double>::infinity();
  out.firstMismatch = std::move(what);
  return out;
}

Comparison compareTuples(const Literal& expected, const Literal& found, Tolerance tolerance, const std::string& name) {
  const size_t count = expected.elements().size();
  if (count != found.elements().size())
    return differing(fmt::format("{}: expected {} elements, found {}", name, count, found.elements().size()));
  Comparison out;
  for (size_t i = 0; i < count; ++i)
    out.add(compareLiterals(expected.elements()[i], found.elements()[i], tolerance, fmt::format("{}.{}", name, i)));
  return out;
}

Comparison compareArrays(const Literal& expected, const Literal& found, Tolerance tolerance, const std::string& name) {
  Comparison out;
  const ElementType type = expected.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  const Allowed allowed{tolerance.rtol, allowedAtScale(type, tolerance, scaleOf(expected))};
  for (size_t at = 0; at + width <= expected.bytes().size(); at += width) {
    const std::byte *e = expected.bytes().data() + at, *f = found.bytes().data() + at;
    const ElementError error = elementError(type, e, f, allowed);
    raise(out.maxAbsError, error.absolute);
    raise(out.maxRelError, error.relative);
    raise(out.worstShare, error.share);
    if (error.equal || out.mismatches++ > 0) continue;
    out.firstMismatch =
        fmt::format("{}{}: expected {}, found {}", name, indexText(expected.shape(), static_cast<int64_t>(at / width)),
                    valueText(type, e), valueText(type, f));
  }
  out.equal = out.mismatches == 0;
  return out;
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

double allowedAtScale(ElementType type, Tolerance tolerance, double scale) {
  if (tolerance.isExact()) return 0;
  return std::max({tolerance.atol * scale, tolerance.floor, smallestNormal(type)});
}

double scaleOf(const Literal& literal) {
  const ElementType type = literal.shape().type;
  if (!isFloat(type) && !isComplex(type)) return 0;
  const auto width = static_cast<size_t>(byteWidth(type));
  double out = 0;
  for (size_t at = 0; at + width <= literal.bytes().size(); at += width)
    if (const double size = magnitude(type, literal.bytes().data() + at); std::isfinite(size))
      out = std::max(out, size);
  return out;
}

void Comparison::add(const Comparison& other) {
  raise(maxAbsError, other.maxAbsError);
  raise(maxRelError, other.maxRelError);
  raise(worstShare, other.worstShare);
  if (equal && !other.equal) firstMismatch = other.firstMismatch;
  equal = equal && other.equal;
  mismatches += other.mismatches;
}

Comparison compareLiterals(const Literal& expected, const Literal& found, Tolerance tolerance,
                           const std::string& name) {
  if (!compatible(expected.shape(), found.shape()))
    return differing(fmt::format("{}: expected shape {}, found {}", name, toString(expected.shape(), false),
                                 toString(found.shape(), false)));
  if (isArrayElement(expected.shape().type)) return compareArrays(expected, found, tolerance, name);
  return compareTuples(expected, found, tolerance, name);
}

}  // namespace tessera
