// splitReduction: a program with few results, each of a long reduction, as two: the first reduces blocks of the range
// side by side, the second joins the blocks' results in order. The blocks follow from the shapes alone, so that results
// do not depend on the number of threads. Used by the builders of plans, on programs of element operations.
#pragma once

#include <optional>

#include "backends/codegen/nest/kernel_nest.h"
#include "core/element/element_program.h"
#include "core/element/scalar_math.h"

namespace tessera::codegen {

// The element that changes nothing, as a number; nothing for types and operations that have none.
std::optional<ScalarBits> neutralOf(NodeOp op, ElementType type);

struct SplitReduction {
  ElementProgram blocks;  // operands of the program; results [block, the program's output dimensions …]
  ElementProgram join;    // operands of the program, then the results of `blocks`
};

// Nothing where the program is short, or has enough parallel results as it is.
std::optional<SplitReduction> splitReduction(const ElementProgram& program, const Target& target);
// The same for cards of any size, each block by a block of threads.
std::optional<SplitReduction> splitGridReduction(const ElementProgram& program);

}  // namespace tessera::codegen
