// What a new instruction's attributes are before the user sets them, from its attribute rows and operand shapes.
// Used by performer.cpp.
#pragma once

#include <vector>

#include "core/edit/edit.h"

namespace tessera {

// Those that the instruction lacks and that can be derived: required ones, and the few without which an op does
// something that is rarely meant (a dot that contracts nothing). Nothing while an input is open.
std::vector<NewAttribute> defaultAttributes(const Module& module, InstructionId id);

}  // namespace tessera
