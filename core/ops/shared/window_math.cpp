// Window arithmetic, for numbers and for nodes.
#include "core/ops/shared/window_math.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/checked_math.h"

namespace tessera {
namespace {

// 1 + (size - 1) · dilation; 0 for nothing.
std::optional<int64_t> dilated(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  const auto span = checkedMul(size - 1, dilation);
  return span ? checkedAdd(*span, 1) : std::nullopt;
}

}  // namespace

std::optional<int64_t> windowPositions(const WindowDimension& window, int64_t size) {
  const auto base = dilated(size, window.baseDilation), span = dilated(window.size, window.windowDilation);
  if (!base || !span) return std::nullopt;
  const auto low = checkedAdd(*base, window.paddingLow);
  const auto padded = low ? checkedAdd(*low, window.paddingHigh) : std::nullopt;
  if (!padded) return std::nullopt;
  if (*padded < *span || *padded <= 0) return 0;
  return (*padded - *span) / window.stride + 1;
}

Status checkWindow(const InferContext& context, const Window& window, std::string_view label) {
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    const WindowDimension& each = window.dimensions[d];
    if (each.size < 1 || each.stride < 1 || each.windowDilation < 1 || each.baseDilation < 1)
      return context.violated(
          label, fmt::format("the window has a size, stride or dilation below 1 in dimension {}", d), "at least 1",
          fmt::format("size {}, stride {}, dilations {} and {}", each.size, each.stride, each.windowDilation,
                      each.baseDilation));
  }
  return {};
}

Window windowOr(const AttributeSet& attributes, size_t rank) {
  if (const Window* window = attributes.get<Window>(Attr::window)) return *window;
  Window out;
  out.dimensions.resize(rank);
  return out;
}

std::vector<int64_t> windowSizes(const Window& window) {
  std::vector<int64_t> out;
  for (const WindowDimension& each : window.dimensions) out.push_back(each.size);
  return out;
}

std::optional<int64_t> windowSource(const WindowDimension& window, int64_t size, int64_t position, int64_t inWindow) {
  const int64_t element = window.reversal ? window.size - 1 - inWindow : inWindow;
  const int64_t at = position * window.stride + element * window.windowDilation - window.paddingLow;
  if (at < 0 || at % window.baseDilation != 0 || at / window.baseDilation >= size) return std::nullopt;
  return at / window.baseDilation;
}

WindowSourceNodes windowSource(ElementBuilder& builder, const WindowDimension& window, int64_t size, NodeId position,
                               NodeId inWindow) {
  NodeId element = inWindow;
  if (window.reversal) element = builder.subtract(builder.index(window.size - 1), inWindow);
  NodeId at = builder.add(builder.multiply(position, builder.index(window.stride)),
                          builder.multiply(element, builder.index(window.windowDilation)));
  at = builder.subtract(at, builder.index(window.paddingLow));
  const int64_t span = size == 0 ? 0 : (size - 1) * window.baseDilation + 1;
  NodeId present = builder.inRange(at, 0, span);
  if (window.baseDilation == 1) return {at, present};
  const NodeId dilation = builder.index(window.baseDilation);
  const NodeId onElement = builder.compare(CompareDirection::Eq, builder.remainder(at, dilation), builder.index(0));
  return {builder.divide(at, dilation), builder.logicalAnd(present, onElement)};
}

WindowReadNodes windowRead(ElementBuilder& builder, const Window& window, std::span<const int64_t> sizes,
                           std::span<const NodeId> position, std::span<const NodeId> inWindow) {
  WindowReadNodes out{{}, builder.constant(ElementType::Pred, 1)};
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    const auto source = windowSource(builder, window.dimensions[d], sizes[d], position[d], inWindow[d]);
    out.indices.push_back(source.index);
    out.present = builder.logicalAnd(out.present, source.present);
  }
  return out;
}

std::pair<int64_t, int64_t> samePadding(int64_t size, const WindowDimension& window) {
  const int64_t reach = (window.size - 1) * window.windowDilation + 1;
  const int64_t base = size > 0 ? (size - 1) * window.baseDilation + 1 : 0;
  const int64_t total =
      size > 0 ? std::max<int64_t>(((base + window.stride - 1) / window.stride - 1) * window.stride + reach - base, 0)
               : reach - 1;
  return {total / 2, total - total / 2};
}

}  // namespace tessera
