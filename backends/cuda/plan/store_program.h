// StoreProgram: a LoopProgram from an ElementBuilder whose nodes say what is stored where. For programs of this backend
// that no operation describes: sorting, prefix sums.
#pragma once

#include <span>
#include <vector>

#include "core/element/element_builder.h"

namespace tessera::cuda {

// The builder's iteration space, of which `parallel` leading dimensions are independent; no output has a beginning.
// Approximations are expanded.
LoopProgram storeProgram(ElementBuilder& builder, std::vector<Shape> outputs, std::vector<Store> stores,
                         int64_t parallel);

// A program over scalars (a comparator, a combiner) for values of another one: operand i is values[i]. Unsupported
// where it holds loops.
Result<NodeId> applyScalarProgram(ElementBuilder& builder, const ElementProgram& program,
                                  std::span<const NodeId> values);

}  // namespace tessera::cuda
