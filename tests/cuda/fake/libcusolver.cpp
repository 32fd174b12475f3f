// cuSOLVER for tests, see README.md: by LAPACK, through the fake driver's memory. A workspace that is too small, and
// one that is missing, are refused.
#include <complex>
#include <cstring>

#include "core/custom_calls/matrix_factors.h"
#include "tests/cuda/fake/fake_settings.h"
#include "tests/cuda/fake/host_copy.h"

namespace {

using tessera::fake::HostCopy;
using C64 = std::complex<float>;
using C128 = std::complex<double>;

enum Status { kSuccess = 0, kInvalidValue = 3, kExecutionFailed = 6, kNotSupported = 9 };
constexpr size_t kDeviceBytes = 256, kHostBytes = 32;

struct Handle {
  void* stream = nullptr;
};
void* streamOf(void* handle) { return static_cast<Handle*>(handle)->stream; }

// It computes at once, and only with the memory that it asked for.
bool isRefused(void* handle, const void* device, size_t deviceBytes, const void* host, size_t hostBytes) {
  int isCapturing = 0;
  return cuStreamIsCapturing(streamOf(handle), &isCapturing) || isCapturing || !device || deviceBytes < kDeviceBytes ||
         !host || hostBytes < kHostBytes;
}

// Calls body with a value of the type of that number.
template <class Body>
int ofType(int type, const Body& body) {
  switch (type) {
    case 0: return body(float());
    case 1: return body(double());
    case 4: return body(C64());
    case 5: return body(C128());
    default: return kNotSupported;
  }
}

size_t count(int64_t m, int64_t n = 1) { return static_cast<size_t>(m * n); }

// The array with what compute(values) makes of it; it gives LAPACK's info.
template <class T, class Compute>
int replaced(void* handle, void* array, size_t elements, int* info, const Compute& compute) {
  HostCopy<T> a(array, elements, streamOf(handle));
  if (a.hasFailed()) return kExecutionFailed;
  std::vector<T> values(a.data(), a.data() + elements);
  const tessera::Result<int> found = compute(values);
  if (!found) return kExecutionFailed;
  std::copy(values.begin(), values.end(), a.data());
  HostCopy<int> told(info, 1, streamOf(handle));
  *told.data() = *found;
  return a.put() && told.put() ? kSuccess : kExecutionFailed;
}

template <class T>
bool write(void* handle, void* array, const std::vector<T>& values) {
  HostCopy<T> copy(array, values.size(), streamOf(handle));
  std::copy(values.begin(), values.end(), copy.data());
  return !copy.hasFailed() && copy.put();
}
template <class T>
std::vector<T> fetched(void* handle, const void* array, size_t elements) {
  HostCopy<T> copy(array, elements, streamOf(handle));
  return {copy.data(), copy.data() + elements};
}

int bytes(size_t* device, size_t* host) { return *device = kDeviceBytes, *host = kHostBytes, kSuccess; }
char triangleOf(int uplo) { return uplo == 0 ? 'L' : 'U'; }
int narrow(int64_t value) { return static_cast<int>(value); }

template <class T>
int multiplyBy(void* handle, int m, int n, int k, void* a, const void* tau, int* info) {
  return replaced<T>(handle, a, count(m, n), info, [&](std::vector<T>& values) -> tessera::Result<int> {
    TESSERA_TRY(tessera::multiplyReflectors(values, m, n, fetched<T>(handle, tau, count(k)), k));
    return 0;
  });
}

template <class T>
int apply(void* handle, int side, int op, int m, int n, int k, const void* a, const void* tau, void* c, int* info) {
  const int rows = side == 0 ? m : n;
  std::vector<T> reflectors = fetched<T>(handle, a, count(rows, k)), factors = fetched<T>(handle, tau, count(k));
  return replaced<T>(handle, c, count(m, n), info, [&](std::vector<T>& values) -> tessera::Result<int> {
    TESSERA_ASSIGN_OR_RETURN(void* routine, tessera::lapackRoutine<T>(tessera::kIsComplex<T> ? "unmqr" : "ormqr"));
    const char where = side == 0 ? 'L' : 'R', how = op == 0 ? 'N' : op == 1 ? 'T' : 'C';
    int found = 0;
    tessera::withWorkspace<T>([&](T* work, int* size) {
      tessera::callFortran(routine, &where, &how, &m, &n, &k, reflectors.data(), &rows, factors.data(), values.data(),
                           &m, work, size, &found, size_t{1}, size_t{1});
    });
    return found;
  });
}

template <class T>
int tridiagonal(void* handle, int uplo, int n, void* a, void* d, void* e, void* tau, int* info) {
  using Real = tessera::RealOf<T>;
  std::vector<Real> diagonal(count(n)), off(count(n - 1));
  std::vector<T> factors(count(n - 1));
  const int status = replaced<T>(handle, a, count(n, n), info, [&](std::vector<T>& values) -> tessera::Result<int> {
    TESSERA_ASSIGN_OR_RETURN(void* routine, tessera::lapackRoutine<T>(tessera::kIsComplex<T> ? "hetrd" : "sytrd"));
    const char triangle = triangleOf(uplo);
    int found = 0;
    tessera::withWorkspace<T>([&](T* work, int* size) {
      tessera::callFortran(routine, &triangle, &n, values.data(), &n, diagonal.data(), off.data(), factors.data(), work,
                           size, &found, size_t{1});
    });
    return found;
  });
  const bool isWritten = write(handle, d, diagonal) && write(handle, e, off) && write(handle, tau, factors);
  return status == kSuccess && !isWritten ? kExecutionFailed : status;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API int cusolverGetVersion(int* version) {
  return *version = static_cast<int>(tessera::fake::setting("cusolver", 12004)), kSuccess;
}
API int cusolverDnCreate(void** out) { return *out = new Handle, kSuccess; }
API int cusolverDnDestroy(void* handle) { return delete static_cast<Handle*>(handle), kSuccess; }
API int cusolverDnSetStream(void* handle, void* stream) {
  return static_cast<Handle*>(handle)->stream = stream, kSuccess;
}
API int cusolverDnCreateParams(void** out) { return *out = new int, kSuccess; }
API int cusolverDnDestroyParams(void* parameters) { return delete static_cast<int*>(parameters), kSuccess; }

API int cusolverDnXpotrf_bufferSize(void*, void*, int, int64_t, int, const void*, int64_t, int, size_t* device,
                                    size_t* host) {
  return bytes(device, host);
}
API int cusolverDnXpotrf(void* handle, void* parameters, int uplo, int64_t n, int type, void* a, int64_t lda, int,
                         void* device, size_t deviceBytes, void* host, size_t hostBytes, int* info) {
  if (!parameters || lda != n || isRefused(handle, device, deviceBytes, host, hostBytes)) return kInvalidValue;
  return ofType(type, [&]<class T>(T) -> int {
    return replaced<T>(handle, a, count(n, n), info, [&](std::vector<T>& values) {
      return tessera::factorCholesky(values, narrow(n), triangleOf(uplo));
    });
  });
}
API int cusolverDnXgetrf_bufferSize(void*, void*, int64_t, int64_t, int, const void*, int64_t, int, size_t* device,
                                    size_t* host) {
  return bytes(device, host);
}
API int cusolverDnXgetrf(void* handle, void* parameters, int64_t m, int64_t n, int type, void* a, int64_t lda,
                         int64_t* pivots, int, void* device, size_t deviceBytes, void* host, size_t hostBytes,
                         int* info) {
  if (!parameters || lda != m || isRefused(handle, device, deviceBytes, host, hostBytes)) return kInvalidValue;
  return ofType(type, [&]<class T>(T) -> int {
    std::vector<int> places;
    const int status = replaced<T>(handle, a, count(m, n), info, [&](std::vector<T>& values) {
      return tessera::factorLu(values, narrow(m), narrow(n), places);
    });
    const bool isWritten = write(handle, pivots, std::vector<int64_t>(places.begin(), places.end()));
    return status == kSuccess && !isWritten ? kExecutionFailed : status;
  });
}
API int cusolverDnXgeqrf_bufferSize(void*, void*, int64_t, int64_t, int, const void*, int64_t, int, const void*, int,
                                    size_t* device, size_t* host) {
  return bytes(device, host);
}
API int cusolverDnXgeqrf(void* handle, void* parameters, int64_t m, int64_t n, int type, void* a, int64_t lda, int,
                         void* tau, int, void* device, size_t deviceBytes, void* host, size_t hostBytes, int* info) {
  if (!parameters || lda != m || isRefused(handle, device, deviceBytes, host, hostBytes)) return kInvalidValue;
  return ofType(type, [&]<class T>(T) -> int {
    std::vector<T> factors;
    const int status = replaced<T>(handle, a, count(m, n), info, [&](std::vector<T>& values) -> tessera::Result<int> {
      TESSERA_TRY(tessera::factorQr(values, narrow(m), narrow(n), factors));
      return 0;
    });
    return status == kSuccess && !write(handle, tau, factors) ? kExecutionFailed : status;
  });
}
API int cusolverDnXsyevd_bufferSize(void*, void*, int, int, int64_t, int, const void*, int64_t, int, const void*, int,
                                    size_t* device, size_t* host) {
  return bytes(device, host);
}
API int cusolverDnXsyevd(void* handle, void* parameters, int job, int uplo, int64_t n, int type, void* a, int64_t lda,
                         int, void* w, int, void* device, size_t deviceBytes, void* host, size_t hostBytes, int* info) {
  if (!parameters || lda != n || isRefused(handle, device, deviceBytes, host, hostBytes)) return kInvalidValue;
  return ofType(type, [&]<class T>(T) -> int {
    std::vector<tessera::RealOf<T>> found;
    const int status = replaced<T>(handle, a, count(n, n), info, [&](std::vector<T>& values) {
      return tessera::factorSymmetric(values, narrow(n), job == 1 ? 'V' : 'N', triangleOf(uplo), found);
    });
    return status == kSuccess && !write(handle, w, found) ? kExecutionFailed : status;
  });
}
API int cusolverDnXgesvd_bufferSize(void*, void*, signed char, signed char, int64_t m, int64_t n, int, const void*,
                                    int64_t, int, const void*, int, const void*, int64_t, int, const void*, int64_t,
                                    int, size_t* device, size_t* host) {
  return m < n ? kInvalidValue : bytes(device, host);
}
API int cusolverDnXgesvd(void* handle, void* parameters, signed char jobU, signed char jobVt, int64_t m, int64_t n,
                         int type, void* a, int64_t lda, int, void* s, int, void* u, int64_t ldu, int, void* vt,
                         int64_t ldvt, int, void* device, size_t deviceBytes, void* host, size_t hostBytes, int* info) {
  if (!parameters || m < n || lda != m || ldu != m || ldvt != n || jobU != jobVt ||
      isRefused(handle, device, deviceBytes, host, hostBytes))
    return kInvalidValue;
  return ofType(type, [&]<class T>(T) -> int {
    tessera::SingularFactors<T> factors;
    const int status = replaced<T>(handle, a, count(m, n), info, [&](std::vector<T>& values) -> tessera::Result<int> {
      const int columns = narrow(jobU == 'A' ? m : n);
      TESSERA_ASSIGN_OR_RETURN(
          factors, (tessera::factorSingular<T, false>(values, narrow(m), narrow(n), static_cast<char>(jobU), columns,
                                                      narrow(n))));
      return factors.info;
    });
    if (status != kSuccess || !write(handle, s, factors.values)) return status ? status : kExecutionFailed;
    return jobU == 'N' || (write(handle, u, factors.u) && write(handle, vt, factors.vt)) ? kSuccess : kExecutionFailed;
  });
}

// Each type's own functions.
#define FAKE_TYPE(T, product, multiplication, form)                                                                  \
  API int cusolverDn##product##_bufferSize(void*, int, int, int, const void*, int, const void*, int* elements) {     \
    return *elements = kDeviceBytes, kSuccess;                                                                       \
  }                                                                                                                  \
  API int cusolverDn##product(void* handle, int m, int n, int k, void* a, int lda, const void* tau, void* work,      \
                              int elements, int* info) {                                                             \
    if (lda != m || !work || elements < int{kDeviceBytes}) return kInvalidValue;                                     \
    return multiplyBy<T>(handle, m, n, k, a, tau, info);                                                             \
  }                                                                                                                  \
  API int cusolverDn##multiplication##_bufferSize(void*, int, int, int, int, int, const void*, int, const void*,     \
                                                  const void*, int, int* elements) {                                 \
    return *elements = kDeviceBytes, kSuccess;                                                                       \
  }                                                                                                                  \
  API int cusolverDn##multiplication(void* handle, int side, int op, int m, int n, int k, const void* a, int,        \
                                     const void* tau, void* c, int ldc, void* work, int elements, int* info) {       \
    if (ldc != m || !work || elements < int{kDeviceBytes}) return kInvalidValue;                                     \
    return apply<T>(handle, side, op, m, n, k, a, tau, c, info);                                                     \
  }                                                                                                                  \
  API int cusolverDn##form##_bufferSize(void*, int, int, const void*, int, const void*, const void*, const void*,    \
                                        int* elements) {                                                             \
    return *elements = kDeviceBytes, kSuccess;                                                                       \
  }                                                                                                                  \
  API int cusolverDn##form(void* handle, int uplo, int n, void* a, int lda, void* d, void* e, void* tau, void* work, \
                           int elements, int* info) {                                                                \
    if (lda != n || !work || elements < int{kDeviceBytes}) return kInvalidValue;                                     \
    return tridiagonal<T>(handle, uplo, n, a, d, e, tau, info);                                                      \
  }
FAKE_TYPE(float, Sorgqr, Sormqr, Ssytrd)
FAKE_TYPE(double, Dorgqr, Dormqr, Dsytrd)
FAKE_TYPE(C64, Cungqr, Cunmqr, Chetrd)
FAKE_TYPE(C128, Zungqr, Zunmqr, Zhetrd)
