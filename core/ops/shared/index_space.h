// Index spaces: row-major walks over dimensions and element access for `evaluate` functions. Shared by the ops that
// reduce, contract and scatter; the plain loops of `evaluate` read better without stride arithmetic in them.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/numbers.h"

namespace tessera {

using IndexVector = std::vector<int64_t>;

// Elements that each step in a dimension skips in a dense row-major array.
inline IndexVector denseStrides(std::span<const int64_t> dims) {
  IndexVector strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

// Product of dimensions whose array is known to exist (so it cannot overflow).
inline int64_t cellCount(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  return count;
}

inline int64_t offsetOf(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

// Calls fn(index) for every index of the space in row-major order; where fn gives a bool, until it is false.
template <class Fn>
void walkIndices(std::span<const int64_t> dims, Fn&& fn) {
  for (int64_t d : dims)
    if (d <= 0) return;
  IndexVector index(dims.size(), 0);
  while (true) {
    if constexpr (std::is_same_v<std::invoke_result_t<Fn&, const IndexVector&>, bool>) {
      if (!fn(static_cast<const IndexVector&>(index))) return;
    } else {
      fn(static_cast<const IndexVector&>(index));
    }
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

inline IndexVector pickDims(std::span<const int64_t> dims, std::span<const int64_t> which) {
  IndexVector out;
  for (int64_t d : which) out.push_back(dims[static_cast<size_t>(d)]);
  return out;
}

inline bool containsDim(std::span<const int64_t> dims, int64_t d) {
  for (int64_t each : dims)
    if (each == d) return true;
  return false;
}

// 0 … rank-1 without the dimensions in any of the two lists, ascending.
inline IndexVector otherDims(int64_t rank, std::span<const int64_t> without,
                             std::span<const int64_t> alsoWithout = {}) {
  IndexVector out;
  for (int64_t d = 0; d < rank; ++d)
    if (!containsDim(without, d) && !containsDim(alsoWithout, d)) out.push_back(d);
  return out;
}

// nullopt when every dimension is in [0, rank) and none is named twice; else the first that is not so.
inline std::optional<int64_t> badDimension(std::span<const int64_t> dims, int64_t rank) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] < 0 || dims[i] >= rank || containsDim(dims.first(i), dims[i])) return dims[i];
  return std::nullopt;
}

// --- native element <-> accumulation type: double for floats, uint64_t (exact modulo 2^64) for integers and pred,
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
