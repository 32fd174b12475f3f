// HostProcessor: the processor that kernels are compiled for, as names of LLVM and as the code generator's Target.
// Used by KernelCompiler and the keys of KernelCache.
#pragma once

#include <string>

#include "backends/codegen/nest/kernel_nest.h"

namespace tessera::cpu {

struct HostProcessor {
  std::string name, features;  // "sapphirerapids", "+avx2,+fma,-amx-fp8,…"
  std::string present;         // "avx2,fma,…"
  codegen::Target target;
};

// isa: the widest vectors that may be used: "native", "avx2" or "sse4"; never more than the processor has. Or a level
// of the architecture, "x86-64-v2", "-v3" or "-v4", whatever this processor has.
HostProcessor hostProcessor(const std::string& isa);
bool isLevel(const std::string& isa);

}  // namespace tessera::cpu
