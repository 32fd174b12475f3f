// See grid_map.h.
#include "backends/codegen/grid/grid_map.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "backends/codegen/kernel_memory.h"
#include "core/element/scalar_functions.h"
#include "core/passes/buffers/buffer_assignment.h"

namespace tessera::codegen {

namespace {

constexpr int64_t kLongLoop = 8;         // rounds from which a loop is not run again for each element of a row
constexpr int64_t kSharedRounds = 32;    // from which a warp shares a loop out; part of one from kLongLoop on
constexpr int64_t kBlockWork = 1024;     // rounds or elements of an item from which a block takes it
constexpr int64_t kManyItems = 1 << 13;  // that fill a card, a thread each
constexpr int64_t kNeighbours = 8;       // items that fill a sector of memory
constexpr unsigned kMostWarps = 32;
constexpr int64_t kNeighbourBytes = 4;  // elements of one byte, which LLVM joins to a word at most
constexpr int64_t kMostNodes = 512;     // for all neighbours of a thread

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
    if (allParallel) chooseNeighbours();
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

  bool canShare(size_t loop, int64_t fewest = kSharedRounds) const {
    if (!analysis_.reducible[loop] || rounds(loop) < fewest) return false;
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
  struct Votes {
    int along = 0, across = 0;
  };
  Votes votes() const {
    Votes out;
    const int32_t item = out_.nest.outer.empty() ? -1 : out_.nest.outer.back();
    for (size_t l : long_) {
      const auto& counters = analysis_.spaceCounters[1 + l];
      if (counters.empty()) continue;
      for (size_t n = 0; n < body_.nodes.size(); ++n) {
        if (!analysis_.needed[n] || !analysis_.addresses[n] || !analysis_.dependence[n].loops.test(l)) continue;
        const int64_t onLoop = analysis_.addresses[n]->coefficientOf(counters.back());
        const int64_t onItem = item < 0 ? 0 : analysis_.addresses[n]->coefficientOf(item);
        out.across += onItem == 1;
        out.along += onItem != 1 && onLoop == 1;
      }
    }
    return out;
  }
  bool runsAlongMemory() const {
    const Votes cast = votes();
    return cast.along > cast.across;
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
    if (!anyShared && !hasRow) return chooseFewLanes();
    if (!wins || chooseColumns()) return;
    out_.groupThreads = work >= kBlockWork ? out_.blockThreads : kWarpThreads;
    for (size_t l : long_) out_.sharedLoops[l] = canShare(l);
  }

  // A lane an item, and warps that share out the loops.
  bool chooseColumns() {
    const Votes cast = votes();
    if (cast.across == 0 || cast.along > cast.across || !out_.inner.empty() || out_.nest.outer.empty() ||
        sizeOf(analysis_, out_.nest.outer.back()) < kNeighbours)
      return false;
    int64_t longest = 1;
    for (size_t l : long_) longest = std::max(longest, canShare(l) ? rounds(l) : 1);
    const auto warps = static_cast<unsigned>(std::bit_floor(static_cast<uint64_t>(longest / kLongLoop)));
    out_.isByColumns = true;
    out_.groupThreads = std::clamp(warps, 2u, longest >= kBlockWork ? kMostWarps : 8u);
    out_.blockThreads = out_.groupThreads * kWarpThreads;
    for (size_t l : long_) out_.sharedLoops[l] = canShare(l);
    return true;
  }

  // Short loops along memory: 8 or 16 lanes an item, where items fill whole warps.
  void chooseFewLanes() {
    if (!out_.inner.empty() || long_.size() != 1 || !canShare(long_[0], kLongLoop) || !runsAlongMemory()) return;
    const auto lanes = static_cast<unsigned>(std::bit_floor(static_cast<uint64_t>(rounds(long_[0]))));
    if (lanes >= kWarpThreads || out_.items % (kWarpThreads / lanes) != 0) return;
    out_.groupThreads = lanes;
    out_.sharedLoops[long_[0]] = true;
  }

  // Up to 16 bytes of the widest elements to a thread, where enough threads are left.
  void chooseNeighbours() {
    if (out_.groupThreads > 1 || !out_.inner.empty() || out_.nest.outer.empty() || !isStraightOverNeighbours()) return;
    const int64_t bytes = widestBytes();
    for (int64_t each = bytes == 1 ? kNeighbourBytes : kWidestAccess / bytes; each > 1; each /= 2) {
      if (out_.items / each < kManyItems || nodesOverNeighbours() * each > kMostNodes || !accessesAreWhole(each))
        continue;
      out_.each = static_cast<unsigned>(each);
      return;
    }
  }

  bool seesNeighbours(size_t node) const { return analysis_.dependence[node].counters >> out_.nest.outer.back() & 1; }

  // No condition and no loop by element.
  bool isStraightOverNeighbours() const {
    for (size_t n = 0; n < body_.nodes.size(); ++n) {
      if (!analysis_.needed[n] || !seesNeighbours(n)) continue;
      const NodeOp op = body_.nodes[n].op;
      if (op == NodeOp::LoopResult || op == NodeOp::ReadIf || op == NodeOp::ReadOutput || analysis_.homeLoop[n] >= 0)
        return false;
    }
    return std::ranges::all_of(program_.stores, [](const Store& store) { return !store.guard.valid(); });
  }

  // What is repeated for each of them.
  int64_t nodesOverNeighbours() const {
    int64_t nodes = 0;
    for (size_t n = 0; n < body_.nodes.size(); ++n) nodes += analysis_.needed[n] && seesNeighbours(n);
    return nodes;
  }

  // Of all arrays along the neighbours.
  int64_t widestBytes() const {
    int widest = 1;
    for (const Shape& output : program_.outputs) widest = std::max(widest, byteWidth(output.type));
    for (size_t n = 0; n < body_.nodes.size(); ++n)
      if (analysis_.needed[n] && body_.nodes[n].op == NodeOp::Read && seesNeighbours(n))
        widest = std::max(widest, byteWidth(body_.nodes[n].type));
    return widest;
  }

  // Whether neighbours from a multiple of `each` on lie side by side in every array, the first at such a multiple.
  bool accessesAreWhole(int64_t each) const {
    const int32_t item = out_.nest.outer.back();
    if (out_.nest.outer.size() > 1 && sizeOf(analysis_, item) % each != 0) return false;
    const auto isWhole = [&](const Address& address, const Shape& array) {
      return address.coefficientOf(item) == 1 && address.constant % each == 0 && address.others.empty() &&
             array.denseBytes().value_or(0) > kSmallBufferBytes &&
             std::ranges::all_of(address.terms, [&](const CounterTerm& term) {
               return term.counter == item || term.coefficient % each == 0;
             });
    };
    for (size_t s = 0; s < program_.stores.size(); ++s)
      if (!isWhole(analysis_.storeAddresses[s], program_.outputs[program_.stores[s].output])) return false;
    for (size_t n = 0; n < body_.nodes.size(); ++n)
      if (analysis_.needed[n] && body_.nodes[n].op == NodeOp::Read && seesNeighbours(n) &&
          !isWhole(*analysis_.addresses[n], body_.operands[body_.nodes[n].bits0]))
        return false;
    return true;
  }

  // No larger than what there is to do.
  void chooseBlock() {
    if (out_.groupThreads == out_.blockThreads || out_.isByColumns) return;
    const int64_t threads = std::max<int64_t>(out_.takers(), 1) * out_.groupThreads;
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
  return (takers() + groups - 1) / groups;
}

std::string GridMap::text() const {
  if (isByColumns) return fmt::format("a lane of {} warps an item, {} items", groupThreads, items);
  if (each > 1) return fmt::format("a thread for {} neighbours, {} items", each, items);
  const std::string who = groupThreads == 1              ? "a thread"
                          : groupThreads == kWarpThreads ? "a warp"
                          : groupThreads < kWarpThreads  ? fmt::format("{} threads", groupThreads)
                                                         : fmt::format("a block of {} threads", groupThreads);
  return fmt::format("{} an item, {} items", who, items);
}

GridMap GridMap::of(const LoopProgram& program, const ProgramAnalysis& analysis) {
  return Mapper(program, analysis).run();
}

}  // namespace tessera::codegen
