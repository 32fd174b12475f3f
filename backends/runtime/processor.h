// Processor features that kernels may use, as lists of LLVM's names ("avx2,fma"). The code generator's target writes
// the list into a program; the run time checks that this processor has all of it.
#pragma once

#include <string>
#include <string_view>

namespace tessera::cpu {

// The first feature of the list that this processor (or its system) lacks; "": none.
std::string lackingFeature(std::string_view features);

}  // namespace tessera::cpu
