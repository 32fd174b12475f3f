// Kernel functions: what kernels call where there is no instruction for an operation: libm for nodes that no
// approximation replaced, narrow float encoding. C names, since objects that are compiled ahead of time name them too;
// beside these, kernels call only the C library (fmod, fma, memcpy …). Used by codegen/runtime_functions, which lists
// their addresses.
#pragma once

#include <cstdint>

extern "C" {
// Comes back in two registers, as LLVM's { double, double } does.
struct TesseraComplex {
  double re, im;
};
#define TESSERA_KERNEL_FUNCTION(result, name, parameters, value) result tessera_##name parameters;
#include "backends/runtime/kernel_functions.inc"
#undef TESSERA_KERNEL_FUNCTION
}
