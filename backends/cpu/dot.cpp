// dot: any dimension numbers as [B, M, K] × [B, K, N] in f32 through oneDNN's sgemm. An operand whose strides sgemm can
// walk is used where it lies; others, and f16 and bf16, are packed first. We split batches and blocks of rows over
// threads. Other types are refused and run through the op's element program.
#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

#include "backends/cpu/library_steps.h"
#include "core/hlo/numbers.h"

namespace tessera::cpu {

namespace {

struct Dim {
  int64_t size, stride;
};
using Dims = std::vector<Dim>;

int64_t product(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, [](int64_t p, const Dim& d) { return p * d.size; });
}

// Several dimensions as one with a single stride, where memory allows it.
std::optional<Dim> collapse(const Dims& dims) {
  Dim out{1, 1};
  bool first = true;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i].size == 1) continue;
    if (first) out = dims[i];
    else if (dims[i].stride != out.stride * out.size) return std::nullopt;
    else out.size *= dims[i].size;
    first = false;
  }
  return out;
}

// How sgemm sees a rows × columns operand.
struct MatrixView {
  bool transposed = false;
  int64_t ld = 1;
};

std::optional<MatrixView> viewOf(const Dims& rows, const Dims& columns) {
  auto r = collapse(rows), c = collapse(columns);
  if (!r || !c) return std::nullopt;
  if (c->stride == 1 || c->size == 1) {
    int64_t ld = r->size == 1 ? c->size : r->stride;
    if (c->size == 1 && r->size > 1 && r->stride < 1) return std::nullopt;
    if (ld >= std::max<int64_t>(c->size, 1)) return MatrixView{false, ld};
  }
  if (r->stride == 1 || r->size == 1) {
    int64_t ld = c->stride;
    if (ld >= std::max<int64_t>(r->size, 1)) return MatrixView{true, ld};
  }
  return std::nullopt;
}

// One operand: its dimensions by role and where its f32 form lies.
struct Operand {
  int slot = -1;
  ElementType type = ElementType::F32;
  Dims batch, rows, columns;
  MatrixView view;
  int packed = -1;               // scratch slot; -1: used in place
  std::vector<int64_t> batchOffset;
};

// Reads f16, bf16 or f32 elements of one matrix of the operand into dense f32 rows.
template <class T>
void packRows(const T* from, const Operand& operand, float* to, int64_t beginRow, int64_t endRow) {
  int64_t columns = product(operand.columns);
  std::vector<int64_t> columnOffset(static_cast<size_t>(columns));
  for (int64_t c = 0; c < columns; ++c) {
    int64_t rest = c, offset = 0;
    for (size_t d = operand.columns.size(); d-- > 0;) {
      offset += rest % operand.columns[d].size * operand.columns[d].stride;
      rest /= operand.columns[d].size;
    }
    columnOffset[static_cast<size_t>(c)] = offset;
  }
  for (int64_t row = beginRow; row < endRow; ++row) {
    int64_t rest = row, offset = 0;
    for (size_t d = operand.rows.size(); d-- > 0;) {
      offset += rest % operand.rows[d].size * operand.rows[d].stride;
      rest /= operand.rows[d].size;
    }
    for (int64_t b = 0; b < static_cast<int64_t>(operand.batchOffset.size()); ++b) {
      const T* source = from + offset + operand.batchOffset[static_cast<size_t>(b)];
      float* target = to + (b * product(operand.rows) + row) * columns;
      for (int64_t c = 0; c < columns; ++c) {
        const T& value = source[columnOffset[static_cast<size_t>(c)]];
        if constexpr (std::is_same_v<T, float>) target[c] = value;
        else target[c] = static_cast<float>(static_cast<double>(value));
      }
    }
  }
}

void pack(const Operand& operand, RunState& state) {
  const std::byte* from = state.pointers[static_cast<size_t>(operand.slot)];
  auto* to = reinterpret_cast<float*>(state.pointers[static_cast<size_t>(operand.packed)]);
  int64_t rows = product(operand.rows);
  int64_t perRow = std::max<int64_t>(1, product(operand.columns) * static_cast<int64_t>(operand.batchOffset.size()));
  state.pool->parallelFor(rows, std::max<int64_t>(1, 16384 / perRow), [&](int64_t begin, int64_t end, int) {
    visitNative(operand.type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      if constexpr (sizeof(T) <= 4 && !std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        if constexpr (std::is_convertible_v<T, double> || std::is_constructible_v<double, T>)
          packRows(reinterpret_cast<const T*>(from), operand, to, begin, end);
      }
    });
  });
}

class DotStep : public Step {
 public:
  Operand lhs, rhs;
  int64_t m = 1, n = 1, k = 1, batches = 1;
  int out = -1, wide = -1;  // wide: f32 scratch when the result is narrower
  ElementType outType = ElementType::F32;

  Status run(RunState& state) override;

 private:
  void multiply(RunState& state, float* c);
  void narrow(RunState& state, const float* c);
};

void DotStep::multiply(RunState& state, float* c) {
  auto base = [&](const Operand& o) {
    return reinterpret_cast<const float*>(state.pointers[static_cast<size_t>(o.packed >= 0 ? o.packed : o.slot)]);
  };
  const float* a = base(lhs);
  const float* b = base(rhs);
  auto offset = [](const Operand& o, int64_t batch, int64_t rows, int64_t columns) {
    return o.packed >= 0 ? batch * rows * columns : o.batchOffset[static_cast<size_t>(batch)];
  };
  // Blocks of rows (or, for flat products, of columns) so that each task has some 10^5 flops or more.
  bool splitColumns = m < n;
  int64_t extent = splitColumns ? n : m;
  int64_t wanted = std::max<int64_t>(1, (2 * state.pool->threads() + batches - 1) / batches);
  double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (batches >= 2 * state.pool->threads() || flops < 4e5) wanted = 1;
  int64_t block = std::max<int64_t>(16, ((extent + wanted - 1) / wanted + 15) / 16 * 16);
  int64_t blocks = (extent + block - 1) / block;
  auto tasksPerChunk = static_cast<int64_t>(2e5 / (flops / static_cast<double>(blocks) + 1)) + 1;
  state.pool->parallelFor(batches * blocks, tasksPerChunk, [&](int64_t begin, int64_t end, int) {
    for (int64_t task = begin; task < end; ++task) {
      int64_t batch = task / blocks, first = task % blocks * block, size = std::min(block, extent - first);
      const float* pa = a + offset(lhs, batch, m, k);
      const float* pb = b + offset(rhs, batch, k, n);
      float* pc = c + batch * m * n;
      if (splitColumns) {
        pb += rhs.view.transposed ? first * rhs.view.ld : first;
        pc += first;
      } else {
        pa += lhs.view.transposed ? first : first * lhs.view.ld;
        pc += first * n;
      }
      dnnl_sgemm(lhs.view.transposed ? 'T' : 'N', rhs.view.transposed ? 'T' : 'N', splitColumns ? m : size,
                 splitColumns ? size : n, k, 1.0f, pa, lhs.view.ld, pb, rhs.view.ld, 0.0f, pc, n);
    }
  });
}

void DotStep::narrow(RunState& state, const float* c) {
  std::byte* to = state.pointers[static_cast<size_t>(out)];
  int width = byteWidth(outType);
  state.pool->parallelFor(batches * m * n, 16384, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) storeDouble(outType, to + i * width, c[i]);
  });
}

Status DotStep::run(RunState& state) {
  if (batches * m * n == 0) return {};
  auto* c = reinterpret_cast<float*>(state.pointers[static_cast<size_t>(wide >= 0 ? wide : out)]);
  if (k == 0) {
    std::fill(c, c + batches * m * n, 0.0f);
  } else {
    if (lhs.packed >= 0) pack(lhs, state);
    if (rhs.packed >= 0) pack(rhs, state);
    multiply(state, c);
  }
  if (wide >= 0) narrow(state, c);
  return {};
}

bool fitsF32(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F16 || type == ElementType::BF16;
}

Dims dimsOf(const Shape& shape) {
  Dims out(shape.dimensions.size());
  int64_t stride = 1;
  for (size_t d = out.size(); d-- > 0;) {
    out[d] = {shape.dimensions[d], stride};
    stride *= shape.dimensions[d];
  }
  return out;
}

Dims pick(const Dims& dims, const std::vector<int64_t>& which) {
  Dims out;
  for (int64_t d : which) out.push_back(dims[static_cast<size_t>(d)]);
  return out;
}

Dims others(const Dims& dims, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  Dims out;
  for (size_t d = 0; d < dims.size(); ++d) {
    auto has = [&](const std::vector<int64_t>& v) { return std::find(v.begin(), v.end(), static_cast<int64_t>(d)) != v.end(); };
    if (!has(a) && !has(b)) out.push_back(dims[d]);
  }
  return out;
}

void numberBatches(Operand& operand) {
  int64_t count = product(operand.batch);
  operand.batchOffset.resize(static_cast<size_t>(count));
  for (int64_t b = 0; b < count; ++b) {
    int64_t rest = b, offset = 0;
    for (size_t d = operand.batch.size(); d-- > 0;) {
      offset += rest % operand.batch[d].size * operand.batch[d].stride;
      rest /= operand.batch[d].size;
    }
    operand.batchOffset[static_cast<size_t>(b)] = offset;
  }
}

Status place(Operand& operand, LibraryContext& context) {
  auto view = viewOf(operand.rows, operand.columns);
  numberBatches(operand);
  if (view && operand.type == ElementType::F32) {
    operand.view = *view;
    return {};
  }
  int64_t rows = product(operand.rows), columns = product(operand.columns);
  operand.view = {false, std::max<int64_t>(columns, 1)};
  TESSERA_ASSIGN_OR_RETURN(operand.packed, context.scratch(product(operand.batch) * rows * columns * 4));
  return {};
}

}  // namespace

Result<StepPtr> planDot(LibraryContext& context) {
  const Instruction& dot = context.instruction;
  const Shape& a = context.module.shapeOf(dot.operands[0]);
  const Shape& b = context.module.shapeOf(dot.operands[1]);
  if (!fitsF32(a.type) || !fitsF32(b.type) || !fitsF32(dot.shape->type) || dot.operands.size() != 2) return StepPtr{};
  const AttributeSet& attributes = *dot.attributes;
  std::vector<int64_t> lhsBatch = attributes.ints(Attr::lhs_batch_dims), rhsBatch = attributes.ints(Attr::rhs_batch_dims);
  std::vector<int64_t> lhsK = attributes.ints(Attr::lhs_contracting_dims), rhsK = attributes.ints(Attr::rhs_contracting_dims);
  Dims ad = dimsOf(a), bd = dimsOf(b);
  auto step = std::make_unique<DotStep>();
  std::vector<size_t> order(lhsK.size());  // contracting pairs in the order of lhs' memory, so that they collapse
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) { return lhsK[x] < lhsK[y]; });
  Dims lhsColumns, rhsRows;
  for (size_t i : order) {
    lhsColumns.push_back(ad[static_cast<size_t>(lhsK[i])]);
    rhsRows.push_back(bd[static_cast<size_t>(rhsK[i])]);
  }
  step->lhs.slot = context.operands[0];
  step->lhs.type = a.type;
  step->lhs.batch = pick(ad, lhsBatch);
  step->lhs.rows = others(ad, lhsBatch, lhsK);
  step->lhs.columns = lhsColumns;
  step->rhs.slot = context.operands[1];
  step->rhs.type = b.type;
  step->rhs.batch = pick(bd, rhsBatch);
  step->rhs.rows = rhsRows;
  step->rhs.columns = others(bd, rhsBatch, rhsK);
  step->batches = product(step->lhs.batch);
  step->m = product(step->lhs.rows);
  step->k = product(lhsColumns);
  step->n = product(step->rhs.columns);
  step->out = context.outputs[0];
  step->outType = dot.shape->type;
  TESSERA_TRY(place(step->lhs, context));
  TESSERA_TRY(place(step->rhs, context));
  if (step->outType != ElementType::F32) {
    TESSERA_ASSIGN_OR_RETURN(step->wide, context.scratch(step->batches * step->m * step->n * 4));
  }
  context.what = "dot (oneDNN)";
  return step;
}

}  // namespace tessera::cpu
