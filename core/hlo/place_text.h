// How a place is written in tables and links.
#pragma once

#include <string>

#include "core/hlo/module.h"

namespace tessera {

// "computation/name"; instructionNamed() (core/tools) leads back from it.
std::string placeText(const Module& module, InstructionId id);

}  // namespace tessera
