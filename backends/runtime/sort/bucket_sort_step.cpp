// See bucket_sort_step.h. A row's range of keys is cut into cells of equal width, cells into buckets of about equal
// numbers of keys by a sample; all keys are counted, then distributed, chunk by chunk of the row and in order, so that
// indices of equal keys stay in order. A bucket that is too large for the scratch is split where it lies, by digits,
// the highest first.
#include "backends/runtime/sort/bucket_sort_step.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "backends/runtime/movement/element_words.h"
#include "backends/runtime/sort/radix_sort.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kMaxBuckets = 2048;
constexpr int64_t kSamples = 8192, kSampleRun = 64;

// Key and index, sorted by both.
struct KeyAndIndex {
  uint64_t bits;
};
inline uint64_t radixKey(const KeyAndIndex& item) { return item.bits; }
inline int radixKeyBits(const KeyAndIndex&) { return 64; }

template <class T>
void gather(const uint64_t* sorted, const std::byte* in, std::byte* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(out + i * static_cast<int64_t>(sizeof(T)), in + (sorted[i] & 0xffffffffu) * sizeof(T), sizeof(T));
}

}  // namespace

struct BucketSortStep::Row {
  RunState& state;
  int64_t first = 0;  // element
  uint32_t *keys = nullptr, *indices = nullptr;
  uint16_t* cells = nullptr;
};

struct BucketSortStep::Bucket {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

// Of elements [begin, end) of the row; begin is a multiple of the locality's elements. The kernel indexes a whole
// array: the thread's few are where they would be in one.
const uint32_t* BucketSortStep::makeKeys(const Row& row, int64_t begin, int64_t end, int thread) const {
  constexpr size_t kMaxBuffers = 64;
  auto* own = reinterpret_cast<uint32_t*>(row.state.pointers[static_cast<size_t>(chunks)]) + thread * chunkElements();
  const int64_t first = row.first + begin, last = row.first + end;
  void* buffers[kMaxBuffers];
  for (size_t i = 0; i < kernelSlots.size(); ++i) buffers[i] = row.state.pointers[static_cast<size_t>(kernelSlots[i])];
  buffers[kernelSlots.size()] =
      reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(own) - static_cast<uintptr_t>(first) * sizeof(uint32_t));
  const CompiledKernel& makes = row.state.kernels[kernel];
  auto itemOf = [&](int64_t element) {
    return element == shape.rows * shape.length ? makes.parallelCount : element / locality.elements * locality.items;
  };
  makes.function(buffers, itemOf(first), itemOf(last));
  return own;
}

// Runs of keys from all over the row; kept in the memory of the keys, which have not been distributed yet.
void BucketSortStep::sample(const Row& row) {
  const int64_t unit = locality.elements, run = (kSampleRun + unit - 1) / unit * unit;
  const int64_t runs = std::max<int64_t>(2, std::min(kSamples / run, shape.length / run)),
                lastRun = shape.length / unit * unit - run;
  int64_t n = 0;
  for (int64_t r = 0; r < runs; ++r) {
    const int64_t begin = lastRun / unit * r / (runs - 1) * unit;
    std::memcpy(row.keys + n, makeKeys(row, begin, begin + run, 0), static_cast<size_t>(run) * sizeof(uint32_t));
    n += run;
  }
  findCells(row.keys, row.keys + n, n);
  cutCells(row, row.keys + n, n);
}

// The range of the samples, and how many are in each cell of it.
void BucketSortStep::findCells(const uint32_t* samples, uint32_t* counts, int64_t n) {
  const auto [low, high] = std::minmax_element(samples, samples + n);
  low_ = *low;
  shift_ = std::max(0, static_cast<int>(std::bit_width(*high - *low)) -
                           static_cast<int>(std::bit_width(static_cast<uint32_t>(kCells - 1))));
  std::fill(counts, counts + kCells, 0u);
  for (int64_t i = 0; i < n; ++i) ++counts[cellOf(samples[i])];
}

// A new bucket begins where the next cell would make one of more than its share, so two neighbours have that together.
void BucketSortStep::cutCells(const Row& row, const uint32_t* counts, int64_t n) {
  const int64_t wanted = std::clamp<int64_t>(shape.length / std::min(tuning().sort.bucketElements, mostInBucket() / 2),
                                             16, kMaxBuckets / 2 - 1);
  uint16_t bucket = 0;
  int64_t sum = 0;
  for (int64_t c = 0; c < kCells; ++c) {
    if (sum > 0 && (sum + counts[c]) * wanted > n) ++bucket, sum = 0;
    sum += counts[c];
    row.cells[c] = bucket;
  }
  buckets_ = bucket + 1;
}

void BucketSortStep::countChunk(const Row& row, int64_t chunk, int thread) {
  uint32_t* count = at_.data() + chunk * kMaxBuckets;
  std::fill(count, count + buckets_, 0u);
  const int64_t last = std::min(shape.length, (chunk + 1) * each_);
  for (int64_t begin = chunk * each_; begin < last; begin += chunkElements()) {
    const int64_t end = std::min(last, begin + chunkElements());
    const uint32_t* made = makeKeys(row, begin, end, thread);
    for (int64_t i = 0; i < end - begin; ++i) ++count[row.cells[cellOf(made[i])]];
  }
}

void BucketSortStep::distributeChunk(const Row& row, int64_t chunk, int thread) {
  uint32_t* at = at_.data() + chunk * kMaxBuckets;
  const int64_t last = std::min(shape.length, (chunk + 1) * each_);
  for (int64_t begin = chunk * each_; begin < last; begin += chunkElements()) {
    const int64_t end = std::min(last, begin + chunkElements());
    const uint32_t* made = makeKeys(row, begin, end, thread);
    for (int64_t i = 0; i < end - begin; ++i) {
      const uint32_t to = at[row.cells[cellOf(made[i])]]++;
      row.keys[to] = made[i];
      if (row.indices) row.indices[to] = static_cast<uint32_t>(begin + i);
    }
  }
}

// Counts become the indices where each chunk's keys of a bucket begin.
void BucketSortStep::beginBuckets() {
  uint32_t sum = 0;
  for (int64_t b = 0; b < buckets_; ++b) {
    begins_[static_cast<size_t>(b)] = sum;
    for (size_t p = static_cast<size_t>(b); p < at_.size(); p += kMaxBuckets) sum += std::exchange(at_[p], sum);
  }
  begins_[static_cast<size_t>(buckets_)] = sum;
}

void BucketSortStep::distribute(const Row& row) {
  ThreadPool& pool = *row.state.pool;
  const int64_t unit = chunkElements(), count = 2 * pool.threads();
  each_ = ((shape.length + count - 1) / count + unit - 1) / unit * unit;
  at_.resize(static_cast<size_t>(count * kMaxBuckets));
  begins_.resize(kMaxBuckets + 1);
  pool.parallelFor(count, 1, [&](int64_t begin, int64_t end, int thread) {
    for (int64_t p = begin; p < end; ++p) countChunk(row, p, thread);
  });
  beginBuckets();
  pool.parallelFor(count, 1, [&](int64_t begin, int64_t end, int thread) {
    for (int64_t p = begin; p < end; ++p) distributeChunk(row, p, thread);
  });
}

void BucketSortStep::write(const Row& row, const uint64_t* sorted, int64_t begin, int64_t n) const {
  for (size_t k = 0; k < operands.size(); ++k) {
    const std::byte* in = row.state.pointers[static_cast<size_t>(operands[k])] + row.first * widths[k];
    std::byte* out = row.state.pointers[static_cast<size_t>(outputs[k])] + (row.first + begin) * widths[k];
    if (static_cast<int>(k) == keyed) {
      for (int64_t i = 0; i < n; ++i)
        reinterpret_cast<uint32_t*>(out)[i] = form.valueOf(static_cast<uint32_t>(sorted[i] >> 32));
      continue;
    }
    withWordOf(widths[k], [&](auto word) { gather<decltype(word)>(sorted, in, out, n); });
  }
}

void BucketSortStep::finishKeys(const Row& row, const Bucket& bucket, int thread) const {
  if (bucket.size() == 0) return;
  auto* other = reinterpret_cast<uint32_t*>(row.state.pointers[static_cast<size_t>(spare)]) + thread * mostInBucket();
  uint32_t* from = row.keys + bucket.begin;
  const uint32_t* sorted =
      bucket.size() <= mostInBucket() ? radixSort(from, other, bucket.size()) : from;  // or all alike
  auto* out =
      reinterpret_cast<uint32_t*>(row.state.pointers[static_cast<size_t>(outputs[0])]) + row.first + bucket.begin;
  for (int64_t i = 0; i < bucket.size(); ++i) out[i] = form.valueOf(sorted[i]);
}

// isInOrder: indices of equal keys are.
void BucketSortStep::finishIndices(const Row& row, const Bucket& bucket, bool isInOrder, int thread) const {
  auto* from =
      reinterpret_cast<uint64_t*>(row.state.pointers[static_cast<size_t>(spare)]) + 2 * thread * mostInBucket();
  uint64_t* other = from + mostInBucket();
  for (int64_t i = 0; i < bucket.size(); ++i)
    from[i] = uint64_t{row.keys[bucket.begin + i]} << 32 | row.indices[bucket.begin + i];
  const uint64_t* sorted = nullptr;
  if (isInOrder)
    sorted = radixSort(from, other, bucket.size());
  else
    sorted = &radixSortBy<KeyAndIndex, 8>(reinterpret_cast<KeyAndIndex*>(from), reinterpret_cast<KeyAndIndex*>(other),
                                          bucket.size())
                  ->bits;
  write(row, sorted, bucket.begin, bucket.size());
}

// By eight bits from `shift` on, where it lies: each key goes to its digit's range in exchange for what was there.
void BucketSortStep::splitBucket(const Row& row, const Bucket& bucket, int shift, int thread) const {
  auto digitOf = [&](int64_t i) { return row.keys[i] >> shift & 0xff; };
  std::array<int64_t, 257> begins{};
  for (int64_t i = bucket.begin; i < bucket.end; ++i) ++begins[digitOf(i) + 1];
  begins[0] = bucket.begin;
  for (size_t d = 0; d < 256; ++d) begins[d + 1] += begins[d];
  std::array<int64_t, 257> next = begins;
  for (size_t d = 0; d < 256 && begins[d + 1] - begins[d] < bucket.size(); ++d)
    while (next[d] < begins[d + 1]) {
      const int64_t i = next[d];
      const size_t digit = digitOf(i);
      const int64_t to = next[digit]++;
      if (digit == d) continue;
      std::swap(row.keys[i], row.keys[to]);
      if (row.indices) std::swap(row.indices[i], row.indices[to]);
    }
  for (size_t d = 0; d < 256; ++d) {
    const Bucket part{begins[d], begins[d + 1]};
    if (part.size() > mostInBucket() && shift > 0)
      splitBucket(row, part, shift - 8, thread);
    else
      finishSplit(row, part, thread);
  }
}

// A part that is small, or has one key.
void BucketSortStep::finishSplit(const Row& row, const Bucket& part, int thread) const {
  if (!row.indices) return finishKeys(row, part, thread);
  uint32_t *first = row.indices + part.begin, *last = row.indices + part.end;
  if (part.size() > mostInBucket() && !std::is_sorted(first, last)) std::sort(first, last);
  for (int64_t begin = part.begin; begin < part.end; begin += mostInBucket())
    finishIndices(row, {begin, std::min(part.end, begin + mostInBucket())}, false, thread);
}

void BucketSortStep::sortBucket(const Row& row, const Bucket& bucket, int thread) const {
  if (bucket.size() == 0) return;
  if (bucket.size() > mostInBucket()) return splitBucket(row, bucket, 24, thread);
  if (row.indices)
    finishIndices(row, bucket, true, thread);
  else
    finishKeys(row, bucket, thread);
}

Status BucketSortStep::run(RunState& state) {
  for (int64_t r = 0; r < shape.rows; ++r) {
    auto at = [&](int slot) {
      return slot < 0 ? nullptr
                      : reinterpret_cast<uint32_t*>(state.pointers[static_cast<size_t>(slot)]) + r * shape.length;
    };
    const Row row{state, r * shape.length, at(keys), at(indices),
                  reinterpret_cast<uint16_t*>(state.pointers[static_cast<size_t>(cells)])};
    sample(row);
    distribute(row);
    state.pool->parallelFor(buckets_, 1, [&](int64_t begin, int64_t end, int thread) {
      for (int64_t b = begin; b < end; ++b)
        sortBucket(row, {begins_[static_cast<size_t>(b)], begins_[static_cast<size_t>(b) + 1]}, thread);
    });
  }
  return {};
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_bucket_sort(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::BucketSortStep>(in);
}
