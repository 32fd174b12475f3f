// See sort_by_calls_step.h.
#include "backends/runtime/sort/sort_by_calls_step.h"

#include <algorithm>
#include <cstring>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

int64_t runElements() { return tuning().sort.comparedRun; }
// Whole runs.
int64_t chunkElements() {
  const int64_t run = runElements();
  return std::max(run, tuning().sort.mergedChunk / run * run);
}

}  // namespace

// One row: its elements, the comparator and the permutation unchanged.
struct SortByCalls::Row {
  const SortByCalls* step;
  const RunState* state;
  int64_t first;
  CompiledKernel::Function compare;
  Index *order, *other;

  std::byte* at(size_t operand, int64_t i) const {
    return state->pointers[static_cast<size_t>(step->operands[operand])] +
           (first + i * step->shape.inner) * step->widths[operand];
  }
  bool less(int64_t x, int64_t y) const {
    void* buffers[2 * kMaxOperands + 1];
    unsigned char answer = 0;
    const size_t count = step->operands.size();
    for (size_t k = 0; k < count; ++k) {
      buffers[2 * k] = at(k, x);
      buffers[2 * k + 1] = at(k, y);
    }
    buffers[2 * count] = &answer;
    compare(buffers, 0, 1);
    return answer != 0;
  }
  void insertionSort(int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) {
      int64_t j = i;
      for (; j > begin && less(i, order[j - 1]); --j) order[j] = order[j - 1];
      order[j] = static_cast<Index>(i);
    }
  }
  // How many of the first `rank` merged elements come from the left run.
  int64_t leftCount(const Index* left, int64_t nl, const Index* right, int64_t nr, int64_t rank) const {
    int64_t low = std::max<int64_t>(0, rank - nr), high = std::min(rank, nl);
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (less(right[rank - middle - 1], left[middle]))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  // Elements [from, to) of the merge of the runs that begin at `begin` with `width` elements each.
  void mergePart(int64_t begin, int64_t width, int64_t n, int64_t from, int64_t to) const {
    const Index *left = order + begin, *right = order + std::min(begin + width, n);
    const int64_t nl = right - left, nr = std::min(width, n - std::min(begin + width, n));
    int64_t i = leftCount(left, nl, right, nr, from), j = from - i;
    for (int64_t k = from; k < to; ++k) {
      const bool takesRight = i == nl || (j < nr && less(right[j], left[i]));
      other[begin + k] = takesRight ? right[j++] : left[i++];
    }
  }
};

void SortByCalls::sortAlone(Row& row) const {
  const int64_t n = shape.length, run = runElements();
  for (int64_t begin = 0; begin < n; begin += run) row.insertionSort(begin, std::min(n, begin + run));
  for (int64_t width = run; width < n; width *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * width)
      row.mergePart(begin, width, n, 0, std::min(2 * width, n - begin));
    std::swap(row.order, row.other);
  }
}

void SortByCalls::sortShared(RunState& state, Row& row) const {
  const int64_t n = shape.length, run = runElements(), each = chunkElements(), chunks = (n + each - 1) / each;
  auto forChunks = [&](auto&& work) {
    state.pool->parallelFor(chunks, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t chunk = begin; chunk < end; ++chunk) work(chunk * each, std::min(n, (chunk + 1) * each));
    });
  };
  forChunks([&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += run) row.insertionSort(at, std::min(end, at + run));
  });
  for (int64_t width = run; width < n; width *= 2) {
    forChunks([&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end;) {
        const int64_t pair = at / (2 * width) * (2 * width), stop = std::min({end, pair + 2 * width, n});
        row.mergePart(pair, width, n, at - pair, stop - pair);
        at = stop;
      }
    });
    std::swap(row.order, row.other);
  }
}

void SortByCalls::writeResult(const Row& row, size_t operand, int64_t begin, int64_t end) const {
  std::byte* to = row.state->pointers[static_cast<size_t>(outputs[operand])];
  const auto width = static_cast<size_t>(widths[operand]);
  for (int64_t i = begin; i < end; ++i)
    std::memcpy(to + (row.first + i * shape.inner) * widths[operand], row.at(operand, row.order[i]), width);
}

// The result in which the permutation lies comes last, each element over its own place.
void SortByCalls::write(const Row& row, int64_t begin, int64_t end) const {
  size_t last = operands.size();
  for (size_t k = 0; k < operands.size(); ++k) {
    const std::byte* first = row.state->pointers[static_cast<size_t>(outputs[k])] + row.first * widths[k];
    if (first == reinterpret_cast<const std::byte*>(row.order))
      last = k;
    else
      writeResult(row, k, begin, end);
  }
  if (last < operands.size()) writeResult(row, last, begin, end);
}

Status SortByCalls::run(RunState& state) {
  if (shape.length == 0) return {};
  auto rowAt = [&](int64_t row) {
    auto scratch = [&](int slot) {
      return reinterpret_cast<Index*>(state.pointers[static_cast<size_t>(slot)]) + row * shape.length;
    };
    return Row{this, &state, shape.firstOf(row), state.kernels[comparator].function, scratch(orders), scratch(others)};
  };
  if (shape.length > 2 * chunkElements() && shape.rows < 2 * state.pool->threads()) {
    for (int64_t r = 0; r < shape.rows; ++r) {
      Row row = rowAt(r);
      sortShared(state, row);
      state.pool->parallelFor(shape.length, chunkElements(),
                              [&](int64_t begin, int64_t end, int) { write(row, begin, end); });
    }
    return {};
  }
  state.pool->parallelFor(shape.rows, std::max<int64_t>(1, tuning().sort.comparedChunk / shape.length),
                          [&](int64_t begin, int64_t end, int) {
                            for (int64_t r = begin; r < end; ++r) {
                              Row row = rowAt(r);
                              sortAlone(row);
                              write(row, 0, shape.length);
                            }
                          });
  return {};
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_sort_by_calls(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::SortByCalls>(in);
}
