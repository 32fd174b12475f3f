// One function for each width of vectors, and the choice between them when it runs. Used by the sources of this folder
// that compute in lanes.
#pragma once

#include <cstddef>

namespace tessera::fourier {

// The bytes of a vector of each extension that functions are compiled for.
enum class Width : size_t { Sse = 16, Avx2 = 32, Avx512 = 64 };

// The widest of this processor, and what functions use: that one, unless limitFourierVectors said less.
Width processorWidth();
extern Width usedWidth;

#if defined(__x86_64__)
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
    switch (usedWidth) {                                              \
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
    return name##Here<Width::Sse> arguments;                \
  }
#endif

}  // namespace tessera::fourier
