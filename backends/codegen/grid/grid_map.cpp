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

constexpr int64_t kLongLoop = 8;          // rounds from which a loop is not run again for each element of a row
constexpr int64_t kSharedRounds = 32;     // from which a warp shares a loop out; part of one from kLongLoop on
constexpr int64_t kBlockWork = 1024;      // rounds or elements of an item from which a block takes it
constexpr int64_t kManyItems = 1 << 13;   // that fill a card, a thread each
constexpr int64_t kMostBlocks = 1 << 13;  // of single threads: about 8 times what a large card has at once
constexpr int64_t kNeighbours = 8;        // items that fill a sector of memory
constexpr unsigned kMostWarps = 32;
constexpr int64_t kNeighbourBytes = 4;  // elements of one byte, which LLVM joins to a word at most
constexpr int64_t kMostNodes = 512;     // for all neighbours of a thread

int64_t sizeOf(const ProgramAnalysis& analysis, int32_t counter) {
  return analysis.counters[static_cast<size_t>(counter)].size;
}

class Mapper {
 public:
  Mapper(const LoopProgram& program, const ProgramAnalysis& analysis, bool isInBlock)
      : isInBlock_(isInBlock), program_(program), body_(program.body), analysis_(analysis) {}

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
    if (allParallel) chooseRowNeighbours();
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
    out_.groupThreads = work >= kBlockWork && !isInBlock_ ? out_.blockThreads : kWarpThreads;
    for (size_t l : long_) out_.sharedLoops[l] = canShare(l);
  }

  // A lane an item, and warps that share out the loops.
  bool chooseColumns() {
    const Votes cast = votes();
    if (isInBlock_ || cast.across == 0 || cast.along > cast.across || !out_.inner.empty() || out_.nest.outer.empty() ||
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
    if (out_.groupThreads > 1 || !out_.inner.empty() || out_.nest.outer.empty() || hasGuards()) return;
    const int32_t along = out_.nest.outer.back();
    const std::vector<uint32_t> nodes = nodesThatSee([&](size_t n) { return seesItem(n, along); });
    if (std::ranges::any_of(nodes, [&](uint32_t n) { return analysis_.homeLoop[n] >= 0; })) return;
    const bool sharesAll = out_.nest.outer.size() == 1;  // the last ones may then be fewer
    for (unsigned each = mostNeighbours(nodes); each > 1; each /= 2) {
      const bool isFull = out_.items / each >= kManyItems && (sharesAll || sizeOf(analysis_, along) % each == 0);
      if (!isFull || !areWhole(nodes, along, each) || !storesAreWhole(along, each)) continue;
      out_.each = each;
      return;
    }
  }

  // The same along the row, in the loops that the group shares and for its elements, where no thread of it goes
  // without.
  void chooseRowNeighbours() {
    if (out_.groupThreads == 1 || out_.isByColumns || hasGuards()) return;
    struct Space {
      const std::vector<int32_t>* counters;
      std::vector<uint32_t> nodes;
    };
    std::vector<Space> spaces;
    if (!out_.inner.empty())
      spaces.push_back({&out_.inner, nodesThatSee([&](size_t n) {
                          return analysis_.homeLoop[n] < 0 &&
                                 std::ranges::any_of(out_.inner, [&](int32_t c) { return seesItem(n, c); });
                        })});
    for (size_t l = 0; l < body_.loops.size(); ++l)
      if (out_.sharedLoops[l])
        spaces.push_back({&analysis_.spaceCounters[1 + l],
                          nodesThatSee([&](size_t n) { return analysis_.homeLoop[n] == static_cast<int32_t>(l); })});
    // A branch around each read would leave them apart.
    for (const Space& space : spaces)
      if (std::ranges::any_of(space.nodes, [&](uint32_t n) { return body_.nodes[n].op == NodeOp::ReadIf; })) return;
    unsigned each = kWidestAccess;
    for (const Space& space : spaces) each = std::min(each, mostNeighbours(space.nodes));
    for (; each > 1; each /= 2) {
      const bool isWhole = std::ranges::all_of(spaces, [&](const Space& space) {
        int64_t count = 1;
        for (const int32_t c : *space.counters) count *= sizeOf(analysis_, c);
        const int32_t along = space.counters->back();
        const int64_t threads = out_.groupThreads, step = threads * each;
        // Where all threads have the same number of elements, these stay in registers (grid_emitter): so they shall.
        const bool isEven = count % step == 0 || count % threads != 0;
        return count >= step && isEven && sizeOf(analysis_, along) % each == 0 && areWhole(space.nodes, along, each) &&
               (space.counters != &out_.inner || storesAreWhole(along, each));
      });
      if (!isWhole) continue;
      out_.rowEach = each;
      return;
    }
  }

  bool hasGuards() const {
    return std::ranges::any_of(program_.stores, [](const Store& store) { return store.guard.valid(); });
  }
  bool seesItem(size_t node, int32_t counter) const { return analysis_.dependence[node].counters >> counter & 1; }

  // What is repeated for each neighbour.
  template <class Sees>
  std::vector<uint32_t> nodesThatSee(const Sees& sees) const {
    std::vector<uint32_t> out;
    for (uint32_t n = 0; n < body_.nodes.size(); ++n)
      if (analysis_.needed[n] && sees(n)) out.push_back(n);
    return out;
  }

  // As many as fill an access with the widest elements of all arrays along them.
  unsigned mostNeighbours(const std::vector<uint32_t>& nodes) const {
    int widest = 1;
    for (const Shape& output : program_.outputs) widest = std::max(widest, byteWidth(output.type));
    for (const uint32_t n : nodes)
      if (isReadNode(n)) widest = std::max(widest, byteWidth(body_.nodes[n].type));
    int64_t each = widest == 1 ? kNeighbourBytes : kWidestAccess / widest;
    while (each > 1 && static_cast<int64_t>(nodes.size()) * each > kMostNodes) each /= 2;
    return static_cast<unsigned>(std::max<int64_t>(1, each));
  }
  bool isReadNode(uint32_t n) const { return body_.nodes[n].op == NodeOp::Read || body_.nodes[n].op == NodeOp::ReadIf; }

  bool isWhole(const Address& address, const Shape& array, int32_t along, unsigned each) const {
    return liesWhole(address, array, along, each) && std::ranges::all_of(address.others, [&](const auto& part) {
             return part.second % int64_t{each} == 0 && !seesAlong(part.first, along);
           });
  }
  // The counter may be a loop's.
  bool seesAlong(NodeId id, int32_t along) const {
    const Node& node = body_.at(id);
    if (node.op == NodeOp::OutputIndex || node.op == NodeOp::LoopIndex) return analysis_.counterOf(body_, id) == along;
    return node.op == NodeOp::LoopResult ||
           std::ranges::any_of(body_.inputsOf(id), [&](NodeId input) { return seesAlong(input, along); });
  }

  // All that is repeated for the neighbours is straight: no loop within, arrays whole, and conditions the same for all.
  bool areWhole(const std::vector<uint32_t>& nodes, int32_t along, unsigned each) const {
    return std::ranges::all_of(nodes, [&](uint32_t n) {
      const Node& node = body_.nodes[n];
      if (node.op == NodeOp::LoopResult || node.op == NodeOp::ReadOutput) return false;
      if (!isReadNode(n)) return true;
      if (node.op == NodeOp::ReadIf && !isSameForNeighbours(body_.inputsOf(NodeId{n})[0], along, each)) return false;
      return isWhole(*analysis_.addresses[n], body_.operands[node.bits0], along, each);
    });
  }
  bool storesAreWhole(int32_t along, unsigned each) const {
    for (size_t s = 0; s < program_.stores.size(); ++s)
      if (!isWhole(analysis_.storeAddresses[s], program_.outputs[program_.stores[s].output], along, each)) return false;
    return true;
  }

  // Comparisons of places with multiples, and what is made of them.
  bool isSameForNeighbours(NodeId id, int32_t along, unsigned each) const {
    if (!seesAlong(id, along)) return true;
    const Node& node = body_.at(id);
    const auto inputs = body_.inputsOf(id);
    if (node.op == NodeOp::And || node.op == NodeOp::Or || node.op == NodeOp::Not)
      return std::ranges::all_of(inputs, [&](NodeId input) { return isSameForNeighbours(input, along, each); });
    if (node.op != NodeOp::Compare || body_.at(inputs[1]).op != NodeOp::Constant) return false;
    const auto direction = static_cast<CompareDirection>(node.bits0);
    const bool isStrict = direction == CompareDirection::Lt || direction == CompareDirection::Ge;
    const bool isLoose = direction == CompareDirection::Le || direction == CompareDirection::Gt;
    const auto bound = static_cast<int64_t>(body_.at(inputs[1]).bits0) + (isLoose ? 1 : 0);
    return (isStrict || isLoose) && isPlaceFromMultiple(inputs[0], along, each) && bound % each == 0;
  }
  // The counter itself, or with a multiple added.
  bool isPlaceFromMultiple(NodeId id, int32_t along, unsigned each) const {
    const Node& node = body_.at(id);
    if (node.op == NodeOp::OutputIndex || node.op == NodeOp::LoopIndex) return analysis_.counterOf(body_, id) == along;
    if (node.op != NodeOp::Add || body_.at(body_.inputsOf(id)[1]).op != NodeOp::Constant) return false;
    return static_cast<int64_t>(body_.at(body_.inputsOf(id)[1]).bits0) % each == 0 &&
           isPlaceFromMultiple(body_.inputsOf(id)[0], along, each);
  }

  // No larger than what there is to do.
  void chooseBlock() {
    if (out_.groupThreads == out_.blockThreads || out_.isByColumns) return;
    const int64_t threads = std::max<int64_t>(out_.takers(), 1) * out_.groupThreads;
    const auto warps = static_cast<unsigned>(std::min<int64_t>((threads + kWarpThreads - 1) / kWarpThreads, 8));
    out_.blockThreads = warps * kWarpThreads;
  }

  const bool isInBlock_;
  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  std::vector<size_t> long_;
  GridMap out_;
};

}  // namespace

bool liesWhole(const Address& address, const Shape& array, int32_t along, int64_t each) {
  return address.coefficientOf(along) == 1 && address.constant % each == 0 &&
         array.denseBytes().value_or(0) > kSmallBufferBytes &&
         std::ranges::all_of(address.terms, [&](const CounterTerm& term) {
           return term.counter == along || term.coefficient % each == 0;
         });
}

bool GridMap::isStrided() const { return groupThreads == 1 && takers() > kMostBlocks * int64_t{blockThreads}; }

int64_t GridMap::blocks() const {
  const int64_t groups = blockThreads / groupThreads;
  return isStrided() ? kMostBlocks : (takers() + groups - 1) / groups;
}

std::string GridMap::text() const {
  if (isByColumns) return fmt::format("a lane of {} warps an item, {} items", groupThreads, items);
  const std::string strides = isStrided() ? ", in strides of the grid" : "";
  if (each > 1) return fmt::format("a thread for {} neighbours, {} items{}", each, items, strides);
  const std::string who = groupThreads == 1              ? "a thread"
                          : groupThreads == kWarpThreads ? "a warp"
                          : groupThreads < kWarpThreads  ? fmt::format("{} threads", groupThreads)
                                                         : fmt::format("a block of {} threads", groupThreads);
  const std::string atOnce = rowEach > 1 ? fmt::format(", {} neighbours at once", rowEach) : "";
  return fmt::format("{} an item, {} items{}{}", who, items, atOnce, strides);
}

GridMap GridMap::of(const LoopProgram& program, const ProgramAnalysis& analysis) {
  return Mapper(program, analysis, false).run();
}

GridMap GridMap::inBlock(const LoopProgram& program, const ProgramAnalysis& analysis) {
  return Mapper(program, analysis, true).run();
}

}  // namespace tessera::codegen
