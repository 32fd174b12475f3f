// See grid_attention.h. Here: which programs are attention, and how large their tiles are.
#include "backends/codegen/grid/grid_attention.h"

#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>

namespace tessera::codegen {

namespace {

constexpr uint64_t kMinusInfinity = 0xff800000;  // of f32
constexpr unsigned kSharedBytes = 48 << 10;
constexpr int64_t kMostExtent = 128;        // of a query, of a value
constexpr int64_t kFewestTallBlocks = 128;  // about as many as cards have multiprocessors
constexpr unsigned kSumThreads = 256;       // sixteen along rows, sixteen along columns
constexpr unsigned kTensorThreads = 128;    // four warps of sixteen rows each
constexpr unsigned kWarpsRows = 64;

// Whether two nodes of a program compute the same, each in its own loops.
class SameShape {
 public:
  SameShape(const ElementProgram& body, size_t ofFirst, size_t ofSecond) : body_(body) { loops_[ofFirst] = ofSecond; }

  bool operator()(NodeId first, NodeId second) {
    const auto [known, isNew] = known_.emplace(std::pair(first, second), true);
    if (isNew) known->second = compare(first, second);
    return known_.at({first, second});
  }

 private:
  bool compare(NodeId first, NodeId second) {
    const Node &a = body_.at(first), &b = body_.at(second);
    if (a.op != b.op || a.type != b.type || a.inputCount != b.inputCount || a.bits1 != b.bits1) return false;
    const bool isOfLoop = a.op == NodeOp::LoopIndex || a.op == NodeOp::Accumulator || a.op == NodeOp::LoopResult;
    if (isOfLoop ? !sameLoop(a.bits0, b.bits0) : a.bits0 != b.bits0) return false;
    const auto inputs = body_.inputsOf(first), others = body_.inputsOf(second);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!(*this)(inputs[i], others[i])) return false;
    return true;
  }
  bool sameLoop(size_t first, size_t second) {
    const auto [known, isNew] = loops_.emplace(first, second);
    if (!isNew) return known->second == second;
    if (first == second) return true;
    const Loop &a = body_.loops[first], &b = body_.loops[second];
    if (a.ranges != b.ranges || a.next.size() != b.next.size()) return false;
    for (size_t k = 0; k < a.next.size(); ++k)
      if (!(*this)(a.inits[k], b.inits[k]) || !(*this)(a.next[k], b.next[k])) return false;
    return true;
  }

  const ElementProgram& body_;
  std::map<size_t, size_t> loops_;
  std::map<std::pair<NodeId, NodeId>, bool> known_;
};

class AttentionMatcher {
 public:
  AttentionMatcher(const LoopProgram& program, const ProgramAnalysis& analysis)
      : program_(program), body_(program.body), analysis_(analysis) {}

  std::optional<AttentionMap> run(bool tensorCores) {
    const bool isPlain = program_.parallelDims == static_cast<int64_t>(body_.outputDims.size()) &&
                         program_.stores.size() == 1 && !program_.stores[0].guard.valid();
    if (!isPlain || body_.loops.size() < 4) return std::nullopt;
    for (size_t loop = 0; loop < body_.loops.size(); ++loop) {
      out_ = {};
      if (!matchValues(loop) || !matchScores() || !takeCounters()) continue;
      findTensor(tensorCores);
      if (chooseTiles()) return std::move(out_);
    }
    return std::nullopt;
  }

 private:
  const Node& at(NodeId id) const { return body_.at(id); }
  NodeId input(NodeId id, size_t k) const { return body_.inputsOf(id)[k]; }
  NodeId behindConverts(NodeId id) const {
    while (at(id).op == NodeOp::Convert && isFloat(at(input(id, 0)).type)) id = input(id, 0);
    return id;
  }
  bool isConstant(NodeId id, uint64_t bits) const { return at(id).op == NodeOp::Constant && at(id).bits0 == bits; }
  bool isAccumulatorOf(NodeId id, size_t loop, size_t which) const {
    return at(id).op == NodeOp::Accumulator && at(id).bits0 == loop && at(id).bits1 == which;
  }

  // What accumulator `which` of the loop adds to itself, or is compared with, from the neutral element on.
  std::optional<NodeId> termOf(size_t loop, size_t which, NodeOp op, uint64_t initial) const {
    const Loop& description = body_.loops[loop];
    const NodeId next = description.next[which];
    if (!isConstant(description.inits[which], initial) || at(next).op != op || at(next).type != ElementType::F32)
      return std::nullopt;
    for (const size_t k : {0, 1})
      if (isAccumulatorOf(input(next, k), loop, which)) return input(next, 1 - k);
    return std::nullopt;
  }

  // The result of a loop, behind conversions and a maximum that changes nothing.
  const Node* statisticOf(NodeId id) const {
    for (;;) {
      id = behindConverts(id);
      if (at(id).op == NodeOp::LoopResult) return &at(id);
      if (at(id).op != NodeOp::Maximum || !isConstant(input(id, 1), kMinusInfinity)) return nullptr;
      id = input(id, 0);
    }
  }

  // sum over keys of (power / sum) · value
  bool matchValues(size_t loop) {
    if (body_.loops[loop].next.size() != 1) return false;
    const auto product = termOf(loop, 0, NodeOp::Add, 0);
    if (!product || at(*product).op != NodeOp::Multiply) return false;
    for (const size_t side : {0, 1}) {
      weight_ = input(*product, side);
      const NodeId quotient = behindConverts(weight_);
      if (at(quotient).op != NodeOp::Divide || at(quotient).type != ElementType::F32) continue;
      const Node* sum = statisticOf(input(quotient, 1));
      if (!sum || !matchPower(loop, behindConverts(input(quotient, 0)), sum->bits0, sum->bits1)) continue;
      out_.valueLoop = loop;
      out_.value.node = input(*product, 1 - side);
      return true;
    }
    return false;
  }

  // The exponential of the score less the row's maximum; `sumLoop` adds up the same.
  bool matchPower(size_t loop, NodeId power, size_t sumLoop, size_t which) {
    const auto term = termOf(sumLoop, which, NodeOp::Add, 0);
    if (!term || at(power).type != ElementType::F32) return false;
    if (!SameShape(body_, sumLoop, loop)(behindConverts(*term), power)) return false;
    out_.shifted = {};
    std::vector<bool> seen(body_.nodes.size());
    if (!findShifted(power, seen) || !out_.shifted.valid()) return false;
    const Node* most = statisticOf(input(out_.shifted, 1));
    if (!most) return false;
    const auto compared = termOf(most->bits0, most->bits1, NodeOp::Maximum, kMinusInfinity);
    out_.score = input(out_.shifted, 0);
    if (!compared || !SameShape(body_, most->bits0, loop)(behindConverts(*compared), behindConverts(out_.score)))
      return false;
    out_.power = power, out_.sumLoop = sumLoop, out_.mostLoop = most->bits0;
    return true;
  }

  // The one difference of a score and a maximum that `id` is a function of; false: of something else, too.
  bool findShifted(NodeId id, std::vector<bool>& seen) {
    const Node& node = at(id);
    if (seen[id.value]) return true;
    seen[id.value] = true;
    if (node.op == NodeOp::Subtract && node.type == ElementType::F32 && statisticOf(input(id, 1))) {
      if (out_.shifted.valid() && out_.shifted != id) return false;
      out_.shifted = id;
      return true;
    }
    if (node.op == NodeOp::Constant) return true;
    if (node.inputCount == 0 || node.op == NodeOp::Read || node.op == NodeOp::ReadIf) return false;
    return std::ranges::all_of(body_.inputsOf(id), [&](NodeId each) { return findShifted(each, seen); });
  }

  // The score is made of one sum of products of a query and a key.
  bool matchScores() {
    std::vector<size_t> loops;
    std::vector<bool> seen(body_.nodes.size());
    findLoops(out_.score, seen, loops);
    if (loops.size() != 1 || body_.loops[loops[0]].next.size() != 1) return false;
    out_.scoreLoop = loops[0];
    const auto product = termOf(loops[0], 0, NodeOp::Add, 0);
    if (!product || at(*product).op != NodeOp::Multiply) return false;
    const NodeId left = input(*product, 0), right = input(*product, 1);
    const bool leftIsKey = seesKeys(left);
    if (leftIsKey == seesKeys(right) || !seesKeys(out_.value.node)) return false;
    out_.key.node = leftIsKey ? left : right;
    out_.query.node = leftIsKey ? right : left;
    std::vector<size_t> others;
    for (const NodeId factor : {left, right, out_.value.node}) findLoops(factor, seen, others);
    return others.empty();
  }
  bool seesKeys(NodeId id) const { return analysis_.dependence[id.value].loops.test(out_.valueLoop); }

  void findLoops(NodeId id, std::vector<bool>& seen, std::vector<size_t>& found) const {
    if (seen[id.value]) return;
    seen[id.value] = true;
    if (at(id).op == NodeOp::LoopResult && std::ranges::find(found, at(id).bits0) == found.end())
      found.push_back(at(id).bits0);
    for (const NodeId each : body_.inputsOf(id)) findLoops(each, seen, found);
  }

  bool takeCounters() {
    const auto seen = [&](NodeId id) { return analysis_.dependence[id.value].counters; };
    const uint64_t query = seen(out_.query.node), key = seen(out_.key.node), value = seen(out_.value.node),
                   score = seen(out_.score);
    for (const int32_t c : analysis_.spaceCounters[0]) {
      const bool ofQuery = query >> c & 1, ofKey = key >> c & 1, ofValue = value >> c & 1;
      if (ofValue && !(score >> c & 1))
        out_.width.push_back(c);
      else if (ofQuery && !ofKey && !ofValue)
        out_.rows.push_back(c);
      else
        out_.batch.push_back(c);
    }
    out_.columns = analysis_.spaceCounters[1 + out_.valueLoop];
    out_.depth = analysis_.spaceCounters[1 + out_.scoreLoop];
    if (out_.rows.empty() || out_.width.empty() || out_.columns.empty() || out_.depth.empty()) return false;
    const auto product = [&](const std::vector<int32_t>& counters) {
      int64_t all = 1;
      for (const int32_t c : counters) all *= analysis_.counters[static_cast<size_t>(c)].size;
      return all;
    };
    out_.rowCount = product(out_.rows), out_.columnCount = product(out_.columns);
    out_.depthCount = product(out_.depth), out_.widthCount = product(out_.width);
    out_.batches = product(out_.batch);
    out_.query.alongSum = readsAlong(out_.query.node, out_.depth.back());
    out_.key.alongSum = readsAlong(out_.key.node, out_.depth.back());
    out_.value.alongSum = readsAlong(out_.value.node, out_.columns.back());
    return out_.depthCount <= kMostExtent && out_.widthCount <= kMostExtent;
  }

  bool readsAlong(NodeId id, int32_t counter) const {
    const auto& address = analysis_.addresses[id.value];
    return (address && address->coefficientOf(counter) == 1) ||
           std::ranges::any_of(body_.inputsOf(id), [&](NodeId each) { return readsAlong(each, counter); });
  }

  // The factors of both dots are narrow numbers, converted to the type of the sums.
  void findTensor(bool tensorCores) {
    const NodeId factors[] = {out_.query.node, out_.key.node, out_.value.node, weight_};
    std::optional<ElementType> type;
    for (const NodeId factor : factors) {
      if (!tensorCores || at(factor).op != NodeOp::Convert) return;
      const ElementType from = at(input(factor, 0)).type;
      if ((from != ElementType::BF16 && from != ElementType::F16) || type.value_or(from) != from) return;
      type = from;
    }
    out_.tensor = type;
    for (AttentionMap::Factor* factor : {&out_.query, &out_.key, &out_.value}) factor->node = input(factor->node, 0);
  }

  // Shared memory of a block, as the emission lays it out.
  unsigned sharedBytes() const {
    const unsigned depth = out_.paddedDepth(), width = out_.paddedWidth(), rows = out_.tileRows,
                   columns = out_.tileColumns;
    if (out_.tensor) return 4 * ((rows + columns) * (depth / 2 + 4) + width * (columns / 2 + 4) + rows * 24);
    return 4 * ((rows + columns) * (depth + 1) + columns * (width + 1) + rows * out_.powersLine());
  }

  bool chooseTiles() {
    static constexpr std::pair<unsigned, unsigned> kTiles[] = {{64, 32}, {32, 32}, {32, 16}, {16, 16}};
    static constexpr std::pair<unsigned, unsigned> kTensorTiles[] = {{kWarpsRows, 64}, {kWarpsRows, 32}};
    out_.grid.nest.lanes = 1;
    out_.grid.sharedLoops.assign(body_.loops.size(), false);
    out_.grid.blockThreads = out_.tensor ? kTensorThreads : kSumThreads;
    for (const auto& [rows, columns] :
         out_.tensor ? std::span<const std::pair<unsigned, unsigned>>(kTensorTiles) : kTiles) {
      out_.tileRows = rows, out_.tileColumns = columns;
      const bool isLarge = !out_.tensor && rows == 64 && out_.blocks() < kFewestTallBlocks;
      if (!isLarge && sharedBytes() <= kSharedBytes) return true;
    }
    return false;
  }

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  NodeId weight_;
  AttentionMap out_;
};

}  // namespace

std::string AttentionMap::text() const {
  return fmt::format("attention by tiles: {} queries by {} keys, {} blocks{}", tileRows, tileColumns, blocks(),
                     tensor ? ", tensor cores" : "");
}

std::optional<AttentionMap> AttentionMap::of(const LoopProgram& program, const ProgramAnalysis& analysis,
                                             bool tensorCores) {
  return AttentionMatcher(program, analysis).run(tensorCores);
}

}  // namespace tessera::codegen
