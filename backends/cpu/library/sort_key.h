// SortKey: a comparator `f(a) < f(b)` as a number for each element whose unsigned order is the comparator's, so that
// rows are sorted by digits instead of by calls. Used by planSort.
#pragma once

#include <optional>
#include <span>

#include "backends/runtime/sort/radix_sort_step.h"
#include "core/element/element_program.h"

namespace tessera::cpu {

struct SortKey {
  // Results over the operands' dimensions. 32-bit keys: one U64, key · 2³² + payload, or the U32 key without one.
  // 64-bit keys: the U64 key alone, the payload is the index.
  ElementProgram items;
  bool isWide = false;
};

// An operand of 32-bit elements that the comparator orders by all of their bits: equal keys are equal elements.
struct RecoverableOperand {
  int operand = -1;
  KeyForm form;
};
std::optional<RecoverableOperand> operandRecoverableFromKey(const ElementProgram& comparator,
                                                            std::span<const Shape> operands);

// comparator: composeScalar's program, operands a₀ b₀ a₁ b₁ …. nullopt: not of that form, or a type without
// such keys. Comparisons of floats that order NaN by no rule put it first or last.
std::optional<SortKey> sortKeyOf(const ElementProgram& comparator, std::span<const Shape> operands, int64_t dimension,
                                 SortPayload payload);

}  // namespace tessera::cpu
