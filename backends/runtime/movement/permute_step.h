// PermuteStep: an array with its dimensions in another order. Tiles that are whole cache lines on both sides are
// transposed in a small buffer, so both arrays are walked at memory speed; large results are written with non-temporal
// stores, while the next block is read. Made by cpu/library/permute.
#pragma once

#include "backends/runtime/step.h"

namespace tessera::cpu {

struct PermutedAxis {
  int64_t size = 1, from = 0, to = 0;  // strides in elements
};

struct Permute {
  std::vector<PermutedAxis> outer;
  PermutedAxis along,
      across;  // contiguous in the result; in the operand. along.from == 1: rows stay rows, `across` has one element
  int64_t width = 4;  // bytes of an element
  int from = -1, to = -1;
  int buffers = -1;  // slot of permuteBufferBytes(), if there are any
  template <class Fields>
  void fields(Fields& f) {
    f(outer, along, across, width, from, to, buffers);
  }
};

// Bytes of scratch for a large transpose: two blocks a thread; 0 for others, which take none.
int64_t permuteBufferBytes(const Permute& permute, int threads);
StepPtr makePermuteStep(Permute permute);

}  // namespace tessera::cpu
