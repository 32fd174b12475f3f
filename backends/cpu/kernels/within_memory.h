// Memory that ends while a program is compiled is a failure of the compilation, on whatever thread it ends. Used by
// cpu_backend and kernel_library.
#pragma once

#include <new>

#include "core/base/result.h"

namespace tessera::cpu {

// work(), which gives a Result; where it throws std::bad_alloc: ErrorKind::Runtime.
template <class Work>
auto withinMemory(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::Runtime, "not enough memory to compile");
  }
}

}  // namespace tessera::cpu
