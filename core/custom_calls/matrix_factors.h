// Decompositions of one column-major matrix by LAPACK, shared by jaxlib's targets and XLA's own. Each gives LAPACK's
// info where the routine has one. Sizes that LAPACK would refuse (its refusal ends the process) must be kept away by
// callers.
#pragma once

#include "core/custom_calls/lapack.h"

namespace tessera {

// Runs `call(work, lwork)` twice: as a query of the optimal work size, then with it.
template <class T, class Call>
void withWorkspace(Call call) {
  std::vector<T> work(1);
  int size = -1;
  call(work.data(), &size);
  size = static_cast<int>(std::max(RealOf<T>(1), std::real(work[0])));
  work.resize(static_cast<size_t>(size));
  call(work.data(), &size);
}

inline int leadingOf(int64_t rows) { return static_cast<int>(std::max<int64_t>(1, rows)); }

// a becomes R and the reflectors below it; tau has min(m, n) factors.
template <class T>
Status factorQr(std::vector<T>& a, int m, int n, std::vector<T>& tau) {
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("geqrf"));
  tau.assign(static_cast<size_t>(std::min(m, n)), T());
  if (tau.empty()) return {};
  const int leading = leadingOf(m);
  int info = 0;
  withWorkspace<T>(
      [&](T* work, int* size) { callFortran(routine, &m, &n, a.data(), &leading, tau.data(), work, size, &info); });
  return {};
}

// The first n columns of the product of k reflectors, in place; m >= n >= k.
template <class T>
Status multiplyReflectors(std::vector<T>& a, int m, int n, const std::vector<T>& tau, int k) {
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>(kIsComplex<T> ? "ungqr" : "orgqr"));
  if (m == 0 || n == 0) return {};
  const int leading = leadingOf(m);
  int info = 0;
  withWorkspace<T>(
      [&](T* work, int* size) { callFortran(routine, &m, &n, &k, a.data(), &leading, tau.data(), work, size, &info); });
  return {};
}

// a becomes L and U; pivots count from 1.
template <class T>
Result<int> factorLu(std::vector<T>& a, int m, int n, std::vector<int>& pivots) {
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("getrf"));
  pivots.assign(static_cast<size_t>(std::min(m, n)), 0);
  const int leading = leadingOf(m);
  int info = 0;
  callFortran(routine, &m, &n, a.data(), &leading, pivots.data(), &info);
  return info;
}

template <class T>
Result<int> factorCholesky(std::vector<T>& a, int n, char triangle) {
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("potrf"));
  const int leading = leadingOf(n);
  int info = 0;
  callFortran(routine, &triangle, &n, a.data(), &leading, &info, size_t{1});
  return info;
}

// Eigenvalues in ascending order, and, for job V, a becomes the eigenvectors as columns.
template <class T>
Result<int> factorSymmetric(std::vector<T>& a, int n, char job, char triangle, std::vector<RealOf<T>>& values) {
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>(kIsComplex<T> ? "heevd" : "syevd"));
  values.assign(static_cast<size_t>(n), 0);
  const int leading = leadingOf(n);
  int info = 0, size = -1, realSize = -1, integerSize = -1;
  std::vector<T> work(1);
  std::vector<RealOf<T>> realWork(1);
  std::vector<int> integerWork(1);
  for (int pass = 0; pass < 2; ++pass) {
    if constexpr (kIsComplex<T>)
      callFortran(routine, &job, &triangle, &n, a.data(), &leading, values.data(), work.data(), &size, realWork.data(),
                  &realSize, integerWork.data(), &integerSize, &info, size_t{1}, size_t{1});
    else
      callFortran(routine, &job, &triangle, &n, a.data(), &leading, values.data(), work.data(), &size,
                  integerWork.data(), &integerSize, &info, size_t{1}, size_t{1});
    if (pass == 1) break;
    size = std::max(1, static_cast<int>(std::real(work[0])));
    realSize = std::max(1, static_cast<int>(realWork[0]));
    integerSize = std::max(1, integerWork[0]);
    work.resize(static_cast<size_t>(size));
    realWork.resize(static_cast<size_t>(realSize));
    integerWork.resize(static_cast<size_t>(integerSize));
  }
  return info;
}

}  // namespace tessera
