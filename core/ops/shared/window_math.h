// Sliding windows: what reduce-window, select-and-scatter and convolution share. Along one dimension the base is
// dilated (base_dilation), padded (possibly by negative amounts), and a dilated window steps over it by `stride`.
#pragma once

#include <optional>
#include <utility>

#include "core/ops/op.h"
#include "core/ops/shared/element_context.h"

namespace tessera {

// Positions of the window along one dimension of `size` elements; nullopt on overflow.
std::optional<int64_t> windowPositions(const WindowDimension& window, int64_t size);
// The padding before and behind that gives ceil(size / stride) positions, as for "same": the odd one is behind.
// size: of the base before its dilation; 0: not known, then as if the stride were 1.
std::pair<int64_t, int64_t> samePadding(int64_t size, const WindowDimension& window);
// Sizes, strides and dilations are positive. Violates `label`.
Status checkWindow(const InferContext& context, const Window& window, std::string_view label);
// The attribute, or a window of ones of the given rank.
Window windowOr(const AttributeSet& attributes, size_t rank);
// Sizes of the window, dimension by dimension.
std::vector<int64_t> windowSizes(const Window& window);

// The element that window position `position` sees through window element `inWindow`; nullopt: padding or a hole.
std::optional<int64_t> windowSource(const WindowDimension& window, int64_t size, int64_t position, int64_t inWindow);

// The same as nodes: an index into the base and whether there is an element.
struct WindowSourceNodes {
  NodeId index, present;
};
WindowSourceNodes windowSource(ElementBuilder& builder, const WindowDimension& window, int64_t size, NodeId position,
                               NodeId inWindow);
// Over all dimensions: indices and the conjunction of the conditions (constant true when nothing can miss).
struct WindowReadNodes {
  std::vector<NodeId> indices;
  NodeId present;
};
WindowReadNodes windowRead(ElementBuilder& builder, const Window& window, std::span<const int64_t> sizes,
                           std::span<const NodeId> position, std::span<const NodeId> inWindow);

}  // namespace tessera
