// A symbol of one shared object alone. dlsym() with a handle also looks into everything that the object depends on, the
// C library among it; what a file names must not reach `system` that way. Used by custom-call libraries and by the
// loader of compiled kernels.
#pragma once

#include <string>

namespace tessera {

// Null: the object behind the handle of dlopen() does not define the name itself.
void* ownSymbol(void* handle, const std::string& name);

}  // namespace tessera
