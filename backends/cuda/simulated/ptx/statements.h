// The body of a PTX function: scopes, labels, registers, instructions with their operands. Used by the parser.
#pragma once

#include "backends/cuda/simulated/ptx/syntax.h"
#include "backends/cuda/simulated/ptx/token_reader.h"

namespace tessera::cuda::simulated {

void parseBody(TokenReader& reader, Function& function);

}  // namespace tessera::cuda::simulated
