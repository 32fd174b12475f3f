// One function for each width of vectors, and the choice between them when it runs. Used by the sources of this folder
// that compute in lanes.
#pragma once

#include <cstddef>

namespace tessera::fourier {

// The vector extensions that each function is compiled for. Narrower vectors than 64 bytes have no shuffles of all
// lanes.
enum class Width { Sse, Avx2, Avx512 };
constexpr bool hasShuffles(Width width) { return width == Width::Avx512; }

#if defined(__x86_64__)
inline const Width kProcessor = __builtin_cpu_supports("avx512f")                                 ? Width::Avx512
                                : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Width::Avx2
                                                                                                  : Width::Sse;

// One function for each width of vectors, and the choice.
#define TESSERA_WIDTHS(result, name, parameters, arguments)           \
  template <class Real>                                               \
  __attribute__((target("avx512f"))) result name##Avx512 parameters { \
    return name##Here<Width::Avx512> arguments;                       \
  }                                                                   \
  template <class Real>                                               \
  __attribute__((target("avx2,fma"))) result name##Avx2 parameters {  \
    return name##Here<Width::Avx2> arguments;                         \
  }                                                                   \
  template <class Real>                                               \
  result name parameters {                                            \
    switch (kProcessor) {                                             \
      case Width::Avx512: return name##Avx512<Real> arguments;        \
      case Width::Avx2: return name##Avx2<Real> arguments;            \
      case Width::Sse: break;                                         \
    }                                                                 \
    return name##Here<Width::Sse> arguments;                          \
  }
#else
#define TESSERA_WIDTHS(result, name, parameters, arguments) \
  template <class Real>                                     \
  result name parameters {                                  \
    return name##Here<Width::Avx512> arguments;             \
  }
#endif

}  // namespace tessera::fourier
