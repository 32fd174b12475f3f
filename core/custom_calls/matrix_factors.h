// Decompositions of one column-major matrix by LAPACK, shared by jaxlib's targets and XLA's own. Each gives LAPACK's
// info where the routine has one. Sizes that LAPACK would refuse (its refusal ends the process) must be kept away by
// callers.
#pragma once

#include <numeric>

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

// What such pivots, counted from 0 and below `rows`, make of the rows: row i of the permuted matrix is row out[i].
inline std::vector<int> permutationOf(const std::vector<int>& pivots, int rows) {
  std::vector<int> out(static_cast<size_t>(rows));
  std::iota(out.begin(), out.end(), 0);
  for (size_t i = 0; i < pivots.size(); ++i) std::swap(out[i], out[static_cast<size_t>(pivots[i])]);
  return out;
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

template <class T>
size_t singularRealWork(bool divide, int m, int n, char mode) {
  const auto least = static_cast<size_t>(std::min(m, n)), most = static_cast<size_t>(std::max(m, n));
  if (!divide) return 5 * least + 1;
  if (mode == 'N') return 7 * least + 1;
  return std::max(5 * least * least + 5 * least, 2 * most * least + 2 * least * least + least) + 1;
}

template <class T>
struct SingularFactors {
  std::vector<RealOf<T>> values;  // descending
  std::vector<T> u, vt;
  int info = 0;
};
// a (overwritten) = u · diagonal(values) · vt by divide and conquer, or by QR iteration. mode A: u is m × m and
// vt n × n; S: the first min(m, n) columns and rows; N: no vectors, u and vt are zero.
template <class T, bool kDivide>
Result<SingularFactors<T>> factorSingular(std::vector<T>& a, int m, int n, char mode, int uColumns, int vtRows) {
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>(kDivide ? "gesdd" : "gesvd"));
  const int leading = leadingOf(m), leadingVt = leadingOf(vtRows);
  const auto k = static_cast<size_t>(std::min(m, n));
  SingularFactors<T> out{std::vector<RealOf<T>>(k),
                         std::vector<T>(static_cast<size_t>(m) * static_cast<size_t>(uColumns)),
                         std::vector<T>(static_cast<size_t>(vtRows) * static_cast<size_t>(n))};
  std::vector<RealOf<T>> realWork(singularRealWork<T>(kDivide, m, n, mode));
  std::vector<int> integerWork(8 * k + 1);
  withWorkspace<T>([&](T* work, int* size) {
    if constexpr (kDivide && kIsComplex<T>)
      callFortran(routine, &mode, &m, &n, a.data(), &leading, out.values.data(), out.u.data(), &leading, out.vt.data(),
                  &leadingVt, work, size, realWork.data(), integerWork.data(), &out.info, size_t{1});
    else if constexpr (kDivide)
      callFortran(routine, &mode, &m, &n, a.data(), &leading, out.values.data(), out.u.data(), &leading, out.vt.data(),
                  &leadingVt, work, size, integerWork.data(), &out.info, size_t{1});
    else if constexpr (kIsComplex<T>)
      callFortran(routine, &mode, &mode, &m, &n, a.data(), &leading, out.values.data(), out.u.data(), &leading,
                  out.vt.data(), &leadingVt, work, size, realWork.data(), &out.info, size_t{1}, size_t{1});
    else
      callFortran(routine, &mode, &mode, &m, &n, a.data(), &leading, out.values.data(), out.u.data(), &leading,
                  out.vt.data(), &leadingVt, work, size, &out.info, size_t{1}, size_t{1});
  });
  return out;
}

}  // namespace tessera
