// What a person took off a page: its boxes and their wires are left out of the view, as if they were not in the
// program.
#pragma once

#include <span>
#include <string>
#include <unordered_set>

#include "core/arrange/arrangement.h"

namespace tessera {

// Removes these boxes with what is in them and beside them, and open groups that hold nothing else.
void leaveOut(GraphView& view, const HiddenBoxes& hidden);

// `hidden` with these boxes, so that they disappear; or with all that is neither one of them, nor in one, nor around
// one, so that they alone are left.
HiddenBoxes withHidden(const GraphView& view, HiddenBoxes hidden, std::span<const int32_t> boxes);
HiddenBoxes withAllHiddenBut(const GraphView& view, HiddenBoxes hidden, std::span<const int32_t> boxes);

}  // namespace tessera
