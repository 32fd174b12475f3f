// A shared library of NVIDIA's, opened at run time: by its name, as the system finds it, else where the CUDA toolkit
// and Python's wheels (those of JAX and PyTorch) put it. Never linked, never needed.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera::cuda {

// names: of the versions that are known, the newest first: "libcublasLt.so.13". wheels: folders of wheels in which it
// may lie, "cublas". The error says where it was looked for.
Result<void*> openLibraryFile(const std::vector<std::string>& names, const std::vector<std::string>& wheels);
// Null: it has none.
void* symbolOf(void* library, const char* name);

}  // namespace tessera::cuda
