// The folder of compiled kernels for the user: its size, and emptying it. Needs no LLVM. Used by the
// studio's preferences; the cache itself is backends/cpu/kernels/kernel_cache.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace tessera {

// Bytes of the entries in a folder that may not be there yet.
int64_t kernelCacheBytes(const std::string& folder);
// Removes the entries and nothing else; gives the bytes that were freed. Fails where the folder is not this user's
// alone. Programs that run keep the code that they have.
Result<int64_t> emptyKernelCache(const std::string& folder);

}  // namespace tessera
