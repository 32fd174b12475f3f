// DnnlStep: one oneDNN primitive, cut into pieces that our threads share. Arrays stay dense and row-major outside; what
// a primitive wants in another format is reordered before or after it. Made by cpu/library/dnnl_convolution.
#pragma once

#include <optional>
#include <vector>

#include "backends/runtime/dnnl/dnnl_engine.h"
#include "backends/runtime/gemm/row_pieces.h"
#include "backends/runtime/movement/strided_dims.h"
#include "backends/runtime/step.h"

namespace tessera::cpu {

// One array of a primitive: where it lies in a slot, and its form inside the primitive.
class DnnlArgument {
 public:
  // kind: DNNL_ARG_…; wanted: the primitive's format; offset in bytes.
  DnnlArgument(int kind, int slot, int64_t offset, const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted,
               bool isResult);

  // piece: where the array of kSlotOfPiece would begin, were there a whole one.
  void bind(const RunState& state, std::byte* piece);
  void packIn(dnnl::stream& stream);     // an operand into the primitive's format
  void unpackOut(dnnl::stream& stream);  // a result out of it
  int kind() const { return kind_; }
  const dnnl::memory& memory() const { return moves_ ? packed_ : plain_; }

 private:
  void reorder(dnnl::stream& stream, const dnnl::memory& from, const dnnl::memory& to) const;

  int kind_, slot_;
  int64_t offset_;
  bool isResult_, moves_;
  dnnl::memory plain_, packed_;
  dnnl::reorder move_;
};

// The slot of an array of which there is only the piece that a thread is at, in scratch.
inline constexpr int kSlotOfPiece = -2;

struct PieceScratch {
  int slot = -1;             // -1: nothing lies there
  int64_t bytes = 0;         // of a thread; 0: the whole array
  int64_t elementBytes = 0;  // of the array
  template <class Fields>
  void fields(Fields& f) {
    f(slot, bytes, elementBytes);
  }
};

struct DnnlPiece {
  int64_t first = 0, count = 0;  // its elements of the result, where a kernel follows
  dnnl::primitive primitive;
  std::vector<DnnlArgument> arguments;
  dnnl::memory scratch;
  std::vector<dnnl_exec_arg_t> bound;  // all of them, from the first run on
};

// f32 elements copied from `from` to dense `to`: row r, element e comes from start + offsetAt(rows, r) + inside[e].
struct Gather {
  int from = -1, to = -1;
  int64_t start = 0;
  Dims rows;
  std::vector<int64_t> inside;
  template <class Fields>
  void fields(Fields& f) {
    f(from, to, start, rows, inside);
  }
};

// The kernel that follows on the elements of each piece. slots: of its operands, then its result.
struct PieceKernel {
  static constexpr size_t kMaxSlots = 64;
  size_t kernel = 0;
  std::vector<int> slots;
  codegen::RowLocality locality;
  int64_t elements = 0;  // of the whole result
  template <class Fields>
  void fields(Fields& f) {
    f(kernel, slots, locality, elements);
  }
  void run(const RunState& state, int64_t first, int64_t count, std::byte* piece) const;
};

class DnnlStep : public Step {
 public:
  explicit DnnlStep(const char* what) : what_(what) {}
  Status run(RunState& state) override;

  std::optional<Gather> gather;        // first of all
  std::optional<DnnlArgument> shared;  // an operand of all pieces, packed once
  std::vector<DnnlPiece> pieces;
  std::optional<PieceKernel> end;
  PieceScratch pieceScratch;  // of what the kernel that follows reads

 private:
  std::byte* placeOf(const RunState& state, const DnnlPiece& piece, int thread) const;
  void gatherRows(RunState& state) const;
  void bindAll(DnnlPiece& piece) const;
  const char* what_;
};

}  // namespace tessera::cpu
