// See grid_map.h.
#include "backends/codegen/grid/grid_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/element/scalar_functions.h"

namespace tessera::codegen {

namespace {

constexpr int64_t kLongLoop = 8;         // rounds from which a loop is not run again for each element of a row
constexpr int64_t kSharedRounds = 32;    // from which a warp shares a loop out
constexpr int64_t kBlockWork = 1024;     // rounds or elements of an item from which a block takes it
constexpr int64_t kManyItems = 1 << 13;  // that fill a card, a thread each

int64_t sizeOf(const ProgramAnalysis& analysis, int32_t counter) {
  return analysis.counters[static_cast<size_t>(counter)].size;
}

class Mapper {
 public:
  Mapper(const LoopProgram& program, const ProgramAnalysis& analysis)
      : program_(program), body_(program.body), analysis_(analysis) {}

  GridMap run() {
    out_.nest.lanes = 1;
    out_.sharedLoops.assign(body_.loops.size(), false);
    const bool allParallel = program_.parallelDims == static_cast<int64_t>(body_.outputDims.size());
    if (allParallel)
      mapRows();
    else
      mapInOrder();
    for (int32_t c : out_.nest.outer) out_.items *= sizeOf(analysis_, c);
    out_.nest.parallelCount = out_.items;
    for (int32_t c : out_.inner) out_.innerCount *= sizeOf(analysis_, c);
    if (allParallel) chooseGroup();
    chooseBlock();
    return std::move(out_);
  }

 private:
  int64_t rounds(size_t loop) const {
    int64_t all = 1;
    for (int32_t c : analysis_.spaceCounters[1 + loop]) all *= sizeOf(analysis_, c);
    return all;
  }

  // Counters of the iteration space that the loop's results see; nothing where it is in another loop.
  std::optional<uint64_t> countersSeen(size_t loop) const {
    uint64_t seen = 0;
    for (size_t n = 0; n < body_.nodes.size(); ++n) {
      const Node& node = body_.nodes[n];
      if (node.op != NodeOp::LoopResult || node.bits0 != loop || !analysis_.needed[n]) continue;
      if (analysis_.homeLoop[n] >= 0) return std::nullopt;
      seen |= analysis_.dependence[n].counters;
    }
    return seen;
  }

  // What the long loops do not see is what their results serve: the row's elements.
  void mapRows() {
    uint64_t seen = 0;
    for (size_t l = 0; l < body_.loops.size(); ++l)
      if (const auto counters = countersSeen(l); counters && rounds(l) >= kLongLoop) {
        seen |= *counters;
        long_.push_back(l);
      }
    for (int32_t c : analysis_.spaceCounters[0])
      (long_.empty() || (seen >> c & 1) ? out_.nest.outer : out_.inner).push_back(c);
  }

  // Iterations in order: a thread takes what is independent, or columns that never meet.
  void mapInOrder() {
    const auto& space = analysis_.spaceCounters[0];
    for (size_t i = 0; i < space.size(); ++i) {
      const bool isParallel = static_cast<int64_t>(i) < program_.parallelDims;
      const bool isColumn = !isParallel && program_.parallelDims == 0 && i + 1 == space.size() &&
                            columnsNeverMeet(program_, analysis_, space[i]);
      (isParallel || isColumn ? out_.nest.outer : out_.nest.sequential).push_back(space[i]);
    }
  }

  bool canShare(size_t loop) const {
    if (!analysis_.reducible[loop] || rounds(loop) < kSharedRounds) return false;
    const Loop& each = body_.loops[loop];
    for (size_t k = 0; k < each.next.size(); ++k) {
      const Node& next = body_.at(each.next[k]);
      const ElementType held = isFloat(next.type) && next.type != ElementType::F64 ? ElementType::F32 : next.type;
      const ScalarFunctionInfo* function = scalarFunctionOf(next.op);
      if (next.type != body_.at(each.inits[k]).type || isComplex(next.type) || !function ||
          !neutralElement(*function, held))
        return false;
    }
    return true;
  }

  // Votes of the accesses in a loop: do neighbours in memory belong to neighbours of the loop, or of the items?
  bool runsAlongMemory() const {
    int along = 0, across = 0;
    const int32_t item = out_.nest.outer.empty() ? -1 : out_.nest.outer.back();
    for (size_t l : long_) {
      const auto& counters = analysis_.spaceCounters[1 + l];
      if (counters.empty()) continue;
      for (size_t n = 0; n < body_.nodes.size(); ++n) {
        if (!analysis_.needed[n] || !analysis_.addresses[n] || !analysis_.dependence[n].loops.test(l)) continue;
        const int64_t onLoop = analysis_.addresses[n]->coefficientOf(counters.back());
        const int64_t onItem = item < 0 ? 0 : analysis_.addresses[n]->coefficientOf(item);
        across += onItem == 1;
        along += onItem != 1 && onLoop == 1;
      }
    }
    return along > across;
  }

  void chooseGroup() {
    int64_t work = out_.innerCount;
    bool anyShared = false;
    for (size_t l : long_) {
      if (!canShare(l)) continue;
      anyShared = true;
      work = std::max(work, rounds(l));
    }
    const bool hasRow = !out_.inner.empty() && out_.innerCount >= kWarpThreads;
    const bool wins = runsAlongMemory() || out_.items < kManyItems;
    if (!(anyShared || hasRow) || !wins) return;
    out_.groupThreads = work >= kBlockWork ? out_.blockThreads : kWarpThreads;
    for (size_t l : long_) out_.sharedLoops[l] = canShare(l);
  }

  // No larger than what there is to do.
  void chooseBlock() {
    if (out_.groupThreads == out_.blockThreads) return;
    const int64_t threads = std::max<int64_t>(out_.items, 1) * out_.groupThreads;
    const auto warps = static_cast<unsigned>(std::min<int64_t>((threads + kWarpThreads - 1) / kWarpThreads, 8));
    out_.blockThreads = warps * kWarpThreads;
  }

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  std::vector<size_t> long_;
  GridMap out_;
};

}  // namespace

int64_t GridMap::blocks() const {
  const int64_t groups = blockThreads / groupThreads;
  return (items + groups - 1) / groups;
}

std::string GridMap::text() const {
  const std::string who = groupThreads == 1              ? "a thread"
                          : groupThreads == kWarpThreads ? "a warp"
                                                         : fmt::format("a block of {} threads", groupThreads);
  return fmt::format("{} an item, {} items", who, items);
}

GridMap GridMap::of(const LoopProgram& program, const ProgramAnalysis& analysis) {
  return Mapper(program, analysis).run();
}

}  // namespace tessera::codegen
