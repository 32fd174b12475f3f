// One node of an element program again in another one: for passes that copy a program and change some of its nodes.
// Used by functions that split or join programs.
#pragma once

#include <span>

#include "core/element/element_builder.h"

namespace tessera {

// Over other inputs. Not of nodes that belong to a loop, and OutputIndex unchanged.
NodeId copyNode(ElementBuilder& builder, const Node& node, std::span<const NodeId> in);

}  // namespace tessera
