// Common forms of a gather or scatter, each with the dimension numbers that HLO needs for it. Used by the
// defaults of new instructions and by the inspector's form.
#pragma once

#include <string>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

struct IndexWay {
  std::string title;  // "rows along dimension 0"
  std::vector<NewAttribute> attributes;
};

// For an array that is indexed and the indices, in the order in which they are likely meant: rows along each dimension;
// where the last dimension of the indices holds as many numbers as the array has dimensions or fewer, single elements
// or rows at those coordinates. Results have the indices' dimensions where numpy's take has them; updates have them
// first.
std::vector<IndexWay> gatherWays(const Shape& operand, const Shape& indices);
std::vector<IndexWay> scatterWays(const Shape& operand, const Shape& indices);
// The ways of an instruction, gather or scatter, whose operands are wired; empty: it is none, or they are not.
std::vector<IndexWay> indexWays(const Module& module, InstructionId id);

}  // namespace tessera
