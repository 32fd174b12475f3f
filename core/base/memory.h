// How much memory this machine can still give, so that a value that cannot fit is refused with its size instead of
// being granted by overcommit and killed later.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

// Bytes that can be had without swapping, the limits of control group and process included; INT64_MAX where the system
// does not report it.
int64_t availableMemoryBytes();

// True when `bytes` more can be taken. Requests under 64 MiB are not checked: the look-up would cost more than they do.
bool memoryIsAvailable(int64_t bytes);

// Memory for arrays, aligned to cache lines, to be given back with std::free; null: none. Large pieces are asked for in
// huge pages: walking them by columns else spends its time looking up pages.
std::byte* allocateForArrays(size_t bytes);

}  // namespace tessera
