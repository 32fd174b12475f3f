// Panels: some columns of a matrix side by side in the lanes of vectors, row after row, from which products with rows
// of another matrix are subtracted. What triangular systems and factorisations spend their time in; compiled for the
// widths of vectors that processors have. Used by triangular_solve_step and factor_step.
#pragma once

#include <cstddef>

namespace tessera::cpu {

template <class Real>
inline constexpr size_t kVectorLanes = 64 / sizeof(Real);
inline constexpr size_t kMaxPanelVectors = 2;  // of a row

// Element (i, j) at first[i * rowStep + j * columnStep].
template <class Real>
struct StridedMatrix {
  Real* first;
  ptrdiff_t rowStep, columnStep;
  Real& at(size_t i, size_t j) const {
    return first[static_cast<ptrdiff_t>(i) * rowStep + static_cast<ptrdiff_t>(j) * columnStep];
  }
  StridedMatrix from(size_t i, size_t j) const { return {&at(i, j), rowStep, columnStep}; }
  StridedMatrix transposed() const { return {first, columnStep, rowStep}; }
  // Of n rows, the last one first.
  StridedMatrix rowsReversed(size_t n) const { return {&at(n - 1, 0), -rowStep, columnStep}; }
  StridedMatrix columnsReversed(size_t n) const { return {&at(0, n - 1), rowStep, -columnStep}; }
};

template <class Real>
struct Panel {
  Real* first;
  size_t vectors;  // of a row: 1 to kMaxPanelVectors
  size_t lanes() const { return vectors * kVectorLanes<Real>; }
  Real* row(size_t i) const { return first + i * lanes(); }
};

// The vectors that a panel of so many columns needs.
template <class Real>
constexpr size_t panelVectors(size_t columns) {
  return columns <= kVectorLanes<Real> ? 1 : kMaxPanelVectors;
}

// rows × columns elements to a panel, whose further lanes are 0, and back.
template <class Real>
void loadPanel(const StridedMatrix<const Real>& from, size_t rows, size_t columns, const Panel<Real>& to);
template <class Real>
void storePanel(const Panel<Real>& from, size_t rows, size_t columns, const StridedMatrix<Real>& to);

// panel(i) -= Σ m(i, j) · by(j) over j < count, for begin <= i < end. `by` may be the panel itself where count <=
// begin.
template <class Real>
void subtractProducts(const StridedMatrix<const Real>& m, size_t count, const Panel<Real>& by, const Panel<Real>& panel,
                      size_t begin, size_t end);

// The panel's n rows become x with m x = panel: m is a lower triangle, whose diagonal, where `unit`, counts as 1 and is
// not read.
template <class Real>
void substitute(const StridedMatrix<const Real>& m, bool unit, size_t n, const Panel<Real>& panel);

// A step of elimination by row `source` with panel(source, column) = pivot: of each row begin <= i < end, what stands
// right of the column loses panel(i, column) / pivot times the source's, and the column becomes panel(i, column) /
// divisor.
template <class Real>
void eliminate(const Panel<Real>& panel, size_t source, size_t column, Real pivot, Real divisor, size_t begin,
               size_t end);

}  // namespace tessera::cpu
