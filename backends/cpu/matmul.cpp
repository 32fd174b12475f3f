// bf16, s8 and u8 dots through oneDNN's matmul, on operands where they lie: one primitive per piece of the batch or of
// the rows, so that our threads share the work. Processors whose bf16 or 8-bit products are emulated are refused.
#include <algorithm>

#include <oneapi/dnnl/dnnl.hpp>

#include "backends/cpu/dnnl_engine.h"
#include "backends/cpu/dot_form.h"

namespace tessera::cpu {

namespace {

using Kind = dnnl::memory::data_type;
using Desc = dnnl::memory::desc;

std::optional<Kind> kindOf(ElementType type) {
  switch (type) {
    case ElementType::BF16: return Kind::bf16;
    case ElementType::F32: return Kind::f32;
    case ElementType::S8: return Kind::s8;
    case ElementType::U8: return Kind::u8;
    case ElementType::S32: return Kind::s32;
    default: return std::nullopt;
  }
}

bool isNative(const DotForm& form) {
  using E = ElementType;
  auto isa = dnnl::get_effective_cpu_isa();
  if (form.lhsType == E::BF16 && form.rhsType == E::BF16)
    return isa >= dnnl::cpu_isa::avx512_core_bf16 && (form.resultType == E::BF16 || form.resultType == E::F32);
  bool bytes = (form.lhsType == E::S8 || form.lhsType == E::U8) && form.rhsType == E::S8;
  return bytes && form.resultType == E::S32 && isa >= dnnl::cpu_isa::avx512_core_vnni;
}

// rows × columns with an outer batch, described by bytes from the operand's start.
struct Matrix {
  int slot = -1;
  Kind kind = Kind::f32;
  int64_t width = 4, batchStride = 0, rowStride = 0, columnStride = 0;
  Desc desc(int64_t batch, int64_t rows, int64_t columns) const {
    return Desc({batch, rows, columns}, kind, {batchStride, rowStride, columnStride});
  }
  std::byte* at(RunState& state, int64_t batch, int64_t row) const {
    return state.pointers[static_cast<size_t>(slot)] + (batch * batchStride + row * rowStride) * width;
  }
};

struct Piece {
  int64_t batch = 0, row = 0;
  dnnl::matmul primitive;
  dnnl::memory lhs, rhs, out, scratch;
};

class MatmulStep : public Step {
 public:
  Matrix lhs, rhs, out;
  std::vector<Piece> pieces;

  void addPiece(int64_t batch, int64_t row, int64_t batches, int64_t m, int64_t n, int64_t k);
  Status run(RunState& state) override;
};

void MatmulStep::addPiece(int64_t batch, int64_t row, int64_t batches, int64_t m, int64_t n, int64_t k) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  Desc l = lhs.desc(batches, m, k), r = rhs.desc(batches, k, n), o = out.desc(batches, m, n);
  dnnl::matmul::primitive_desc pd(dnnl::matmul::desc(l, r, o), attributes, dnnlEngine());
  auto empty = [&](const Desc& desc) { return dnnl::memory(desc, dnnlEngine(), nullptr); };
  pieces.push_back({batch, row, dnnl::matmul(pd), empty(l), empty(r), empty(o), dnnl::memory(pd.scratchpad_desc(), dnnlEngine())});
}

Status MatmulStep::run(RunState& state) {
  return dnnlForEach(*state.pool, static_cast<int64_t>(pieces.size()), "dot", [&](int64_t i, dnnl::stream& stream) {
    Piece& piece = pieces[static_cast<size_t>(i)];
    piece.lhs.set_data_handle(lhs.at(state, piece.batch, piece.row));
    piece.rhs.set_data_handle(rhs.at(state, piece.batch, 0));
    piece.out.set_data_handle(out.at(state, piece.batch, piece.row));
    const dnnl_exec_arg_t all[] = {{DNNL_ARG_SRC, piece.lhs.get()}, {DNNL_ARG_WEIGHTS, piece.rhs.get()},
                                   {DNNL_ARG_DST, piece.out.get()}, {DNNL_ARG_SCRATCHPAD, piece.scratch.get()}};
    dnnlExecute(piece.primitive, stream, all);
  });
}

void split(MatmulStep& step, const DotForm& form) {
  constexpr int64_t kPieces = 4;
  double flops = 2.0 * static_cast<double>(form.m) * static_cast<double>(form.n) * static_cast<double>(form.k) * static_cast<double>(form.batches);
  int64_t wanted = flops < 4e5 ? 1 : kPieces;
  if (form.batches >= wanted) {
    int64_t each = (form.batches + wanted - 1) / wanted;
    for (int64_t b = 0; b < form.batches; b += each) step.addPiece(b, 0, std::min(each, form.batches - b), form.m, form.n, form.k);
    return;
  }
  int64_t each = std::max<int64_t>(16, ((form.m * form.batches + wanted - 1) / wanted + 15) / 16 * 16);
  for (int64_t b = 0; b < form.batches; ++b)
    for (int64_t row = 0; row < form.m; row += each) step.addPiece(b, row, 1, std::min(each, form.m - row), form.n, form.k);
}

std::optional<Matrix> matrixOf(int slot, ElementType type, const Dims& batch, const Dims& rows, const Dims& columns) {
  auto b = collapse(batch), r = collapse(rows), c = collapse(columns);
  auto view = viewOf(rows, columns);
  if (!b || !r || !c || !view) return std::nullopt;
  Matrix out{slot, *kindOf(type), byteWidth(type), b->stride, view->transposed ? 1 : view->ld, view->transposed ? view->ld : 1};
  return out;
}

}  // namespace

Result<StepPtr> planMatmul(LibraryContext& context, const DotForm& form) {
  if (!isNative(form) || form.batches * form.m * form.n * form.k == 0) return StepPtr{};
  auto left = matrixOf(context.operands[0], form.lhsType, form.lhsBatch, form.rows, form.lhsInner);
  auto right = matrixOf(context.operands[1], form.rhsType, form.rhsBatch, form.rhsInner, form.columns);
  if (!left || !right) return StepPtr{};
  auto step = std::make_unique<MatmulStep>();
  step->lhs = *left;
  step->rhs = *right;
  step->out = {context.outputs[0], *kindOf(form.resultType), byteWidth(form.resultType), form.m * form.n, form.n, 1};
  OneOpenMpThread single;
  try {
    split(*step, form);
  } catch (const dnnl::error&) {
    return StepPtr{};
  }
  context.what = "dot (oneDNN matmul)";
  return step;
}

}  // namespace tessera::cpu
