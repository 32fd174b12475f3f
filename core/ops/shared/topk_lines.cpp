// See topk_lines.h.
#include "core/ops/shared/topk_lines.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/ops/shared/evaluate_loops.h"

namespace tessera {
namespace {

// A number that orders like the element: integers themselves, floats by the bits of their double.
uint64_t orderKey(ElementType type, const std::byte* data) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if (!isFloat(type)) {
    const auto bits = static_cast<uint64_t>(loadInt(type, data));
    return isUnsigned(type) ? bits : bits ^ kSign;
  }
  const double value = loadDouble(type, data);
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & kSign ? ~bits : bits | kSign;
}

}  // namespace

Result<Literal> largestOfLines(const EvaluateContext& context, const Literal& operand, int64_t k, bool largest) {
  const ElementType type = operand.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  const auto n = static_cast<size_t>(operand.shape().dimensions.back());
  const auto count = static_cast<size_t>(k);
  const uint64_t flip = largest ? ~uint64_t{0} : 0;
  Shape shape = withoutLayout(operand.shape());
  shape.dimensions.back() = k;
  TESSERA_ASSIGN_OR_RETURN(Literal values, Literal::allocate(shape));
  shape.type = ElementType::S32;
  TESSERA_ASSIGN_OR_RETURN(Literal indices, Literal::allocate(shape));
  std::vector<uint64_t> keys(n);
  std::vector<int32_t> order(n);
  const size_t lines = n == 0 || count == 0 ? 0 : static_cast<size_t>(operand.elementCount()) / n;
  for (size_t line = 0; line < lines; ++line) {
    if (isCancelled(context)) return failCancelled();
    const std::byte* from = operand.bytes().data() + line * n * width;
    for (size_t i = 0; i < n; ++i) keys[i] = orderKey(type, from + i * width) ^ flip;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                      [&](int32_t a, int32_t b) {
                        const uint64_t x = keys[static_cast<size_t>(a)], y = keys[static_cast<size_t>(b)];
                        return x != y ? x < y : a < b;
                      });
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(values.mutableBytes().data() + (line * count + i) * width,
                  from + static_cast<size_t>(order[i]) * width, width);
      indices.mutableData<int32_t>()[line * count + i] = order[i];
    }
  }
  return Literal::tuple({std::move(values), std::move(indices)});
}

}  // namespace tessera
