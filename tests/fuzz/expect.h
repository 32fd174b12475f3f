// Reports a broken invariant in a fuzz target: a sentence, then a crash that libFuzzer and ctest notice.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// libFuzzer's entry; replay.cpp calls the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tessera {

inline void expect(bool holds, std::string_view promise, const std::string& detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\n%s\n", static_cast<int>(promise.size()), promise.data(), detail.c_str());
  std::abort();
}

}  // namespace tessera
