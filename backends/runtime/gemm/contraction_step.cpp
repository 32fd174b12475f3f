// See contraction_step.h.
#include "backends/runtime/gemm/contraction_step.h"

#include <algorithm>
#include <complex>

#include "backends/runtime/half_floats.h"
#include "core/base/checked_math.h"
#include "core/base/tuning.h"
#include "core/hlo/numbers.h"

namespace tessera::cpu {

namespace {

// Plan and run time agree on tasks, since panels are in memory that was planned: these are no tuning constants.
constexpr int64_t kStepsPerBlock = 256;  // a right panel of so many steps stays in the first cache
constexpr int64_t kPanelsPerTask = 16;   // left panels that one task keeps in the second cache
constexpr double kTaskFlops = 4e5;
constexpr int64_t kSharedBytes = 1 << 19;  // of left panels that all tasks share, at most
constexpr int64_t kWantedTasks = 16;

template <class T>
T withBits(uint16_t bits) {
  T out;
  out.bits = bits;
  return out;
}

}  // namespace

ContractionStep::ContractionStep(const Contraction& contraction, const codegen::TileShape& tile)
    : c(contraction),
      tile_(tile),
      left_(contraction.lhs, tile.type, tile.rows, tile.pairs),
      right_(contraction.rhs, tile.type, tile.columns(), tile.pairs),
      rows_(contraction.lhs.outerSize()),
      columns_(contraction.rhs.outerSize()) {
  auto row = collapse(c.outRows), column = collapse(c.outColumns);
  isDirect_ = tile.parts() == 1 && byteWidth(c.resultType) == tile.partBytes() && c.resultType != ElementType::Pred &&
              isFloat(c.resultType) == isFloat(tile.type) && row && column &&
              (column->stride == 1 || column->size == 1);
  if (row) rowStride_ = row->size == 1 ? 0 : row->stride;
  splitTasks();
}

int64_t ContractionStep::leftBytes() const {
  return (packsOwn_ ? rowsPerTask_ : left_.batches() * left_.panels()) * left_.panelBytes();
}

std::optional<int64_t> ContractionStep::packedBytes(int64_t threads) const {
  auto left = checkedMul(checkedMul(left_.batches(), left_.panels()).value_or(INT64_MAX), left_.panelBytes());
  auto right = checkedMul(checkedMul(right_.batches(), right_.panels()).value_or(INT64_MAX), right_.panelBytes());
  if (!left || !right) return std::nullopt;
  return checkedAdd(packsOwn_ ? threads * leftBytes() : *left, *right);
}

// Tasks as large as the caches like, smaller while there are few of them; large enough to be worth handing out. With
// many rows a task has all columns, so that its rows are packed by it alone.
void ContractionStep::splitTasks() {
  auto pieces = [](int64_t panels, int64_t each) { return (panels + each - 1) / each; };
  const int64_t leftPanels = left_.batches() * left_.panels();
  packsOwn_ = leftPanels >= kWantedTasks && leftPanels > kSharedBytes / std::max<int64_t>(1, left_.panelBytes());
  rowsPerTask_ = std::min(kPanelsPerTask, std::max<int64_t>(1, left_.panels()));
  columnsPerTask_ = std::max<int64_t>(
      1, packsOwn_ ? right_.panels() : std::min<int64_t>(right_.panels(), std::max<int64_t>(1, 512 / tile_.columns())));
  double flopsPerTile =
      2.0 * tile_.rows * static_cast<double>(tile_.columns()) * static_cast<double>(left_.innerSize()) * tile_.parts();
  auto tasks = [&] {
    return left_.batches() * pieces(left_.panels(), rowsPerTask_) * pieces(right_.panels(), columnsPerTask_);
  };
  auto flops = [&] { return flopsPerTile * static_cast<double>(rowsPerTask_ * columnsPerTask_); };
  while (tasks() < kWantedTasks && flops() > 2 * kTaskFlops && (rowsPerTask_ > 1 || columnsPerTask_ > 1)) {
    const bool halvesRows =
        packsOwn_ || (rowsPerTask_ * tile_.rows >= columnsPerTask_ * tile_.columns() && rowsPerTask_ > 1);
    int64_t& larger = halvesRows ? rowsPerTask_ : columnsPerTask_;
    if (larger == 1) break;
    larger = (larger + 1) / 2;
  }
  rowTasks_ = pieces(left_.panels(), rowsPerTask_);
  columnTasks_ = pieces(right_.panels(), columnsPerTask_);
  taskFlops_ = flops();
}

// All panels of one side.
void ContractionStep::pack(RunState& state, const PanelPacker& packer, int slot, std::byte* to) const {
  const std::byte* from = state.pointers[static_cast<size_t>(slot)];
  int64_t chunk = std::max<int64_t>(1, tuning().products.packedBytes / std::max<int64_t>(packer.panelBytes(), 1));
  state.pool->parallelFor(packer.batches() * packer.panels(), chunk, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i)
      packer.pack(from, i / packer.panels(), i % packer.panels(), to + i * packer.panelBytes());
  });
}

// From the tile's sums to the result's type and place, what is past the edges left out.
void ContractionStep::scatter(const std::byte* sums, std::byte* out, int64_t batch, int64_t firstRow,
                              int64_t firstColumn) const {
  int64_t rows = std::min<int64_t>(tile_.rows, rows_ - firstRow),
          columns = std::min(tile_.columns(), columns_ - firstColumn);
  int64_t start = c.outStart + offsetAt(c.outBatch, batch), plane = tile_.rows * tile_.columns();
  int64_t columnOffset[64];
  for (int64_t j = 0; j < columns; ++j) columnOffset[j] = offsetAt(c.outColumns, firstColumn + j);
  auto each = [&](auto tag, auto&& value) {
    using T = typename decltype(tag)::Type;
    for (int64_t i = 0; i < rows; ++i) {
      T* row = reinterpret_cast<T*>(out) + start + offsetAt(c.outRows, firstRow + i);
      for (int64_t j = 0; j < columns; ++j) row[columnOffset[j]] = value(i * tile_.columns() + j);
    }
  };
  auto as = [&](auto part) { return reinterpret_cast<const decltype(part)*>(sums); };
  visitNative(c.resultType, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_same_v<T, bool>)
      each(tag, [&, s = as(int32_t{})](int64_t i) { return s[i] != 0; });
    else if constexpr (std::is_same_v<T, std::complex<float>>)
      each(tag, [&, s = as(float{})](int64_t i) { return T(s[i], s[i + plane]); });
    else if constexpr (std::is_same_v<T, std::complex<double>>)
      each(tag, [&, s = as(double{})](int64_t i) { return T(s[i], s[i + plane]); });
    else if constexpr (std::is_same_v<T, double>)
      each(tag, [&, s = as(double{})](int64_t i) { return s[i]; });
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
      each(tag, [&, s = as(int64_t{})](int64_t i) { return static_cast<T>(s[i]); });
    else if constexpr (std::is_same_v<T, float>)
      each(tag, [&, s = as(float{})](int64_t i) { return s[i]; });
    else if constexpr (std::is_integral_v<T>)
      each(tag, [&, s = as(int32_t{})](int64_t i) { return static_cast<T>(s[i]); });
    else if constexpr (std::is_same_v<T, SmallFloat<ElementType::BF16, uint16_t>>)
      each(tag, [&, s = as(float{})](int64_t i) { return withBits<T>(Bf16(s[i]).bits); });
    else if constexpr (std::is_same_v<T, SmallFloat<ElementType::F16, uint16_t>>)
      each(tag, [&, s = as(float{})](int64_t i) { return withBits<T>(F16(s[i]).bits); });
    else if (isInteger(c.resultType))
      each(tag, [&, s = as(int32_t{})](int64_t i) { return T(static_cast<int64_t>(s[i])); });
    else
      each(tag, [&, s = as(float{})](int64_t i) { return T(static_cast<double>(s[i])); });
  });
}

void ContractionStep::runTile(const CompiledKernel& kernel, void** buffers, std::byte* out, int64_t batch,
                              int64_t panelRow, int64_t panelColumn, int64_t begin, int64_t end) {
  int64_t firstRow = panelRow * tile_.rows, firstColumn = panelColumn * tile_.columns();
  bool whole = firstRow + tile_.rows <= rows_ && firstColumn + tile_.columns() <= columns_;
  if (isDirect_ && whole) {
    int64_t at = c.outStart + offsetAt(c.outBatch, batch) + firstRow * rowStride_ + firstColumn;
    int64_t numbers[2] = {rowStride_, begin > 0};
    buffers[2] = out + at * tile_.partBytes();
    buffers[3] = numbers;
    return kernel.function(buffers, begin, end);
  }
  if (begin > 0) return;  // done as a whole with the first block
  alignas(64) std::byte sums[8 * 64 * 8 * 2];
  int64_t numbers[2] = {tile_.columns(), 0};
  buffers[2] = sums;
  buffers[3] = numbers;
  kernel.function(buffers, 0, left_.steps());
  scatter(sums, out, batch, firstRow, firstColumn);
}

std::byte* ContractionStep::leftPanels(RunState& state) const {
  return state.pointers[static_cast<size_t>(packed)] + right_.batches() * right_.panels() * right_.panelBytes();
}

void ContractionStep::runTask(RunState& state, int64_t task, int thread) {
  const CompiledKernel& kernel = state.kernels[kernelIndex];
  int64_t column = task % columnTasks_ * columnsPerTask_, row = task / columnTasks_ % rowTasks_ * rowsPerTask_;
  int64_t batch = task / columnTasks_ / rowTasks_, steps = left_.steps();
  int64_t rowEnd = std::min(row + rowsPerTask_, left_.panels()),
          columnEnd = std::min(column + columnsPerTask_, right_.panels());
  std::byte* right = state.pointers[static_cast<size_t>(packed)] + batch * right_.panels() * right_.panelBytes();
  std::byte* left =
      leftPanels(state) + (packsOwn_ ? thread * leftBytes() : (batch * left_.panels() + row) * left_.panelBytes());
  std::byte* out = state.pointers[static_cast<size_t>(c.outSlot)];
  for (int64_t i = row; i < rowEnd && packsOwn_; ++i)
    left_.pack(state.pointers[static_cast<size_t>(c.lhsSlot)], batch, i, left + (i - row) * left_.panelBytes());
  for (int64_t begin = 0; begin < steps; begin += kStepsPerBlock)
    for (int64_t j = column; j < columnEnd; ++j)
      for (int64_t i = row; i < rowEnd; ++i) {
        void* buffers[4] = {left + (i - row) * left_.panelBytes(), right + j * right_.panelBytes(), nullptr, nullptr};
        runTile(kernel, buffers, out, batch, i, j, begin, std::min(begin + kStepsPerBlock, steps));
      }
}

// Nothing is summed: every element is zero (all types' zero is zero bytes, but for f8e8m0, which is refused).
void ContractionStep::fillZero(std::byte* out) const {
  int width = byteWidth(c.resultType);
  for (int64_t b = 0; b < product(c.outBatch); ++b)
    for (int64_t i = 0; i < rows_; ++i)
      for (int64_t j = 0; j < columns_; ++j) {
        int64_t at = c.outStart + offsetAt(c.outBatch, b) + offsetAt(c.outRows, i) + offsetAt(c.outColumns, j);
        std::fill_n(out + at * width, width, std::byte{0});
      }
}

Status ContractionStep::run(RunState& state) {
  const int64_t tasks = left_.batches() * rowTasks_ * columnTasks_;
  if (left_.batches() * rows_ * columns_ == 0) return {};
  if (left_.innerSize() == 0) {
    fillZero(state.pointers[static_cast<size_t>(c.outSlot)]);
    return {};
  }
  pack(state, right_, c.rhsSlot, state.pointers[static_cast<size_t>(packed)]);
  if (!packsOwn_) pack(state, left_, c.lhsSlot, leftPanels(state));
  auto chunk = static_cast<int64_t>(kTaskFlops / taskFlops_) + 1;
  state.pool->parallelFor(tasks, chunk, [&](int64_t begin, int64_t end, int thread) {
    for (int64_t task = begin; task < end; ++task) runTask(state, task, thread);
  });
  return {};
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_contraction(tessera::cpu::FieldReader& in) {
  tessera::cpu::Contraction contraction;
  tessera::codegen::TileShape tile;
  in(contraction, tile);
  if (!in.good()) return nullptr;
  auto step = std::make_unique<tessera::cpu::ContractionStep>(contraction, tile);
  in(step->kernelIndex, step->packed);
  return step.release();
}
