// Ports of a view's boxes, and what is told of inputs. Used by view.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/arrange/arrangement.h"

namespace tessera {

inline constexpr size_t kMostPorts = 64;  // an op with more operands has no ports, and one wire from each box

// The ports of `own`, which is drawn for `user` alone, and its subtitle where inputs are open. hasPort: of an operand
// that is there.
void setPorts(const Module& module, const Instruction& user, ViewNode& own,
              const std::function<bool(InstructionId)>& hasPort);

// The entry of ViewOptions::sources for a parameter of the entry computation; "" for a tuple.
std::string sourceOf(const Module& module, const Instruction& parameter, const std::vector<std::string>& sources);

}  // namespace tessera
