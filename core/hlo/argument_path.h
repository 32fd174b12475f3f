// What the traced program calls a parameter of the entry.
#pragma once

#include <string>

#include "core/hlo/module.h"

namespace tessera {

// Its path in the program's arguments, as jax writes it: s[0].mu['wte']. From op_name, else from the name that jax
// makes of a path (s_0__mu__wte__.1), else its name. "…" begins one whose beginning is lost.
std::string argumentPath(const Instruction& parameter);

// The argument that a path is a part of: "s".
std::string argumentOf(const std::string& path);

}  // namespace tessera
