// See triangular_solve_step.h. x op(a) = b is op(a)ᵀ xᵀ = bᵀ, and an upper triangle is a lower one read
// backwards.
#include "backends/runtime/linear_algebra/triangular_solve_step.h"

#include <algorithm>

#include "backends/runtime/gemm/matrix_panels.h"
#include "core/base/tuning.h"

namespace tessera::cpu {
namespace {

template <class Real>
class TriangularSolveStep : public Step {
 public:
  explicit TriangularSolveStep(const TriangularSolve& shape) : shape_(shape) {}
  const char* loader() const override { return "tessera_step_triangular_solve"; }
  void save(FieldWriter& out) override { out(shape_); }
  Status run(RunState& state) override;

 private:
  size_t size() const { return static_cast<size_t>(shape_.n); }
  size_t sides() const { return static_cast<size_t>(shape_.sides); }
  void solve(const RunState& state, size_t batch, size_t side, Real* scratch) const;

  TriangularSolve shape_;
};

template <class Real>
Status TriangularSolveStep<Real>::run(RunState& state) {
  const size_t vectors = panelVectors<Real>(sides()), lanes = vectors * kVectorLanes<Real>, n = size();
  const size_t panels = (sides() + lanes - 1) / lanes;
  const size_t grain = std::max<size_t>(1, tuning().threads.laneProducts / (n * n / 2 * vectors + n * lanes));
  Real* scratch = reinterpret_cast<Real*>(state.pointers[static_cast<size_t>(shape_.scratch)]);
  state.pool->parallelFor(shape_.batch * static_cast<int64_t>(panels), static_cast<int64_t>(grain),
                          [&](int64_t begin, int64_t end, int thread) {
                            Real* mine = scratch + static_cast<size_t>(thread) * n * lanes;
                            for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
                              solve(state, i / panels, i % panels * lanes, mine);
                          });
  return {};
}

// The panel of right sides that begins at `side`.
template <class Real>
void TriangularSolveStep<Real>::solve(const RunState& state, size_t batch, size_t side, Real* scratch) const {
  const auto at = [&](int slot) { return reinterpret_cast<Real*>(state.pointers[static_cast<size_t>(slot)]); };
  const size_t n = size();
  const auto step = static_cast<ptrdiff_t>(n), sideStep = static_cast<ptrdiff_t>(sides());
  const bool swapped = shape_.transposed == shape_.left, backward = shape_.lower == swapped;
  StridedMatrix<const Real> m{at(shape_.a) + batch * n * n, step, 1};
  if (swapped) m = m.transposed();
  if (backward) m = m.rowsReversed(n).columnsReversed(n);
  const auto rightSides = [&](auto* first) {
    using Matrix = StridedMatrix<std::remove_pointer_t<decltype(first)>>;
    first += batch * n * sides();
    const Matrix all = shape_.left ? Matrix{first, sideStep, 1} : Matrix{first, 1, step};
    return (backward ? all.rowsReversed(n) : all).from(0, side);
  };
  const Panel<Real> panel{scratch, panelVectors<Real>(sides())};
  const size_t columns = std::min(panel.lanes(), sides() - side);
  loadPanel<Real>(rightSides(static_cast<const Real*>(at(shape_.b))), n, columns, panel);
  substitute<Real>(m, shape_.unit, n, panel);
  storePanel<Real>(panel, n, columns, rightSides(at(shape_.x)));
}

}  // namespace

int64_t scratchBytes(const TriangularSolve& shape) {
  const auto sides = static_cast<size_t>(shape.sides);
  return 64 * shape.n * shape.threads *
         static_cast<int64_t>(shape.isDouble ? panelVectors<double>(sides) : panelVectors<float>(sides));
}

StepPtr makeTriangularSolveStep(const TriangularSolve& shape) {
  if (shape.isDouble) return std::make_unique<TriangularSolveStep<double>>(shape);
  return std::make_unique<TriangularSolveStep<float>>(shape);
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_triangular_solve(tessera::cpu::FieldReader& in) {
  tessera::cpu::TriangularSolve shape;
  in(shape);
  return in.good() ? tessera::cpu::makeTriangularSolveStep(shape).release() : nullptr;
}
