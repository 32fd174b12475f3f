// A module compiled for the CPU backend with so many threads.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "backends/backend.h"

namespace tessera::test {

inline std::unique_ptr<Executable> compiled(const Module& module, int threads) {
  CompileOptions options;
  options.threads = threads;
  auto executable = makeBackend("cpu").value()->compile(module, options);
  EXPECT_TRUE(executable) << executable.error().toString();
  return executable ? std::move(*executable) : nullptr;
}

}  // namespace tessera::test
