// Ports of a view's boxes, and what is told of inputs. Used by view.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/arrange/arrangement.h"

namespace tessera {

// The operand's name in the table of operations; "input 2" where it has none.
std::string inputName(const Instruction& user, int32_t operand);

// "lhs", "init"; of a call the callee's parameter; of what takes any number of one kind: the number.
std::string portName(const Module& module, const Instruction& user, size_t operand,
                     const std::vector<ComputationId>& callees);

ViewPort portOf(const Shape& shape);

// The ports of `own`, which is drawn for `user` alone, and its subtitle where inputs are open. hasPort: of an operand
// that is there.
void setPorts(const Module& module, const Instruction& user, ViewNode& own,
              const std::function<bool(InstructionId)>& hasPort);

// What ViewOptions::sources says of a parameter of the entry; "" of a tuple.
std::string sourceOf(const Module& module, const Instruction& parameter, const std::vector<std::string>& sources);

}  // namespace tessera
