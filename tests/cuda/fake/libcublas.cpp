// cuBLAS for tests, see README.md: triangular systems by LAPACK's BLAS, through the fake driver's memory.
#include <complex>

#include "core/custom_calls/lapack.h"
#include "tests/cuda/fake/fake_settings.h"
#include "tests/cuda/fake/host_copy.h"

namespace {

using tessera::fake::HostCopy;

enum Status { kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15 };

struct Handle {
  void* stream = nullptr;
};

template <class T>
int solve(void* handle, int side, int uplo, int op, int diagonal, int64_t m, int64_t n, const void* alpha,
          const void* a, int64_t lda, void* b, int64_t ldb) {
  void* const stream = static_cast<Handle*>(handle)->stream;
  int isCapturing = 0;
  if (cuStreamIsCapturing(stream, &isCapturing) || isCapturing) return kNotSupported;  // it computes at once
  const int64_t size = side == 0 ? m : n;
  if (lda != size || ldb != m) return kInvalidValue;
  HostCopy<T> matrix(a, static_cast<size_t>(size * size), stream), sides(b, static_cast<size_t>(m * n), stream);
  const auto routine = tessera::lapackRoutine<T>("trsm");
  if (!routine || matrix.hasFailed() || sides.hasFailed()) return kExecutionFailed;
  const char where = side == 0 ? 'L' : 'R', triangle = uplo == 0 ? 'L' : 'U',
             how = op == 0   ? 'N'
                   : op == 1 ? 'T'
                             : 'C',
             unit = diagonal == 0 ? 'N' : 'U';
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), leading = static_cast<int>(lda);
  tessera::callFortran(*routine, &where, &triangle, &how, &unit, &rows, &columns, static_cast<const T*>(alpha),
                       matrix.data(), &leading, sides.data(), &rows, size_t{1}, size_t{1}, size_t{1}, size_t{1});
  return sides.put() ? kSuccess : kExecutionFailed;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API int cublasCreate_v2(void** out) { return *out = new Handle, kSuccess; }
API int cublasDestroy_v2(void* handle) { return delete static_cast<Handle*>(handle), kSuccess; }
API int cublasSetStream_v2(void* handle, void* stream) {
  return static_cast<Handle*>(handle)->stream = stream, kSuccess;
}
API int cublasGetVersion_v2(void*, int* version) {
  return *version = static_cast<int>(tessera::fake::setting("cublas", 130100)), kSuccess;
}
#define FAKE_TYPE(T, name)                                                                                   \
  API int cublas##name##_v2_64(void* handle, int side, int uplo, int op, int diagonal, int64_t m, int64_t n, \
                               const void* alpha, const void* a, int64_t lda, void* b, int64_t ldb) {        \
    return solve<T>(handle, side, uplo, op, diagonal, m, n, alpha, a, lda, b, ldb);                          \
  }
FAKE_TYPE(float, Strsm)
FAKE_TYPE(double, Dtrsm)
FAKE_TYPE(std::complex<float>, Ctrsm)
FAKE_TYPE(std::complex<double>, Ztrsm)
