// See reshape.h.
#include "core/passes/partition/reshape.h"

#include <algorithm>

namespace tessera::partition {
namespace {

// Dimensions [from, fromEnd) and [to, toEnd) that hold the same elements.
struct Run {
  size_t from, fromEnd, to, toEnd;
};

// The smallest runs; none where an array is empty.
std::vector<Run> runsOf(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  std::vector<Run> out;
  if (std::ranges::count(from, 0) > 0 || std::ranges::count(to, 0) > 0) return out;
  for (size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    Run run{i, i + 1, j, j + 1};
    int64_t left = from[i++], right = to[j++];
    while (left != right) {
      if (left < right)
        left *= from[i++];
      else
        right *= to[j++];
    }
    run.fromEnd = i;
    run.toEnd = j;
    out.push_back(run);
  }
  return out;
}

// One dimension, and others of one index.
bool isOneDimension(const std::vector<int64_t>& dims, size_t begin, size_t end) {
  return std::count_if(dims.begin() + static_cast<ptrdiff_t>(begin), dims.begin() + static_cast<ptrdiff_t>(end),
                       [](int64_t size) { return size > 1; }) <= 1;
}

// The cuts of a run's dimensions as one of all its elements in a row; nullopt: the blocks are not contiguous, or have
// padding between them.
std::optional<CutPtr> joined(const std::vector<int64_t>& dims, const Cuts& cuts, size_t begin, size_t end) {
  CutPtr all;
  bool ended = false;  // a dimension that is not cut to single indices ends the row
  for (size_t d = begin; d < end; ++d) {
    const CutPtr& cut = cuts[d];
    if (cut && (ended || (dims[d] % cut->parts != 0 && !isOneDimension(dims, begin, end)))) return std::nullopt;
    ended = ended || (cut ? cut->parts : 1) != dims[d];
    if (!cut) continue;
    std::vector<int64_t> blockOf = cut->blockOf;
    for (size_t device = 0; all && device < blockOf.size(); ++device)
      blockOf[device] += all->blockOf[device] * cut->parts;
    all = makeCut((all ? all->parts : 1) * cut->parts, std::move(blockOf));
  }
  return all;
}

// The reverse: the cut of the row among dimensions; nullopt where they do not divide.
std::optional<Cuts> distributed(CutPtr row, const std::vector<int64_t>& dims, size_t begin, size_t end) {
  Cuts out(end - begin);
  for (size_t d = begin; d < end && row; ++d) {
    if (dims[d] == 1) continue;
    if (dims[d] % row->parts == 0 || isOneDimension(dims, begin, end)) {
      out[d - begin] = row;
      return out;
    }
    if (row->parts % dims[d] != 0) return std::nullopt;
    const int64_t inside = row->parts / dims[d];
    std::vector<int64_t> major = row->blockOf, minor = row->blockOf;
    for (int64_t& block : major) block /= inside;
    for (int64_t& block : minor) block %= inside;
    out[d - begin] = makeCut(dims[d], std::move(major));
    row = makeCut(inside, std::move(minor));
  }
  return out;
}

}  // namespace

ReshapedSharding reshapeSharding(const Shape& from, const Shape& to, const ArraySharding& sharding) {
  ReshapedSharding out{wholeArray(from), wholeArray(to)};
  for (const Run& run : runsOf(from.dimensions, to.dimensions)) {
    const auto row = joined(from.dimensions, sharding.cuts, run.from, run.fromEnd);
    if (!row) continue;
    const auto cuts = distributed(*row, to.dimensions, run.to, run.toEnd);
    if (!cuts) continue;
    std::copy(cuts->begin(), cuts->end(), out.to.cuts.begin() + static_cast<ptrdiff_t>(run.to));
    std::copy(sharding.cuts.begin() + static_cast<ptrdiff_t>(run.from),
              sharding.cuts.begin() + static_cast<ptrdiff_t>(run.fromEnd),
              out.from.cuts.begin() + static_cast<ptrdiff_t>(run.from));
  }
  return out;
}

}  // namespace tessera::partition
