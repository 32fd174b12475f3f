// TopKStep: the k first of each line by a number that orders like the element. A line is read once against the worst of
// the k best so far; what beats it joins a small heap of candidates that is cut back to k when it is full. Long lines
// are cut in shards, by shape alone, whose best are joined. Made by cpu/library/top_k.
#pragma once

#include "backends/runtime/step.h"

namespace tessera::cpu {

enum class TopKOrder : uint8_t { Signed, Unsigned, Float };

struct TopK {
  int64_t lines = 1, length = 1, k = 0;
  int64_t shards = 1, room = 0;  // of a line; candidates of a shard
  int64_t width = 4;             // bytes of an element
  TopKOrder order = TopKOrder::Float;
  bool largest = true;
  int from = -1, values = -1, indices = -1, scratch = -1, joined = -1;  // slots; the last two as topKItemBytes says
  int64_t shard() const { return (length + shards - 1) / shards; }
};

// Of a candidate; `scratch` has `room` of them a thread, `joined` k a shard of each line where there are several. 0:
// there is no step for elements of that width.
int64_t topKItemBytes(int64_t width);
StepPtr makeTopKStep(const TopK& topK);

}  // namespace tessera::cpu
