// BucketSortStep: one long row after the other, sorted by 32-bit keys that a kernel makes of each element, on all
// threads and almost in place: keys are distributed into buckets of the results' memory, each of which a
// thread sorts by digits in a little scratch that stays in its cache. Made by cpu/library/sort.
#pragma once

#include "backends/runtime/sort/radix_sort_step.h"

namespace tessera::cpu {

struct BucketSort {
  SortShape shape;  // inner 1
  codegen::RowLocality locality;
  size_t kernel = 0;  // makes the keys, from kernelSlots' operands
  std::vector<int> kernelSlots;
  int keys = -1, indices = -1;  // of 4 bytes an element; scratch, or results. indices -1: keys say all
  int cells = -1;               // scratch of kCells uint16_t: the bucket of each cell
  int chunks = -1, spare = -1;  // scratch: chunkElements keys a thread; scratchBytes() a thread
  int keyed = -1;               // the operand whose values the keys say by `form`; -1: none
  KeyForm form;
  std::vector<int> operands, outputs, widths;

  // Cells and samples use the memory of a row's keys until these are distributed: it has sort.bucketedElements of
  // tuning.inc.
  static constexpr int64_t kCells = 1 << 14;
  int64_t chunkElements() const { return (2047 + locality.elements) / locality.elements * locality.elements; }
  int64_t mostInBucket() const { return std::max<int64_t>(4096, shape.length / 64); }
  int64_t scratchBytes() const { return mostInBucket() * (indices < 0 ? 4 : 16); }
  template <class Fields>
  void fields(Fields& f) {
    f(shape, locality, kernel, kernelSlots, keys, indices, cells, chunks, spare, keyed, form, operands, outputs,
      widths);
  }
};

class BucketSortStep : public SerializableStep<BucketSortStep>, public BucketSort {
 public:
  static constexpr const char* kLoader = "tessera_step_bucket_sort";
  Status run(RunState& state) override;
  using BucketSort::fields;

 private:
  struct Row;
  struct Bucket;
  const uint32_t* makeKeys(const Row& row, int64_t begin, int64_t end, int thread) const;
  void sample(const Row& row);
  void findCells(const uint32_t* samples, uint32_t* counts, int64_t n);
  void cutCells(const Row& row, const uint32_t* counts, int64_t n);
  uint32_t cellOf(uint32_t key) const {
    return key <= low_ ? 0 : std::min<uint32_t>((key - low_) >> shift_, kCells - 1);
  }
  void distribute(const Row& row);
  void countChunk(const Row& row, int64_t chunk, int thread);
  void distributeChunk(const Row& row, int64_t chunk, int thread);
  void beginBuckets();
  void sortBucket(const Row& row, const Bucket& bucket, int thread) const;
  void finishSplit(const Row& row, const Bucket& part, int thread) const;
  void splitBucket(const Row& row, const Bucket& bucket, int shift, int thread) const;
  void finishKeys(const Row& row, const Bucket& bucket, int thread) const;
  void finishIndices(const Row& row, const Bucket& bucket, bool isInOrder, int thread) const;
  void write(const Row& row, const uint64_t* sorted, int64_t begin, int64_t n) const;

  // Of the row that is sorted.
  int64_t each_ = 0, buckets_ = 0;  // elements of a chunk
  uint32_t low_ = 0;
  int shift_ = 0;
  std::vector<uint32_t> at_;      // by chunk and bucket: counts, then where the next goes; kept between runs
  std::vector<uint32_t> begins_;  // by bucket, and the end of the last
};

}  // namespace tessera::cpu
