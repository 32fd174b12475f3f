// The loops that `evaluate` functions share: elements of any type widened to double, int64 or complex, one function
// applied to each, and narrowed back with one rounding; and loops that only move elements. With these an op file
// gives its scalar function or its index map and never switches over types. Used by the op files.
#pragma once

#include <complex>
#include <cstring>
#include <span>
#include <tuple>
#include <vector>

#include "core/hlo/index_math.h"
#include "core/hlo/literal.h"
#include "core/hlo/numbers.h"
#include "core/ops/op.h"

namespace tessera {

// Elements [first, first + to.size()) of an array literal, widened: floats exactly, integers as 64 bits (unsigned
// zero-extended), pred 0 or 1. Floats as int64 truncate with saturation; complex as double is the real part.
void loadElements(const Literal& from, int64_t first, std::span<double> to);
void loadElements(const Literal& from, int64_t first, std::span<int64_t> to);
void loadElements(const Literal& from, int64_t first, std::span<std::complex<double>> to);
// The way back: floats rounded once, integers wrapped from int64 and saturated from double, pred is "not zero".
void storeElements(Literal& to, int64_t first, std::span<const double> from);
void storeElements(Literal& to, int64_t first, std::span<const int64_t> from);
void storeElements(Literal& to, int64_t first, std::span<const std::complex<double>> from);

// Every element of an integer literal.
std::vector<int64_t> intsOf(const Literal& literal);

// Result element i = fn(operand 0 element i, operand 1 element i, …). A scalar operand beside a larger result is used
// for every element.
template <class Out, class... In, class Fn>
Result<Literal> mapElements(const EvaluateContext& context, const Fn& fn) {
  constexpr int64_t kChunk = 4096;
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  const int64_t count = out.elementCount();
  std::tuple<std::vector<In>...> inputs{std::vector<In>(kChunk)...};
  std::vector<Out> results(kChunk);
  for (int64_t first = 0; first < count; first += kChunk) {
    if (isCancelled(context)) return failCancelled();
    const auto size = static_cast<size_t>(std::min(kChunk, count - first));
    auto load = [&](size_t operand, auto& chunk) {
      const Literal& from = context.operands[operand];
      using Wide = std::remove_reference_t<decltype(chunk[0])>;
      if (from.elementCount() == count) return loadElements(from, first, std::span<Wide>(chunk.data(), size));
      loadElements(from, 0, std::span<Wide>(chunk.data(), 1));
      std::fill(chunk.begin() + 1, chunk.end(), chunk[0]);
    };
    std::apply(
        [&](auto&... chunks) {
          size_t operand = 0;
          (load(operand++, chunks), ...);
          for (size_t i = 0; i < size; ++i) results[i] = fn(chunks[i]...);
        },
        inputs);
    storeElements(out, first, std::span<const Out>(results.data(), size));
  }
  return out;
}

// Copies one element of `width` bytes.
inline void copyElement(std::byte* to, int64_t toIndex, const std::byte* from, int64_t fromIndex, size_t width) {
  std::memcpy(to + static_cast<size_t>(toIndex) * width, from + static_cast<size_t>(fromIndex) * width, width);
}

// Result element at `index` = element sourceOf(index) (a row-major position) of `source`.
template <class Fn>
Result<Literal> moveElements(const EvaluateContext& context, const Literal& source, const Fn& sourceOf) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  const auto width = static_cast<size_t>(byteWidth(context.shape.type));
  const std::byte* from = source.bytes().data();
  std::byte* to = out.mutableBytes().data();
  const bool finished = forEachIndex(context.shape.dimensions, [&](std::span<const int64_t> index, int64_t linear) {
    copyElement(to, linear, from, sourceOf(index), width);
    return (linear & 0xfffff) != 0xfffff || !isCancelled(context);
  });
  if (!finished) return failCancelled();
  return out;
}

}  // namespace tessera
