// See factor_choice.h.
#include "core/passes/partition/factor_choice.h"

#include <algorithm>

#include "core/passes/partition/halo.h"

namespace tessera::partition {
namespace {

struct Candidate {
  size_t factor;
  CutPtr cut;
  double bytes;
};

double bytesOf(const FactorArray& array) { return static_cast<double>(array.shape->denseBytes().value_or(0)); }

class Candidates {
 public:
  void add(size_t factor, const CutPtr& cut, double bytes) {
    if (!cut) return;
    for (Candidate& known : list)
      if (known.factor == factor && sameCut(known.cut, cut)) {
        known.bytes += bytes;
        return;
      }
    list.push_back({factor, cut, bytes});
  }
  void addArrays(size_t factor, std::span<const FactorArray> arrays, std::span<const int64_t> dimensions) {
    for (size_t i = 0; i < arrays.size(); ++i)
      if (dimensions[i] >= 0 && !arrays[i].sharding->manual)
        add(factor, arrays[i].sharding->cuts[static_cast<size_t>(dimensions[i])], bytesOf(arrays[i]));
  }
  std::vector<Candidate> list;
};

int64_t sizeIn(const FactorArray& array, int64_t dimension) {
  return array.shape->dimensions[static_cast<size_t>(dimension)];
}

bool hasCut(const FactorArray& array, int64_t dimension, const CutPtr& cut) {
  return !array.sharding->manual && sameCut(array.sharding->cuts[static_cast<size_t>(dimension)], cut);
}

// Bytes to exchange for a factor that reaches beyond blocks, in proportion to whole arrays; a result that is wanted
// otherwise is gathered behind it. Nullopt: it cannot be cut so.
std::optional<double> bytesToReach(const Factor& factor, const CutPtr& cut, std::span<const FactorArray> operands,
                                   std::span<const FactorArray> results) {
  double out = 0;
  for (size_t k = 0; k < results.size(); ++k)
    if (factor.results[k] >= 0 && !hasCut(results[k], factor.results[k], cut)) out += bytesOf(results[k]);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Reach* reach = Rule::reachOf(factor, i);
    if (!reach) continue;
    const int64_t reached = sizeIn(operands[i], factor.operands[i]);
    const auto ranges = reached > 0 ? rangesOf(*reach, factor.size, cut->parts) : std::nullopt;
    if (!ranges) return std::nullopt;
    if (!hasCut(operands[i], factor.operands[i], cut)) continue;
    const auto exchanged = exchangedIndices(*ranges, reached, cut->parts);
    if (!exchanged) return std::nullopt;
    out += bytesOf(operands[i]) * static_cast<double>(*exchanged) / static_cast<double>(reached);
  }
  return out;
}

// Where the operation joins the parts itself, every device gets those of all. Of its arrays the first one counts: the
// others are places as a rule, which every device can count.
double bytesToSumUp(const Rule& rule, const CutPtr& cut, std::span<const FactorArray> operands,
                    std::span<const FactorArray> results) {
  if (!rule.joinsItself) return bytesOf(results[0]);
  double out = 0;
  for (const FactorArray& result : results) out += bytesOf(result) * static_cast<double>(cut->parts);
  for (const FactorArray& array : operands.first(results.size()).subspan(1)) out += bytesOf(array);
  return out;
}

}  // namespace

Cuts chooseCuts(const Rule& rule, std::span<const FactorArray> operands, std::span<const FactorArray> results) {
  Candidates candidates;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    candidates.addArrays(f, operands, rule.factors[f].operands);
    candidates.addArrays(f, results, rule.factors[f].results);
  }
  for (Candidate& candidate : candidates.list)
    if (Rule::isSummed(rule.factors[candidate.factor]))
      candidate.bytes -= bytesToSumUp(rule, candidate.cut, operands, results);
  // What is only read is rather gathered where that is less.
  std::erase_if(candidates.list, [&](Candidate& candidate) {
    const Factor& factor = rule.factors[candidate.factor];
    if (!factor.reaches.empty()) {
      const auto bytes = bytesToReach(factor, candidate.cut, operands, results);
      if (!bytes) return true;
      candidate.bytes -= *bytes;
      return candidate.bytes <= 0;
    }
    return (factor.place || rule.joinsItself) && Rule::isSummed(factor) && candidate.bytes <= 0;
  });
  std::ranges::stable_sort(candidates.list, std::greater<>(), &Candidate::bytes);
  Cuts out(rule.factors.size());
  for (const Candidate& candidate : candidates.list)
    if (!out[candidate.factor] && canCombineWith(out, candidate.cut)) out[candidate.factor] = candidate.cut;
  return out;
}

ArraySharding shardingBy(const Rule& rule, const Cuts& cuts, size_t i, const Shape& shape,
                         std::vector<int64_t> Factor::*dimensions) {
  ArraySharding out = wholeArray(shape);
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    const int64_t d = (rule.factors[f].*dimensions)[i];
    if (d >= 0) out.cuts[static_cast<size_t>(d)] = cuts[f];
  }
  return out;
}

}  // namespace tessera::partition
