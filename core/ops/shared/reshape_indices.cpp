// See reshape_indices.h.
#include "core/ops/shared/reshape_indices.h"

#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

// One run: result dimensions [outBegin, outEnd) hold as many elements as operand dimensions [inBegin, inEnd).
struct Run {
  size_t outBegin, outEnd, inBegin, inEnd;
};

// The shortest runs, major to minor. Both products are equal and not zero.
std::vector<Run> commonRuns(std::span<const int64_t> out, std::span<const int64_t> in) {
  std::vector<Run> runs;
  size_t o = 0, i = 0;
  while (o < out.size() || i < in.size()) {
    Run run{o, o, i, i};
    int64_t outProduct = o < out.size() ? out[o++] : 1;
    int64_t inProduct = i < in.size() ? in[i++] : 1;
    while (outProduct != inProduct) {
      if (outProduct < inProduct) {
        outProduct *= out[o++];
      } else {
        inProduct *= in[i++];
      }
    }
    run.outEnd = o;
    run.inEnd = i;
    runs.push_back(run);
  }
  return runs;
}

// Row-major position within one run.
NodeId linearOf(ElementBuilder& b, const Run& run, std::span<const int64_t> out, std::span<const NodeId> at) {
  NodeId linear = b.index(0);
  for (size_t d = run.outBegin; d < run.outEnd; ++d) linear = b.add(b.multiply(linear, b.index(out[d])), at[d]);
  return linear;
}

}  // namespace

std::vector<NodeId> reshapeIndices(ElementBuilder& b, std::span<const int64_t> out, std::span<const NodeId> at,
                                   std::span<const int64_t> in) {
  std::vector<NodeId> indices(in.size(), b.index(0));
  if (productOf(out) == 0) return indices;
  for (const Run& run : commonRuns(out, in)) {
    NodeId linear = linearOf(b, run, out, at);
    size_t major = run.inBegin;  // the run's first dimension larger than 1 needs no remainder
    while (major < run.inEnd && in[major] == 1) ++major;
    for (size_t d = run.inEnd; d-- > major;) {
      if (in[d] == 1) continue;
      indices[d] = d == major ? linear : b.remainder(linear, b.index(in[d]));
      if (d != major) linear = b.divide(linear, b.index(in[d]));
    }
  }
  return indices;
}

}  // namespace tessera
