// Index maths: dimensions, strides and row-major walks, for everything that counts through the elements of an array.
// Memory with tiles and padding is memory_map.h's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace tessera {

using IndexVector = std::vector<int64_t>;

// Product of dimensions whose array is known to exist (so it cannot overflow).
inline int64_t productOf(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t size : dims) product *= size;
  return product;
}

// Strides in elements for dimensions in this physical order; 0 where one overflows.
inline IndexVector stridesOf(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor) {
  IndexVector strides(dims.size(), 1);
  int64_t stride = 1;
  for (int64_t d : minorToMajor) {
    strides[static_cast<size_t>(d)] = stride;
    if (__builtin_mul_overflow(stride, dims[static_cast<size_t>(d)], &stride)) stride = 0;
  }
  return strides;
}

// The same of a dense array whose last dimension is the minor one.
inline IndexVector rowMajorStrides(std::span<const int64_t> dims) {
  IndexVector strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

inline int64_t linearIndexOf(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t linear = 0;
  for (size_t d = 0; d < index.size(); ++d) linear += index[d] * strides[d];
  return linear;
}

// Calls fn(index) or fn(index, row-major position) for every index in row-major order. Where fn gives a bool, false
// ends the walk; the result is true if the walk was completed.
template <class Fn>
bool forEachIndex(std::span<const int64_t> dims, Fn&& fn) {
  const auto visit = [&](const IndexVector& index, int64_t linear) {
    if constexpr (std::is_invocable_v<Fn&, const IndexVector&, int64_t>)
      return fn(index, linear);
    else
      return fn(index);
  };
  for (int64_t size : dims)
    if (size <= 0) return true;
  IndexVector index(dims.size(), 0);
  for (int64_t linear = 0;; ++linear) {
    if constexpr (std::is_void_v<decltype(visit(index, linear))>)
      visit(index, linear);
    else if (!visit(index, linear))
      return false;
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1]) index[--d] = 0;
    if (d == 0) return true;
  }
}

// --- lists of dimensions

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

}  // namespace tessera
