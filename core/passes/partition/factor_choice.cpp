// See factor_choice.h.
#include "core/passes/partition/factor_choice.h"

#include <algorithm>

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

int64_t sizeOf(const Factor& factor, std::span<const FactorArray> operands, std::span<const FactorArray> results) {
  for (size_t i = 0; i < operands.size(); ++i)
    if (factor.operands[i] >= 0) return operands[i].shape->dimensions[static_cast<size_t>(factor.operands[i])];
  for (size_t k = 0; k < results.size(); ++k)
    if (factor.results[k] >= 0) return results[k].shape->dimensions[static_cast<size_t>(factor.results[k])];
  return 0;
}

}  // namespace

Cuts chooseCuts(const Rule& rule, std::span<const FactorArray> operands, std::span<const FactorArray> results) {
  Candidates candidates;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    candidates.addArrays(f, operands, rule.factors[f].operands);
    candidates.addArrays(f, results, rule.factors[f].results);
  }
  for (Candidate& candidate : candidates.list)
    if (Rule::isSummed(rule.factors[candidate.factor])) candidate.bytes -= bytesOf(results[0]);
  // What is only read is rather gathered where that is less.
  std::erase_if(candidates.list, [&](const Candidate& candidate) {
    const Factor& factor = rule.factors[candidate.factor];
    return factor.place && Rule::isSummed(factor) && candidate.bytes <= 0;
  });
  std::ranges::stable_sort(candidates.list, std::greater<>(), &Candidate::bytes);
  Cuts out(rule.factors.size());
  for (const Candidate& candidate : candidates.list)
    if (!out[candidate.factor] && canAdd(out, candidate.cut, sizeOf(rule.factors[candidate.factor], operands, results)))
      out[candidate.factor] = candidate.cut;
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
