// See regrow.h. Elements are bytes: what repeats needs no knowledge of types.
#include "core/edit/resized_constant.h"

#include <cstring>

namespace tessera {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 26;

template <class T>
bool counts(const Literal& from, Literal& to) {
  const auto old = from.data<T>();
  if (old.size() < 2) return false;
  const T step = static_cast<T>(old[1] - old[0]);
  for (size_t i = 1; i < old.size(); ++i)
    if (static_cast<T>(old[i] - old[i - 1]) != step) return false;
  auto out = to.mutableData<T>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = i < old.size() ? old[i] : static_cast<T>(out[i - 1] + step);
  return true;
}

bool countsOn(const Literal& from, Literal& to) {
  switch (from.shape().type) {
    case ElementType::S32:
    case ElementType::U32: return counts<uint32_t>(from, to);
    case ElementType::S64:
    case ElementType::U64: return counts<uint64_t>(from, to);
    case ElementType::F32: return counts<float>(from, to);
    case ElementType::F64: return counts<double>(from, to);
    default: return false;
  }
}

// Where an element of the new value comes from: the same place, 0 along what changes.
size_t sourceOf(size_t index, const Shape& from, const Shape& to) {
  size_t source = 0, stride = 1;
  for (size_t d = to.dimensions.size(); d-- > 0;) {
    const auto size = static_cast<size_t>(to.dimensions[d]), old = static_cast<size_t>(from.dimensions[d]);
    const size_t at = index % size;
    index /= size;
    source += (size == old ? at : 0) * stride;
    stride *= old;
  }
  return source;
}

// Whether all elements along the dimensions that change are equal.
bool repeats(const Literal& literal, const Shape& to, size_t width) {
  const Shape& from = literal.shape();
  const auto count = static_cast<size_t>(literal.elementCount());
  const std::byte* bytes = literal.bytes().data();
  for (size_t i = 0; i < count; ++i) {
    size_t rest = i, source = 0, stride = 1;
    for (size_t d = from.dimensions.size(); d-- > 0;) {
      const auto size = static_cast<size_t>(from.dimensions[d]);
      if (from.dimensions[d] == to.dimensions[d]) source += rest % size * stride;
      rest /= size;
      stride *= size;
    }
    if (source != i && std::memcmp(bytes + i * width, bytes + source * width, width) != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Literal> regrown(const Literal& literal, const Shape& shape) {
  const Shape& from = literal.shape();
  const int64_t count = shape.isArray() ? shape.elementCount().value_or(-1) : -1;
  if (!from.isArray() || from.type != shape.type || from.dimensions.size() != shape.dimensions.size() ||
      literal.elided())
    return std::nullopt;
  if (count > kMaxElements || count < 0 || literal.elementCount() == 0) return std::nullopt;
  auto out = Literal::allocate(shape);
  if (!out) return std::nullopt;
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  if (!repeats(literal, shape, width)) {
    if (from.dimensions.size() == 1 && countsOn(literal, *out)) return std::move(*out);
    return std::nullopt;
  }
  std::byte* to = out->mutableBytes().data();
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    std::memcpy(to + i * width, literal.bytes().data() + sourceOf(i, from, shape) * width, width);
  return std::move(*out);
}

}  // namespace tessera
