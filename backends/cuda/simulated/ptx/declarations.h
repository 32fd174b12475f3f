// Variables of PTX: of a module, a function or a scope, and the parameters of functions. Used by the parser.
#pragma once

#include <vector>

#include "backends/cuda/simulated/ptx/syntax.h"
#include "backends/cuda/simulated/ptx/token_reader.h"

namespace tessera::cuda::simulated {

// Behind ".global" and the like: attributes, type, names with sizes and initial values, and the semicolon.
std::vector<Variable> parseVariables(TokenReader& reader, Space space, bool isExternal);
// "(.param .b32 a, .param .align 8 .b8 b[16])", or nothing at all.
std::vector<Variable> parseParameters(TokenReader& reader);
// Behind ".reg": type, names or ranges, and the semicolon.
std::vector<RegisterRange> parseRegisters(TokenReader& reader);

}  // namespace tessera::cuda::simulated
