// DnnlStep: one oneDNN primitive, cut into shards that our threads take. Arrays stay dense and row-major outside; what
// a primitive takes in another format is reordered before or after it. Made by cpu/library/dnnl_convolution.
#pragma once

#include <optional>
#include <vector>

#include "backends/runtime/dnnl/dnnl_engine.h"
#include "backends/runtime/gemm/row_pieces.h"
#include "backends/runtime/movement/strided_dims.h"
#include "backends/runtime/step.h"

namespace tessera::cpu {

// One array of a primitive: its position in a slot, and its form inside the primitive.
class DnnlArgument {
 public:
  // kind: DNNL_ARG_…; wanted: the primitive's format; offset in bytes.
  DnnlArgument(int kind, int slot, int64_t offset, const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted,
               bool isResult);

  // shard: where the array of kSlotOfShard would begin, were there a whole one.
  void bind(const RunState& state, std::byte* shard);
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

// The slot of an array of which there is only the shard that a thread is at, in scratch.
inline constexpr int kSlotOfShard = -2;

struct ShardScratch {
  int slot = -1;             // -1: no array
  int64_t bytes = 0;         // of a thread; 0: the whole array
  int64_t elementBytes = 0;  // of the array
  template <class Fields>
  void fields(Fields& f) {
    f(slot, bytes, elementBytes);
  }
};

struct DnnlShard {
  int64_t first = 0, count = 0;  // its elements of the result, where there is an epilogue
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

// The kernel that computes on the elements of each shard once they are made. slots: of its operands, then its result.
struct DnnlEpilogue {
  static constexpr size_t kMaxSlots = 64;
  size_t kernel = 0;
  std::vector<int> slots;
  codegen::RowLocality locality;
  int64_t elements = 0;  // of the whole result
  template <class Fields>
  void fields(Fields& f) {
    f(kernel, slots, locality, elements);
  }
  void run(const RunState& state, int64_t first, int64_t count, std::byte* shard) const;
};

class DnnlStep : public Step {
 public:
  explicit DnnlStep(const char* what) : what_(what) {}
  Status run(RunState& state) override;

  std::optional<Gather> gather;        // first of all
  std::optional<DnnlArgument> shared;  // an operand of all shards, packed once
  std::vector<DnnlShard> shards;
  std::optional<DnnlEpilogue> epilogue;
  ShardScratch shardScratch;  // of what the epilogue reads

 private:
  std::byte* placeOf(const RunState& state, const DnnlShard& shard, int thread) const;
  void gatherRows(RunState& state) const;
  void bindAll(DnnlShard& shard) const;
  const char* what_;
};

}  // namespace tessera::cpu
