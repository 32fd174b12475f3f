// See interleaved_stores.h.
#include "backends/codegen/nest/interleaved_stores.h"

#include <algorithm>

namespace tessera::codegen {

namespace {

// Interleaves vectors in pairs while their number is even, else each with all others, of which there are few.
bool isWeavable(int64_t step) {
  if (step < 2 || step > 16) return false;
  while (step % 2 == 0) step /= 2;
  return step <= 7;
}

class StoreGroups {
 public:
  StoreGroups(const LoopProgram& program, const ProgramAnalysis& analysis, int32_t axis)
      : program_(program), analysis_(analysis), axis_(axis), taken_(program.stores.size(), false) {}

  std::vector<std::vector<size_t>> find() {
    std::vector<std::vector<size_t>> out;
    for (size_t s = 0; s < program_.stores.size(); ++s) {
      std::vector<size_t> group = from(s);
      if (group.empty()) continue;
      for (size_t member : group) taken_[member] = true;
      out.push_back(std::move(group));
    }
    return out;
  }

 private:
  bool canBeWoven(size_t s) const {
    const Store& store = program_.stores[s];
    return !taken_[s] && !store.guard.valid() && analysis_.storeAddresses[s].others.empty() &&
           !isComplex(program_.outputs[store.output].type);
  }
  // `places` elements behind the other in every iteration.
  bool follows(size_t first, size_t s, int64_t places) const {
    const Address &a = analysis_.storeAddresses[first], &b = analysis_.storeAddresses[s];
    if (program_.stores[first].output != program_.stores[s].output || b.constant - a.constant != places) return false;
    for (int32_t c = 0; c < static_cast<int32_t>(analysis_.counters.size()); ++c)
      if (a.coefficientOf(c) != b.coefficientOf(c)) return false;
    return true;
  }
  std::vector<size_t> from(size_t first) const {
    const int64_t step = analysis_.storeAddresses[first].coefficientOf(axis_);
    if (!isWeavable(step) || !canBeWoven(first)) return {};
    std::vector<size_t> group{first};
    for (int64_t places = 1; places < step; ++places) {
      size_t s = 0;
      while (s < taken_.size() && !(canBeWoven(s) && follows(first, s, places))) ++s;
      if (s == taken_.size()) return {};
      group.push_back(s);
    }
    return group;
  }

  const LoopProgram& program_;
  const ProgramAnalysis& analysis_;
  const int32_t axis_;
  std::vector<bool> taken_;  // by store
};

}  // namespace

std::vector<std::vector<size_t>> interleavedStores(const LoopProgram& program, const ProgramAnalysis& analysis,
                                                   int32_t axis) {
  if (axis < 0 || program.stores.size() < 2) return {};
  return StoreGroups(program, analysis, axis).find();
}

}  // namespace tessera::codegen
