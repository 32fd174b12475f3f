// See grid_contraction.h. Here: which programs are contractions, and how large their tiles are.
#include "backends/codegen/grid/grid_contraction.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/codegen/grid/grid_warpgroup_emission.h"
#include "backends/codegen/grid/warpgroup_products.h"
#include "backends/codegen/kernel_memory.h"

namespace tessera::codegen {

namespace {

constexpr unsigned kSideThreads = 16;  // of a block, along rows and along columns
constexpr unsigned kLargestTile = 64;
constexpr unsigned kTensorTile = 64;        // rows of four warps, which have 16 or 32 each
constexpr unsigned kTensorDepthBytes = 64;  // of a row in shared memory: two products of matrices deep
constexpr int64_t kTensorRows = 16;         // or columns, or depth; fewer leave most of a matrix empty
constexpr int64_t kFewestRows = 8;          // or columns; fewer leave most of a tile empty
constexpr int64_t kShortestDepth = 8;
constexpr int64_t kFewestProducts = 1 << 13;
constexpr unsigned kNarrowestCopy = 4;  // bytes
constexpr int64_t kWantedBlocks = 128;  // about as many as cards have multiprocessors

bool isByteFloat(ElementType type) { return type == ElementType::F8E4M3FN || type == ElementType::F8E5M2; }

bool isSummed(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 || (isInteger(type) && info(type).bits >= 32);
}

class Matcher {
 public:
  Matcher(const LoopProgram& program, const ProgramAnalysis& analysis, const GridTarget& target)
      : program_(program), body_(program.body), analysis_(analysis), target_(target) {}

  std::optional<ContractionMap> run() {
    const bool allParallel = program_.parallelDims == static_cast<int64_t>(body_.outputDims.size());
    if (!allParallel || body_.loops.size() != 1 || body_.loops[0].next.size() != 1) return std::nullopt;
    if (!matchSum() || !takeCounters()) return std::nullopt;
    findTensor();
    findLines();
    if (!chooseWarpgroups()) {
      chooseTiles();
      chooseCopies();
    }
    out_.grid.nest.lanes = 1;
    out_.grid.sharedLoops.assign(1, false);
    out_.grid.blockThreads = kSideThreads * kSideThreads;
    return std::move(out_);
  }

 private:
  bool isAccumulator(NodeId id) const { return body_.at(id).op == NodeOp::Accumulator; }

  // acc + x · y, perhaps only under a condition.
  bool matchSum() {
    NodeId next = body_.loops[0].next[0], guard;
    if (body_.at(next).op == NodeOp::Select && isAccumulator(body_.inputsOf(next)[2])) {
      guard = body_.inputsOf(next)[0];
      next = body_.inputsOf(next)[1];
    }
    if (body_.at(next).op != NodeOp::Add || !isSummed(body_.at(next).type)) return false;
    const auto terms = body_.inputsOf(next);
    const size_t sum = isAccumulator(terms[0]) ? 0 : 1;
    const NodeId product = terms[1 - sum];
    if (!isAccumulator(terms[sum]) || body_.at(product).op != NodeOp::Multiply) return false;
    out_.rows.factor = body_.inputsOf(product)[0];
    out_.columns.factor = body_.inputsOf(product)[1];
    guard_ = guard;
    const std::vector<bool> seesSum = madeOf([&](uint32_t n) {
      return body_.nodes[n].op == NodeOp::Accumulator || body_.nodes[n].op == NodeOp::LoopResult;
    });
    return !seesSum[out_.rows.factor.value] && !seesSum[out_.columns.factor.value] &&
           (!guard.valid() || !seesSum[guard.value]);
  }

  // By node: whether it, or anything that it is made of, is what `is` asks for.
  template <class Is>
  std::vector<bool> madeOf(const Is& is) const {
    std::vector<bool> out(body_.nodes.size());
    for (uint32_t n = 0; n < out.size(); ++n)
      out[n] = is(n) || std::ranges::any_of(body_.inputsOf(NodeId{n}), [&](NodeId input) { return out[input.value]; });
    return out;
  }

  uint64_t seen(NodeId id) const { return id.valid() ? analysis_.dependence[id.value].counters : 0; }
  bool isInLoop(NodeId id) const { return analysis_.dependence[id.value].loops.test(0); }

  bool takeCounters() {
    if (!isInLoop(out_.rows.factor) || !isInLoop(out_.columns.factor)) return false;
    const auto& space = analysis_.spaceCounters[0];
    out_.depth = analysis_.spaceCounters[1];
    if (space.empty() || out_.depth.empty()) return false;
    // What is side by side in the result are columns.
    if (seen(out_.rows.factor) >> space.back() & 1) std::swap(out_.rows, out_.columns);
    const uint64_t left = seen(out_.rows.factor), right = seen(out_.columns.factor);
    if (guard_.valid() && (seen(guard_) & ~left) == 0)
      out_.rows.guard = guard_;
    else if (guard_.valid() && (seen(guard_) & ~right) == 0)
      out_.columns.guard = guard_;
    else if (guard_.valid())
      return false;
    for (int32_t c : space) {
      const bool ofRows = left >> c & 1, ofColumns = right >> c & 1;
      (ofRows == ofColumns ? out_.batch : ofRows ? out_.rows.counters : out_.columns.counters).push_back(c);
    }
    const auto product = [&](const std::vector<int32_t>& counters) {
      int64_t all = 1;
      for (int32_t c : counters) all *= analysis_.counters[static_cast<size_t>(c)].size;
      return all;
    };
    out_.rows.size = product(out_.rows.counters);
    out_.columns.size = product(out_.columns.counters);
    out_.batches = product(out_.batch);
    out_.depthSize = product(out_.depth);
    const double products = static_cast<double>(out_.rows.size) * static_cast<double>(out_.columns.size) *
                            static_cast<double>(out_.depthSize) * static_cast<double>(out_.batches);
    return out_.rows.size >= kFewestRows && out_.columns.size >= kFewestRows && out_.depthSize >= kShortestDepth &&
           products >= kFewestProducts;
  }

  // Both factors are narrow numbers, converted to the type of the sums.
  void findTensor() {
    const Node &left = body_.at(out_.rows.factor), &right = body_.at(out_.columns.factor);
    const bool isLarge =
        out_.rows.size >= kTensorRows && out_.columns.size >= kTensorRows && out_.depthSize >= kTensorRows;
    if (!target_.isAmpere || !isLarge || left.op != NodeOp::Convert || right.op != NodeOp::Convert) return;
    const NodeId from = body_.inputsOf(out_.rows.factor)[0], other = body_.inputsOf(out_.columns.factor)[0];
    const ElementType type = body_.at(from).type, otherType = body_.at(other).type;
    const bool areBytes = left.type == ElementType::F32 && isByteFloat(type) && isByteFloat(otherType);
    const bool areHalves = left.type == ElementType::F32 && (type == ElementType::BF16 || type == ElementType::F16);
    const bool areIntegers = left.type == ElementType::S32 && type == ElementType::S8;
    if (!areBytes && (type != otherType || !(areHalves || areIntegers))) return;
    out_.rows.factor = from;
    out_.columns.factor = other;
    out_.tensor = areBytes ? ElementType::F16 : type;
    out_.tileDepth = kTensorDepthBytes / static_cast<unsigned>(byteWidth(*out_.tensor));
    out_.rows.tile = kTensorTile;
  }

  // Does a read of the factor walk memory along the innermost contracted counter?
  void findLines() {
    const std::vector<bool> readsAlongDepth = madeOf([&](uint32_t n) {
      return analysis_.addresses[n] && analysis_.addresses[n]->coefficientOf(out_.depth.back()) == 1;
    });
    for (ContractionMap::Side* side : {&out_.rows, &out_.columns})
      side->alongDepth = readsAlongDepth[side->factor.value];
  }

  // The widest tiles of which there are enough. Nothing of `out_` changes where there are none.
  bool chooseWarpgroups() {
    const bool isNarrow = out_.tensor == ElementType::BF16 || out_.tensor == ElementType::F16;
    const ElementType type = body_.at(out_.rows.factor).type;
    const unsigned width = static_cast<unsigned>(byteWidth(type)), chunk = kChunkBytes / width;
    ContractionMap map = out_;
    map.tileDepth = kMatrixLineBytes / width;
    if (!target_.hasWarpgroupProducts || !isNarrow || out_.depthSize < map.tileDepth) return false;
    map.rows.tile = kBlockGroups * kGroupRows;
    map.isByWarpgroups = true;
    for (ContractionMap::Side* side : {&map.rows, &map.columns}) {
      if (body_.at(side->factor).op != NodeOp::Read || side->guard.valid()) return false;
      if (!isWhole(*side, chunk) || (isByteFloat(type) && !side->alongDepth)) return false;
      side->copied = chunk;
    }
    for (const unsigned columns : {256, 128, 64}) {
      if (columns == 256 && isByteFloat(type)) continue;  // a thread has the sums twice
      map.columns.tile = columns;
      const bool fits = map.rows.size > map.rows.tile / 2 && map.columns.size > columns / 2;
      map.dynamicSharedBytes = WarpgroupEmission::sharedBytes(map);
      if (!fits || map.blocks() < (columns == 64 ? kFewestGroupBlocks : kWantedBlocks)) continue;
      if (map.dynamicSharedBytes > target_.sharedBytes) continue;
      out_ = std::move(map);
      return true;
    }
    return false;
  }

  void chooseTiles() {
    for (ContractionMap::Side* side : {&out_.rows, &out_.columns})
      while (side->tile < kLargestTile && side->tile < side->size) side->tile *= 2;
    // Rather more blocks than large ones, while there are few.
    for (ContractionMap::Side* side : {&out_.rows, &out_.columns})
      if (side->tile == kLargestTile && out_.blocks() < kWantedBlocks && !(out_.tensor && side == &out_.rows))
        side->tile /= 2;
    if (out_.tensor && out_.rows.size > kTensorTile && out_.blocks() >= 2 * kWantedBlocks) out_.rows.tile *= 2;
  }

  int32_t alongOf(const ContractionMap::Side& side) const {
    return side.alongDepth ? out_.depth.back() : side.counters.back();
  }
  // Whether so many elements from a multiple of that on lie side by side, in its lines.
  bool isWhole(const ContractionMap::Side& side, unsigned count) const {
    const Node& factor = body_.at(side.factor);
    const Address& address = *analysis_.addresses[side.factor.value];
    return address.others.empty() && analysis_.counters[static_cast<size_t>(alongOf(side))].size % count == 0 &&
           liesWhole(address, body_.operands[factor.bits0], alongOf(side), count);
  }

  // Where there is a next piece to copy. What shared memory holds is what is in memory; neighbours there are neighbours
  // here where that moves more at once.
  void chooseCopies() {
    if (!target_.isAmpere || out_.depthSize <= out_.tileDepth) return;
    for (ContractionMap::Side* side : {&out_.rows, &out_.columns}) {
      const Node& factor = body_.at(side->factor);
      if (factor.op != NodeOp::Read || side->guard.valid() || (out_.tensor && factor.type != *out_.tensor)) continue;
      const auto width = static_cast<unsigned>(byteWidth(factor.type));
      const unsigned whole = static_cast<unsigned>(kWidestAccess) / width;
      const bool standAsThere = side->alongDepth == out_.tensor.has_value();
      const bool areWhole = standAsThere && side->tile % whole == 0 && isWhole(*side, whole);
      side->copied = areWhole ? whole : width >= kNarrowestCopy ? 1 : 0;
    }
  }

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  const GridTarget& target_;
  NodeId guard_;
  ContractionMap out_;
};

}  // namespace

std::string ContractionMap::text() const {
  return fmt::format("tiles of {} by {} sums, {} products deep, {} blocks{}{}", rows.tile, columns.tile, tileDepth,
                     blocks(),
                     isByWarpgroups ? ", wgmma"
                     : tensor       ? ", tensor cores"
                                    : "",
                     isPipelined() ? ", asynchronous copies" : "");
}

std::optional<ContractionMap> ContractionMap::of(const LoopProgram& program, const ProgramAnalysis& analysis,
                                                 const GridTarget& target) {
  return Matcher(program, analysis, target).run();
}

}  // namespace tessera::codegen
