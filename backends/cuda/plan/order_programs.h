// OrderPrograms: sorting along one dimension as element programs, for any comparator: an order (a permutation of
// places, u32) of short runs by counting what comes before each element, then passes that merge two runs into one, each
// element finding its place in the other run by halving; at last the elements are gathered. Stable.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/element/element_builder.h"

namespace tessera::cuda {

struct OrderPrograms {
  LoopProgram runs;                 // operands: the arrays; output: the order of each run
  std::vector<LoopProgram> merges;  // operands: the arrays, the order before; output: the order after
  LoopProgram gather;               // operands: the arrays, the order; outputs: their first `kept` elements each
};

// What alone decides which element comes first: by value, floats in total order.
struct OrderKey {
  NodeId value;
  bool isDescending = false;
};

struct OrderRequest {
  std::vector<Shape> operands;  // arrays of equal dimensions
  int64_t dimension = 0, kept = 0;
  bool givesPlaces = false;  // `gather` has one more output: the places, s32
  // Whether the first of two elements, a value of each array, comes before the second.
  std::function<Result<NodeId>(ElementBuilder& builder, std::span<const NodeId> first, std::span<const NodeId> second)>
      before;
  // Of an element, a value of each array; none where `before` decides otherwise.
  std::function<std::optional<OrderKey>(ElementBuilder& builder, std::span<const NodeId> element)> key;
};

Result<OrderPrograms> orderProgramsOf(const OrderRequest& request);
LoopProgram gatherProgramOf(const OrderRequest& request);  // OrderPrograms::gather

}  // namespace tessera::cuda
