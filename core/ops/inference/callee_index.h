// Which of an instruction's called computations belongs to which attribute: callees are listed in the order in which
// the attributes were written, and a file may write body= before condition=.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/hlo/attributes.h"

namespace tessera {

// Index, among all callees, of the (first) computation of this attribute; nullopt when it is absent.
std::optional<size_t> calleeIndex(const AttributeSet& attributes, Attr name);

// The computations of a conditional in branch order: true before false, whichever was written first; empty when one of
// the two is absent.
std::vector<ComputationId> branchesOf(const AttributeSet& attributes);

}  // namespace tessera
