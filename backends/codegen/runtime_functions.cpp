// See runtime_functions.h: the run time's kernel functions, and what kernels call of the C library.
#include "backends/codegen/runtime_functions.h"

#include <cmath>

#include "backends/runtime/kernel_functions.h"

namespace tessera::codegen {

namespace {

template <class Fn>
void* address(Fn* fn) {
  return reinterpret_cast<void*>(fn);
}

}  // namespace

std::vector<std::pair<std::string_view, void*>> runtimeFunctions() {
  return {
#define TESSERA_KERNEL_FUNCTION(result, name, parameters, value) {"tessera_" #name, address(&tessera_##name)},
#include "backends/runtime/kernel_functions.inc"
#undef TESSERA_KERNEL_FUNCTION
      {"fmod", address(static_cast<double (*)(double, double)>(std::fmod))},
      {"fmodf", address(static_cast<float (*)(float, float)>(std::fmod))},
      {"fma", address(static_cast<double (*)(double, double, double)>(std::fma))},
      {"fmaf", address(static_cast<float (*)(float, float, float)>(std::fma))},
  };
}

}  // namespace tessera::codegen
