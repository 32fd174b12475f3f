// RadixPlans: the order of long lines of memory by radix sort (codegen/grid/grid_radix), where one key decides it.
#pragma once

#include <optional>
#include <span>

#include "backends/cuda/plan/order_programs.h"
#include "backends/cuda/plan/plan_draft.h"
#include "core/element/element_program.h"

namespace tessera::cuda {

// The key of a comparator that compares the same function of either element: integers, or floats in total order or by
// value (NaN, which has no place there, is then ordered by its bits). Operands 2k and 2k + 1 are the elements of array
// k.
std::optional<OrderKey> keyOfComparator(ElementBuilder& builder, const ElementProgram& comparator,
                                        std::span<const NodeId> element);

struct RadixKeys {
  LoopProgram program;  // operands: the arrays; output: unsigned keys, u32 or u64, in the order of the elements
  unsigned bits = 0;    // of a key, that differ
};

// None where lines are short or not along memory, or no key alone decides the order.
std::optional<RadixKeys> radixKeysOf(const OrderRequest& request);
// The slot of the order: places in a line, u32.
Result<int> planRadixOrder(PlanDraft& draft, const Instruction& instruction, const OrderRequest& request,
                           RadixKeys keys, Steps& out);

}  // namespace tessera::cuda
