// Which element of one memory image is at the position of an element of another, as formulas over indices: the read of
// a bitcast between layouts with tiles or padding. core/hlo/index_math does the same for numbers.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/element/element_builder.h"
#include "core/hlo/shape.h"

namespace tessera {

struct MemoryIndices {
  std::vector<NodeId> at;  // of an element of `from`, in bounds
  NodeId holds;            // false: the place is padding of `from`
};

// The element of `from` at the position of element `at` of `to`; elements of both are equally wide. Fails where a
// layout has no memory image.
Result<MemoryIndices> elementAtSamePlace(ElementBuilder& builder, const Shape& from, const Shape& to,
                                         std::span<const NodeId> at);

}  // namespace tessera
