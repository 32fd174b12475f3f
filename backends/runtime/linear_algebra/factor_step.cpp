// See factor_step.h.
#include "backends/runtime/linear_algebra/factor_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "backends/runtime/gemm/matrix_panels.h"
#include "core/base/tuning.h"

namespace tessera::cpu {
namespace {

// One thread's working memory; a pool where the rows of a matrix are shared.
template <class Real>
struct FactorWork {
  Panel<Real> panel, other;
  ThreadPool* pool;
};

// Rows [begin, end) of the panel less the products of m's rows with those of `by`.
template <class Real>
void subtractRows(const FactorWork<Real>& work, const StridedMatrix<const Real>& m, size_t count, const Panel<Real>& by,
                  size_t begin, size_t end) {
  if (begin >= end) return;
  if (!work.pool) return subtractProducts<Real>(m, count, by, work.panel, begin, end);
  const size_t rows = tuning().threads.factorRows, groups = (end - begin + rows - 1) / rows,
               least = tuning().threads.laneProducts / (rows * (count + 1));
  work.pool->parallelFor(static_cast<int64_t>(groups), static_cast<int64_t>(std::max<size_t>(1, least)),
                         [&](int64_t first, int64_t last, int) {
                           const size_t from = begin + static_cast<size_t>(first) * rows,
                                        to = std::min(end, begin + static_cast<size_t>(last) * rows);
                           subtractProducts<Real>(m, count, by, work.panel, from, to);
                         });
}

template <class Real>
struct Lu {
  StridedMatrix<Real> matrix;
  size_t rows, columns;
  int32_t* pivots;  // null: not stored
  int32_t info = 0;

  void swapRows(size_t a, size_t b, size_t begin, size_t end) {
    if (a != b && begin < end)
      std::swap_ranges(&matrix.at(a, begin), &matrix.at(a, begin) + (end - begin), &matrix.at(b, begin));
  }

  // Columns first to first + count, whose part of the panel is all rows: elimination below the diagonal.
  void eliminatePanel(const Panel<Real>& panel, size_t first, size_t count) {
    for (size_t c = first; c < std::min(first + count, rows); ++c) {
      const size_t column = c - first;
      size_t best = c;
      for (size_t i = c + 1; i < rows; ++i)
        if (std::abs(panel.row(i)[column]) > std::abs(panel.row(best)[column])) best = i;
      if (pivots) pivots[c] = static_cast<int32_t>(best) + 1;
      if (best != c) std::swap_ranges(panel.row(c), panel.row(c) + panel.lanes(), panel.row(best));
      swapRows(c, best, 0, first);
      swapRows(c, best, first + count, columns);
      const Real pivot = panel.row(c)[column];
      if (pivot != 0)
        eliminate<Real>(panel, c, column, pivot, pivot, c + 1, rows);
      else if (info == 0)
        info = static_cast<int32_t>(c) + 1;
    }
  }

  void run(const FactorWork<Real>& work) {
    const Panel<Real>& panel = work.panel;
    const StridedMatrix<const Real> factors{matrix.first, matrix.rowStep, matrix.columnStep};
    for (size_t first = 0; first < columns; first += panel.lanes()) {
      const size_t count = std::min(panel.lanes(), columns - first), known = std::min(first, rows);
      loadPanel<Real>(factors.from(0, first), rows, count, panel);
      substitute<Real>(factors, true, known, panel);
      subtractRows(work, factors, known, panel, known, rows);
      eliminatePanel(panel, first, count);
      storePanel<Real>(panel, rows, count, matrix.from(0, first));
    }
  }
};

template <class Real>
struct Cholesky {
  StridedMatrix<Real> matrix;  // its lower triangle
  size_t n;
  int32_t info = 0;

  // Columns first to first + count of rows `first` and below; above the diagonal what mirrors it.
  void load(const Panel<Real>& panel, size_t first, size_t count) const {
    const StridedMatrix<const Real> from{&matrix.at(first, first), matrix.rowStep, matrix.columnStep};
    loadPanel<Real>(from, n - first, count, panel);
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i + 1; j < count; ++j) panel.row(i)[j] = from.at(j, i);
  }
  void store(const Panel<Real>& panel, size_t first, size_t count) const {
    const StridedMatrix<Real> to = matrix.from(first, first);
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j <= i; ++j) to.at(i, j) = panel.row(i)[j];
    if (const size_t below = n - first - count; below > 0)
      storePanel<Real>({panel.row(count), panel.vectors}, below, count, to.from(count, 0));
  }

  bool eliminatePanel(const Panel<Real>& panel, size_t first, size_t count) {
    for (size_t c = 0; c < count; ++c) {
      const Real pivot = panel.row(c)[c];
      if (!(pivot > 0)) {
        info = static_cast<int32_t>(first + c) + 1;
        return false;
      }
      const Real root = std::sqrt(pivot);
      eliminate<Real>(panel, c, c, pivot, root, c + 1, n - first);
      panel.row(c)[c] = root;
    }
    return true;
  }

  void run(const FactorWork<Real>& work) {
    const StridedMatrix<const Real> factor{matrix.first, matrix.rowStep, matrix.columnStep};
    for (size_t first = 0; first < n; first += work.panel.lanes()) {
      const size_t count = std::min(work.panel.lanes(), n - first);
      load(work.panel, first, count);
      if (first > 0) {
        loadPanel<Real>(factor.from(first, 0).transposed(), first, count, work.other);
        subtractRows(work, factor.from(first, 0), first, work.other, 0, n - first);
      }
      const bool isDefinite = eliminatePanel(work.panel, first, count);
      store(work.panel, first, count);
      if (!isDefinite) return;
    }
  }

  // Zeros above the diagonal, or NaN everywhere.
  void makeWhole() {
    for (size_t i = 0; i < n; ++i)
      for (size_t j = info == 0 ? i + 1 : 0; j < n; ++j)
        matrix.at(i, j) = info == 0 ? Real(0) : std::numeric_limits<Real>::quiet_NaN();
  }
};

template <class Real>
class FactorStep : public Step {
 public:
  explicit FactorStep(const Factor& shape) : shape_(shape) {}
  const char* loader() const override { return "tessera_step_factor"; }
  void save(FieldWriter& out) override { out(shape_); }
  Status run(RunState& state) override;

 private:
  size_t rows() const { return static_cast<size_t>(shape_.rows); }
  size_t columns() const { return static_cast<size_t>(shape_.columns); }
  Real* at(const RunState& state, int slot) const {
    return reinterpret_cast<Real*>(state.pointers[static_cast<size_t>(slot)]);
  }
  FactorWork<Real> workOf(const RunState& state, int thread, ThreadPool* pool) const;
  void factor(const RunState& state, size_t item, const FactorWork<Real>& work) const;

  Factor shape_;
};

template <class Real>
FactorWork<Real> FactorStep<Real>::workOf(const RunState& state, int thread, ThreadPool* pool) const {
  const size_t vectors = panelVectors<Real>(columns()), size = rows() * vectors * kVectorLanes<Real>;
  Real* first = at(state, shape_.scratch) + static_cast<size_t>(thread) * 2 * size;
  return {{first, vectors}, {first + size, vectors}, pool};
}

template <class Real>
void FactorStep<Real>::factor(const RunState& state, size_t item, const FactorWork<Real>& work) const {
  const size_t elements = rows() * columns(), most = std::min(rows(), columns());
  Real* to = at(state, shape_.to) + item * elements;
  if (shape_.from != shape_.to) std::copy_n(at(state, shape_.from) + item * elements, elements, to);
  const auto numbers = [&](int slot, size_t place) {
    return slot < 0 ? nullptr : reinterpret_cast<int32_t*>(state.pointers[static_cast<size_t>(slot)]) + place;
  };
  const StridedMatrix<Real> matrix{to, static_cast<ptrdiff_t>(columns()), 1};
  int32_t info = 0;
  if (shape_.factors == Factors::Lu) {
    Lu<Real> lu{matrix, rows(), columns(), numbers(shape_.pivots, item * most)};
    lu.run(work);
    info = lu.info;
  } else {
    Cholesky<Real> cholesky{shape_.lower ? matrix : matrix.transposed(), rows()};
    cholesky.run(work);
    if (shape_.isWhole) cholesky.makeWhole();
    info = cholesky.info;
  }
  if (int32_t* place = numbers(shape_.info, item)) *place = info;
}

template <class Real>
Status FactorStep<Real>::run(RunState& state) {
  const size_t products = rows() * columns() * std::min(rows(), columns()) / kVectorLanes<Real> + rows() * columns();
  if (shape_.batch < shape_.threads && products > tuning().threads.laneProducts) {
    const FactorWork<Real> work = workOf(state, 0, state.pool);
    for (int64_t item = 0; item < shape_.batch; ++item) factor(state, static_cast<size_t>(item), work);
    return {};
  }
  state.pool->parallelFor(shape_.batch,
                          static_cast<int64_t>(std::max<size_t>(1, tuning().threads.laneProducts / products)),
                          [&](int64_t begin, int64_t end, int thread) {
                            const FactorWork<Real> work = workOf(state, thread, nullptr);
                            for (int64_t item = begin; item < end; ++item)
                              factor(state, static_cast<size_t>(item), work);
                          });
  return {};
}

}  // namespace

int64_t scratchBytes(const Factor& shape) {
  const auto columns = static_cast<size_t>(shape.columns);
  return 2 * 64 * shape.rows * shape.threads *
         static_cast<int64_t>(shape.isDouble ? panelVectors<double>(columns) : panelVectors<float>(columns));
}

StepPtr makeFactorStep(const Factor& shape) {
  if (shape.isDouble) return std::make_unique<FactorStep<double>>(shape);
  return std::make_unique<FactorStep<float>>(shape);
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_factor(tessera::cpu::FieldReader& in) {
  tessera::cpu::Factor shape;
  in(shape);
  return in.good() ? tessera::cpu::makeFactorStep(shape).release() : nullptr;
}
