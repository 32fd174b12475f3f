// Functions of ours that generated code calls, by name: what has no instruction and no approximation. Scalar, pure.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace tessera::codegen {

// Every (symbol, address) that a JIT must define.
std::vector<std::pair<std::string_view, void*>> runtimeFunctions();

}  // namespace tessera::codegen
