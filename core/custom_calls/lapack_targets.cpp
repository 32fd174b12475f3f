// The targets lapack_{s,d,c,z}NAME_ffi that jaxlib registers on CPU: a row a routine and type.
#include "core/custom_calls/custom_calls.h"
#include "core/custom_calls/lapack_routines.h"

namespace tessera {
namespace {

#define TESSERA_LAPACK(name)                                                       \
  {"lapack_s" #name "_ffi", name<float>}, {"lapack_d" #name "_ffi", name<double>}, \
      {"lapack_c" #name "_ffi", name<std::complex<float>>}, {                      \
    "lapack_z" #name "_ffi", name<std::complex<double>>                            \
  }
// Routines whose complex form has a name of its own.
#define TESSERA_LAPACK_PAIR(name, complexName)                                     \
  {"lapack_s" #name "_ffi", name<float>}, {"lapack_d" #name "_ffi", name<double>}, \
      {"lapack_c" #complexName "_ffi", name<std::complex<float>>}, {               \
    "lapack_z" #complexName "_ffi", name<std::complex<double>>                     \
  }
constexpr CustomCallTarget kLapackTargets[] = {
    TESSERA_LAPACK(geqrf),
    TESSERA_LAPACK(geqp3),
    TESSERA_LAPACK(getrf),
    TESSERA_LAPACK(potrf),
    TESSERA_LAPACK(trsm),
    TESSERA_LAPACK(gesdd),
    TESSERA_LAPACK(gesvd),
    TESSERA_LAPACK(geev),
    TESSERA_LAPACK(gees),
    TESSERA_LAPACK(gehrd),
    TESSERA_LAPACK(gtsv),
    TESSERA_LAPACK_PAIR(orgqr, ungqr),
    TESSERA_LAPACK_PAIR(ormqr, unmqr),
    TESSERA_LAPACK_PAIR(syevd, heevd),
    TESSERA_LAPACK_PAIR(sytrd, hetrd),
};

}  // namespace

std::span<const CustomCallTarget> lapackTargets() { return kLapackTargets; }

}  // namespace tessera
