// PTX text to a module of statements. Bad text is an error that names line and column, what was expected and what was
// found. Whether an instruction exists is not decided here, but where it is decoded.
#pragma once

#include <string>

#include "backends/cuda/simulated/ptx/syntax.h"
#include "core/base/result.h"

namespace tessera::cuda::simulated {

Result<PtxModule> parsePtx(std::string text);

}  // namespace tessera::cuda::simulated
