// See processor.h. Names are the compiler's own where __builtin_cpu_supports knows them.
#include "backends/runtime/processor.h"

#include <algorithm>

namespace tessera::cpu {

namespace {

struct Feature {
  std::string_view name;
  bool (*has)();
};

#define TESSERA_FEATURE(llvm, gcc)                        \
  {                                                       \
    llvm, [] { return __builtin_cpu_supports(gcc) != 0; } \
  }
const Feature kFeatures[] = {
    TESSERA_FEATURE("sse3", "sse3"),
    TESSERA_FEATURE("ssse3", "ssse3"),
    TESSERA_FEATURE("sse4.1", "sse4.1"),
    TESSERA_FEATURE("sse4.2", "sse4.2"),
    TESSERA_FEATURE("popcnt", "popcnt"),
    TESSERA_FEATURE("avx", "avx"),
    TESSERA_FEATURE("avx2", "avx2"),
    TESSERA_FEATURE("fma", "fma"),
    TESSERA_FEATURE("bmi", "bmi"),
    TESSERA_FEATURE("bmi2", "bmi2"),
    TESSERA_FEATURE("f16c", "f16c"),
    TESSERA_FEATURE("lzcnt", "lzcnt"),
    TESSERA_FEATURE("avx512f", "avx512f"),
    TESSERA_FEATURE("avx512bw", "avx512bw"),
    TESSERA_FEATURE("avx512cd", "avx512cd"),
    TESSERA_FEATURE("avx512dq", "avx512dq"),
    TESSERA_FEATURE("avx512vl", "avx512vl"),
    TESSERA_FEATURE("avx512ifma", "avx512ifma"),
    TESSERA_FEATURE("avx512vbmi", "avx512vbmi"),
    TESSERA_FEATURE("avx512vbmi2", "avx512vbmi2"),
    TESSERA_FEATURE("avx512vnni", "avx512vnni"),
    TESSERA_FEATURE("avx512bitalg", "avx512bitalg"),
    TESSERA_FEATURE("avx512vpopcntdq", "avx512vpopcntdq"),
    TESSERA_FEATURE("avx512bf16", "avx512bf16"),
    TESSERA_FEATURE("avx512fp16", "avx512fp16"),
    TESSERA_FEATURE("gfni", "gfni"),
    TESSERA_FEATURE("avxvnni", "avxvnni"),
    TESSERA_FEATURE("vpclmulqdq", "vpclmulqdq"),
};
#undef TESSERA_FEATURE

}  // namespace

std::string lackingFeature(std::string_view features) {
  __builtin_cpu_init();
  while (!features.empty()) {
    const size_t comma = features.find(',');
    const std::string_view name = features.substr(0, comma);
    features.remove_prefix(comma == std::string_view::npos ? features.size() : comma + 1);
    const auto known = std::ranges::find(kFeatures, name, &Feature::name);
    if (known != std::end(kFeatures) && !known->has()) return std::string(name);
  }
  return {};
}

}  // namespace tessera::cpu
