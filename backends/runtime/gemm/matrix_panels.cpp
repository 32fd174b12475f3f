// See matrix_panels.h. Several rows at once, so that each vector of `by` is loaded once for all of them and sums stay
// in registers.
#include "backends/runtime/gemm/matrix_panels.h"

#include <algorithm>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a real call
#define TESSERA_INLINE __attribute__((always_inline)) inline

namespace tessera::cpu {
namespace {

template <class Real>
struct LanesOf {
  typedef Real Type __attribute__((vector_size(64), aligned(alignof(Real)), may_alias));
};
template <class Real>
using Lanes = typename LanesOf<Real>::Type;

template <class Real, size_t kVectors>
TESSERA_INLINE Lanes<Real>* rowOf(const Panel<Real>& panel, size_t i) {
  return reinterpret_cast<Lanes<Real>*>(panel.first + i * kVectors * kVectorLanes<Real>);
}

// Rows i to i + kRows. kSolves: they are then solved by the triangle on the diagonal.
template <size_t kRows, size_t kVectors, bool kSolves, class Real>
TESSERA_INLINE void rowsHere(const StridedMatrix<const Real>& m, size_t count, bool unit, const Panel<Real>& by,
                             const Panel<Real>& panel, size_t i) {
  Lanes<Real> x[kRows][kVectors];
  const Real* rows[kRows];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    rows[r] = m.first + static_cast<ptrdiff_t>(i + r) * m.rowStep;
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) x[r][v] = rowOf<Real, kVectors>(panel, i + r)[v];
  }
  for (size_t j = 0; j < count; ++j) {
    const ptrdiff_t column = static_cast<ptrdiff_t>(j) * m.columnStep;
    Lanes<Real> other[kVectors];
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) other[v] = rowOf<Real, kVectors>(by, j)[v];
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) x[r][v] -= rows[r][column] * other[v];
  }
  if constexpr (kSolves) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (size_t q = 0; q < r; ++q)
#pragma GCC unroll 2
        for (size_t v = 0; v < kVectors; ++v)
          x[r][v] -= rows[r][static_cast<ptrdiff_t>(i + q) * m.columnStep] * x[q][v];
#pragma GCC unroll 2
      for (size_t v = 0; !unit && v < kVectors; ++v) x[r][v] /= rows[r][static_cast<ptrdiff_t>(i + r) * m.columnStep];
    }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) rowOf<Real, kVectors>(panel, i + r)[v] = x[r][v];
}

template <size_t kRows, size_t kVectors, class Real>
TESSERA_INLINE void subtractThese(const StridedMatrix<const Real>& m, size_t count, const Panel<Real>& by,
                                  const Panel<Real>& panel, size_t begin, size_t end) {
  size_t i = begin;
  for (; i + kRows <= end; i += kRows) rowsHere<kRows, kVectors, false>(m, count, true, by, panel, i);
  for (; i < end; ++i) rowsHere<1, kVectors, false>(m, count, true, by, panel, i);
}

template <size_t kRows, class Real>
TESSERA_INLINE void subtractHere(const StridedMatrix<const Real>& m, size_t count, const Panel<Real>& by,
                                 const Panel<Real>& panel, size_t begin, size_t end) {
  if (panel.vectors == 1)
    subtractThese<kRows, 1>(m, count, by, panel, begin, end);
  else
    subtractThese<kRows, kMaxPanelVectors>(m, count, by, panel, begin, end);
}

template <size_t kRows, size_t kVectors, class Real>
TESSERA_INLINE void substituteThese(const StridedMatrix<const Real>& m, bool unit, size_t n, const Panel<Real>& panel) {
  size_t i = 0;
  for (; i + kRows <= n; i += kRows) rowsHere<kRows, kVectors, true>(m, i, unit, panel, panel, i);
  for (; i < n; ++i) rowsHere<1, kVectors, true>(m, i, unit, panel, panel, i);
}

template <size_t kRows, class Real>
TESSERA_INLINE void substituteHere(const StridedMatrix<const Real>& m, bool unit, size_t n, const Panel<Real>& panel) {
  if (panel.vectors == 1)
    substituteThese<kRows, 1>(m, unit, n, panel);
  else
    substituteThese<kRows, kMaxPanelVectors>(m, unit, n, panel);
}

// Only lanes right of the column change: others keep their values also where the factor is infinite.
template <size_t kRows, class Real>
TESSERA_INLINE void eliminateHere(const Panel<Real>& panel, size_t source, size_t column, Real pivot, Real divisor,
                                  size_t begin, size_t end) {
  constexpr size_t kLanes = kVectorLanes<Real>;
  const size_t first = column / kLanes, vectors = panel.vectors;
  using Mask = decltype(Lanes<Real>{} < Lanes<Real>{});
  Lanes<Real> pivotRow[kMaxPanelVectors];
  Mask right[kMaxPanelVectors];
  for (size_t v = first; v < vectors; ++v) {
    pivotRow[v] = *reinterpret_cast<const Lanes<Real>*>(panel.row(source) + v * kLanes);
    for (size_t l = 0; l < kLanes; ++l) right[v][l] = v * kLanes + l > column ? -1 : 0;
  }
  for (size_t i = begin; i < end; ++i) {
    Real* row = panel.row(i);
    const Real value = row[column], factor = value / pivot;
    for (size_t v = first; v < vectors; ++v) {
      auto& x = *reinterpret_cast<Lanes<Real>*>(row + v * kLanes);
      const Lanes<Real> less = x - factor * pivotRow[v];
      x = right[v] ? less : x;
    }
    row[column] = divisor == pivot ? factor : value / divisor;
  }
}

#if defined(__x86_64__)
enum class Width { Sse, Avx2, Avx512 };
const Width kWidth = __builtin_cpu_supports("avx512f")                                 ? Width::Avx512
                     : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Width::Avx2
                                                                                       : Width::Sse;

// One function for each width of vectors, and the choice; narrower ones have half as many registers of half or less the
// lanes.
#define TESSERA_PANEL_WIDTHS(name, parameters, arguments)           \
  template <class Real>                                             \
  __attribute__((target("avx512f"))) void name##Avx512 parameters { \
    name##Here<8> arguments;                                        \
  }                                                                 \
  template <class Real>                                             \
  __attribute__((target("avx2,fma"))) void name##Avx2 parameters {  \
    name##Here<2> arguments;                                        \
  }                                                                 \
  template <class Real>                                             \
  void name##Chosen parameters {                                    \
    switch (kWidth) {                                               \
      case Width::Avx512: return name##Avx512<Real> arguments;      \
      case Width::Avx2: return name##Avx2<Real> arguments;          \
      case Width::Sse: break;                                       \
    }                                                               \
    name##Here<1> arguments;                                        \
  }
#else
#define TESSERA_PANEL_WIDTHS(name, parameters, arguments) \
  template <class Real>                                   \
  void name##Chosen parameters {                          \
    name##Here<4> arguments;                              \
  }
#endif

TESSERA_PANEL_WIDTHS(subtract,
                     (const StridedMatrix<const Real>& m, size_t count, const Panel<Real>& by, const Panel<Real>& panel,
                      size_t begin, size_t end),
                     (m, count, by, panel, begin, end))
TESSERA_PANEL_WIDTHS(substitute, (const StridedMatrix<const Real>& m, bool unit, size_t n, const Panel<Real>& panel),
                     (m, unit, n, panel))
TESSERA_PANEL_WIDTHS(eliminate,
                     (const Panel<Real>& panel, size_t source, size_t column, Real pivot, Real divisor, size_t begin,
                      size_t end),
                     (panel, source, column, pivot, divisor, begin, end))

}  // namespace

template <class Real>
void loadPanel(const StridedMatrix<const Real>& from, size_t rows, size_t columns, const Panel<Real>& to) {
  const size_t lanes = to.lanes();
  if (columns < lanes)
    for (size_t i = 0; i < rows; ++i) std::fill(to.row(i) + columns, to.row(i) + lanes, Real(0));
  if (from.columnStep == 1) {
    for (size_t i = 0; i < rows; ++i) std::copy_n(&from.at(i, 0), columns, to.row(i));
    return;
  }
  for (size_t j = 0; j < columns; ++j)
    for (size_t i = 0; i < rows; ++i) to.row(i)[j] = from.at(i, j);
}

template <class Real>
void storePanel(const Panel<Real>& from, size_t rows, size_t columns, const StridedMatrix<Real>& to) {
  if (to.columnStep == 1) {
    for (size_t i = 0; i < rows; ++i) std::copy_n(from.row(i), columns, &to.at(i, 0));
    return;
  }
  for (size_t j = 0; j < columns; ++j)
    for (size_t i = 0; i < rows; ++i) to.at(i, j) = from.row(i)[j];
}

template <class Real>
void subtractProducts(const StridedMatrix<const Real>& m, size_t count, const Panel<Real>& by, const Panel<Real>& panel,
                      size_t begin, size_t end) {
  subtractChosen<Real>(m, count, by, panel, begin, end);
}
template <class Real>
void substitute(const StridedMatrix<const Real>& m, bool unit, size_t n, const Panel<Real>& panel) {
  substituteChosen<Real>(m, unit, n, panel);
}
template <class Real>
void eliminate(const Panel<Real>& panel, size_t source, size_t column, Real pivot, Real divisor, size_t begin,
               size_t end) {
  eliminateChosen<Real>(panel, source, column, pivot, divisor, begin, end);
}

#define TESSERA_PANELS(Real)                                                                                       \
  template void loadPanel(const StridedMatrix<const Real>&, size_t, size_t, const Panel<Real>&);                   \
  template void storePanel(const Panel<Real>&, size_t, size_t, const StridedMatrix<Real>&);                        \
  template void subtractProducts(const StridedMatrix<const Real>&, size_t, const Panel<Real>&, const Panel<Real>&, \
                                 size_t, size_t);                                                                  \
  template void substitute(const StridedMatrix<const Real>&, bool, size_t, const Panel<Real>&);                    \
  template void eliminate(const Panel<Real>&, size_t, size_t, Real, Real, size_t, size_t);
TESSERA_PANELS(float)
TESSERA_PANELS(double)

}  // namespace tessera::cpu
