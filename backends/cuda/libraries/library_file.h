// A shared library of NVIDIA's, opened at run time: by its name, as the system finds it, else where the CUDA toolkit
// and Python's wheels (those of JAX and PyTorch) put it. Never linked, never needed.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera::cuda {

// title: "cuFFT", for errors. names: of the versions that are known, the newest first: "libcublasLt.so.13". wheels:
// folders of wheels in which it may lie, "cublas". The error says where it was looked for.
Result<void*> openLibraryFile(const char* title, const std::vector<std::string>& names,
                              const std::vector<std::string>& wheels);
// The process's own Library, opened by its open() at the first call; it has state of its own, and is never closed.
template <class Library>
Result<const Library*> openedOnce() {
  static std::mutex mutex;
  static Library library;
  static std::optional<Status> opened;
  const std::lock_guard lock(mutex);
  if (!opened) opened = library.open();
  if (!*opened) return std::unexpected(opened->error());
  return &library;
}
// An address of the device as libraries take it.
inline void* pointer(uint64_t address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }
// Null: it has none.
void* symbolOf(void* library, const char* name);
// What no use of the library is possible without.
template <class Function>
Status findFunction(void* library, const char* title, const char* symbol, Function& out) {
  out = reinterpret_cast<Function>(symbolOf(library, symbol));
  if (out) return {};
  return failUnsupported(std::string("no ") + title + ": it has no function " + symbol + "; it is of another version");
}

}  // namespace tessera::cuda
