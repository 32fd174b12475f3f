// Elements in the type that a sum of them is kept in, for `evaluate` functions that reduce, contract and scatter.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/hlo/index_math.h"
#include "core/hlo/literal.h"
#include "core/hlo/numbers.h"

namespace tessera {

// Native element <-> accumulation type: double for floats, uint64_t (exact modulo 2^64) for integers and pred,
// complex<double> for complex.
template <class Acc>
Acc loadAs(ElementType type, const void* data) {
  if constexpr (std::is_same_v<Acc, double>)
    return loadDouble(type, data);
  else if constexpr (std::is_same_v<Acc, uint64_t>)
    return static_cast<uint64_t>(loadInt(type, data));
  else
    return loadComplex(type, data);
}

template <class Acc>
void storeFrom(ElementType type, void* data, Acc value) {
  if constexpr (std::is_same_v<Acc, double>)
    storeDouble(type, data, value);
  else if constexpr (std::is_same_v<Acc, uint64_t>)
    storeInt(type, data, static_cast<int64_t>(value));
  else
    storeComplex(type, data, value);
}

// The type that kernels keep a sum of elements of this type in.
inline ElementType accumulatorType(ElementType type) {
  return isFloat(type) && info(type).bits < 32 ? ElementType::F32 : type;
}

inline double realOf(double x) { return x; }
inline double realOf(std::complex<double> x) { return x.real(); }
inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }

// All elements of a literal in the accumulation type.
template <class Acc>
std::vector<Acc> elementsAs(const Literal& literal) {
  const ElementType type = literal.shape().type;
  const int width = byteWidth(type);
  const std::byte* data = literal.bytes().data();
  std::vector<Acc> out(static_cast<size_t>(literal.elementCount()));
  if constexpr (std::is_same_v<Acc, double>) {
    if (type == ElementType::F32) {
      const auto source = literal.data<float>();
      for (size_t i = 0; i < out.size(); ++i) out[i] = source[i];
      return out;
    }
  }
  for (size_t i = 0; i < out.size(); ++i) out[i] = loadAs<Acc>(type, data + i * static_cast<size_t>(width));
  return out;
}

// Calls fn(TypeTag<Acc>{}) with the accumulation type that holds both element types.
template <class Fn>
decltype(auto) visitAccumulation(ElementType a, ElementType b, Fn&& fn) {
  if (isComplex(a) || isComplex(b)) return fn(TypeTag<std::complex<double>>{});
  if (isFloat(a) || isFloat(b)) return fn(TypeTag<double>{});
  return fn(TypeTag<uint64_t>{});
}

}  // namespace tessera
