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
constexpr int64_t kFewestExtent = 8;        // where there is no softmax; fewer are no attention
constexpr int64_t kFewestTallBlocks = 128;  // about as many as cards have multiprocessors
constexpr unsigned kSumThreads = 256;       // sixteen along rows, sixteen along columns

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
                         body_.loops.size() >= 2 &&
                         std::ranges::none_of(program_.stores, [](const Store& store) { return store.guard.valid(); });
    if (!isPlain) return std::nullopt;
    for (size_t loop = 0; loop < body_.loops.size(); ++loop)
      for (const auto& matches :
           {&AttentionMatcher::matchSoftmax, &AttentionMatcher::matchRows, &AttentionMatcher::matchSums}) {
        out_ = {};
        out_.loop = loop;
        multiplied_.clear();
        if (!(this->*matches)() || !takeCounters()) continue;
        findTensor(tensorCores);
        findShared();
        if (!chooseTiles()) continue;
        out_.visible = ColumnLimits::of(program_, analysis_, out_);
        return std::move(out_);
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

  // softmax(f(q · kᵀ)) · v
  bool matchSoftmax() {
    if (program_.stores.size() != 1 || body_.loops.size() < 4 || !matchValues()) return false;
    std::vector<size_t> loops;
    std::vector<bool> seen(body_.nodes.size());
    findLoops(out_.softmax->score, seen, loops);
    return loops.size() == 1 && takeProduct(loops[0]) && seesColumns(out_.sums[0].value->node) &&
           !hasLoops(out_.sums[0].value->node);
  }

  // The maximum and the sum of a softmax's rows.
  bool matchRows() {
    const auto term = termOf(out_.loop, 0, NodeOp::Add, 0);
    if (!term || body_.loops[out_.loop].next.size() != 1 || !matchPower(behindConverts(*term), out_.loop, 0))
      return false;
    out_.sums = {{.weight = out_.softmax->power}};
    std::vector<size_t> loops;
    std::vector<bool> seen(body_.nodes.size());
    findLoops(out_.softmax->score, seen, loops);
    return loops.size() == 1 && body_.loops.size() == 4 && takeProduct(loops[0]);
  }

  // sum over keys of (power / sum) · value
  bool matchValues() {
    if (body_.loops[out_.loop].next.size() != 1) return false;
    const auto product = termOf(out_.loop, 0, NodeOp::Add, 0);
    if (!product || at(*product).op != NodeOp::Multiply) return false;
    for (const size_t side : {0, 1}) {
      const NodeId weight = input(*product, side), quotient = behindConverts(weight);
      if (at(quotient).op != NodeOp::Divide || at(quotient).type != ElementType::F32) continue;
      const Node* sum = statisticOf(input(quotient, 1));
      if (!sum || !matchPower(behindConverts(input(quotient, 0)), sum->bits0, sum->bits1)) continue;
      out_.sums = {{.weight = out_.softmax->power, .value = AttentionMap::Factor{input(*product, 1 - side)}}};
      multiplied_ = {weight};
      return true;
    }
    return false;
  }

  // The exponential of the score less the row's maximum; `sumLoop` adds up the same.
  bool matchPower(NodeId power, size_t sumLoop, size_t which) {
    const auto term = termOf(sumLoop, which, NodeOp::Add, 0);
    if (!term || at(power).type != ElementType::F32) return false;
    if (!SameShape(body_, sumLoop, out_.loop)(behindConverts(*term), power)) return false;
    AttentionMap::Softmax& found = out_.softmax.emplace();
    std::vector<bool> seen(body_.nodes.size());
    if (!findShifted(power, seen) || !found.shifted.valid()) return false;
    const Node* most = statisticOf(input(found.shifted, 1));
    if (!most) return false;
    const auto compared = termOf(most->bits0, most->bits1, NodeOp::Maximum, kMinusInfinity);
    found.score = input(found.shifted, 0);
    if (!compared || !SameShape(body_, most->bits0, out_.loop)(behindConverts(*compared), behindConverts(found.score)))
      return false;
    found.power = power, found.sumLoop = sumLoop, found.mostLoop = most->bits0;
    return true;
  }

  // The one difference of a score and a maximum that `id` is a function of; false: of something else, too.
  bool findShifted(NodeId id, std::vector<bool>& seen) {
    const Node& node = at(id);
    if (seen[id.value]) return true;
    seen[id.value] = true;
    if (node.op == NodeOp::Subtract && node.type == ElementType::F32 && statisticOf(input(id, 1))) {
      NodeId& shifted = out_.softmax->shifted;
      if (shifted.valid() && shifted != id) return false;
      shifted = id;
      return true;
    }
    if (node.op == NodeOp::Constant) return true;
    if (node.inputCount == 0 || node.op == NodeOp::Read || node.op == NodeOp::ReadIf) return false;
    return std::ranges::all_of(body_.inputsOf(id), [&](NodeId each) { return findShifted(each, seen); });
  }

  // Sums over the columns, or maxima, of functions of products that nothing but these functions reads.
  bool matchSums() {
    std::vector<size_t> loops;
    std::vector<bool> seen(body_.nodes.size());
    for (size_t k = 0; k < body_.loops[out_.loop].next.size(); ++k) {
      const auto sum = sumOf(k);
      if (!sum || (k > 0 && sum->value.has_value() != out_.hasValues())) return false;
      findLoops(sum->weight, seen, loops);
      out_.sums.push_back(*sum);
      multiplied_.push_back(sum->weight);
    }
    return body_.loops.size() == 1 + loops.size() && !loops.empty() &&
           std::ranges::all_of(loops, [&](size_t inner) { return inner != out_.loop && takeProduct(inner); }) &&
           std::ranges::all_of(out_.products, [](const auto& each) { return each.depthCount >= kFewestExtent; });
  }

  std::optional<AttentionMap::Sum> sumOf(size_t which) const {
    if (const auto compared = termOf(out_.loop, which, NodeOp::Maximum, kMinusInfinity))
      return AttentionMap::Sum{.weight = *compared, .join = NodeOp::Maximum};
    const auto term = termOf(out_.loop, which, NodeOp::Add, 0);
    if (!term) return std::nullopt;
    if (at(*term).op == NodeOp::Multiply)
      for (const size_t side : {0, 1}) {
        const NodeId weight = input(*term, side), value = input(*term, 1 - side);
        const bool isRepeated = std::ranges::any_of(analysis_.spaceCounters[0],
                                                    [&](int32_t c) { return (countersOf(weight) >> c & 1) == 0; });
        if (hasLoops(weight) && !hasLoops(value) && isRepeated)
          return AttentionMap::Sum{.weight = weight, .value = AttentionMap::Factor{value}};
      }
    return AttentionMap::Sum{.weight = *term};
  }

  // A sum of products of a row's and a column's elements.
  bool takeProduct(size_t loop) {
    const Loop& description = body_.loops[loop];
    for (AttentionMap::Product& known : out_.products) {
      const Loop& other = body_.loops[known.loops[0]];
      if (other.ranges != description.ranges || other.next.size() != 1 || description.next.size() != 1 ||
          !SameShape(body_, known.loops[0], loop)(other.next[0], description.next[0]))
        continue;
      known.loops.push_back(loop);
      return true;
    }
    if (description.next.size() != 1) return false;
    const auto term = termOf(loop, 0, NodeOp::Add, 0);
    if (!term || at(*term).op != NodeOp::Multiply) return false;
    const NodeId left = input(*term, 0), right = input(*term, 1);
    if ((seesColumns(left) && seesColumns(right)) || hasLoops(left) || hasLoops(right)) return false;
    // Of two that see no column, the one that sees rows.
    const bool leftIsColumn = seesColumns(left) || (!seesColumns(right) && countersOf(left) == 0);
    AttentionMap::Product& product = out_.products.emplace_back();
    product.loops = {loop};
    product.column.node = leftIsColumn ? left : right;
    product.row.node = leftIsColumn ? right : left;
    product.depth = analysis_.spaceCounters[1 + loop];
    product.depthCount = sizeOf(product.depth);
    return !product.depth.empty() && product.depthCount <= kMostExtent;
  }

  bool seesColumns(NodeId id) const { return analysis_.dependence[id.value].loops.test(out_.loop); }
  uint64_t countersOf(NodeId id) const { return analysis_.dependence[id.value].counters; }
  int64_t sizeOf(const std::vector<int32_t>& counters) const {
    int64_t all = 1;
    for (const int32_t c : counters) all *= analysis_.counters[static_cast<size_t>(c)].size;
    return all;
  }
  bool hasLoops(NodeId id) const {
    std::vector<size_t> loops;
    std::vector<bool> seen(body_.nodes.size());
    findLoops(id, seen, loops);
    return !loops.empty();
  }

  void findLoops(NodeId id, std::vector<bool>& seen, std::vector<size_t>& found) const {
    if (seen[id.value]) return;
    seen[id.value] = true;
    if (at(id).op == NodeOp::LoopResult && std::ranges::find(found, at(id).bits0) == found.end())
      found.push_back(at(id).bits0);
    for (const NodeId each : body_.inputsOf(id)) findLoops(each, seen, found);
  }

  bool takeCounters() {
    uint64_t ofRows = 0, ofColumns = 0, ofWeights = 0;
    for (const AttentionMap::Product& product : out_.products)
      ofRows |= countersOf(product.row.node), ofColumns |= countersOf(product.column.node);
    for (const AttentionMap::Sum& sum : out_.sums) {
      ofWeights |= countersOf(sum.weight);
      if (sum.value) ofColumns |= countersOf(sum.value->node);
    }
    for (const int32_t c : analysis_.spaceCounters[0]) {
      const auto isIn = [&](uint64_t counters) { return (counters >> c & 1) != 0; };
      (!isIn(ofWeights) ? out_.width : isIn(ofRows) && !isIn(ofColumns) ? out_.rows : out_.batch).push_back(c);
    }
    out_.columns = analysis_.spaceCounters[1 + out_.loop];
    if (out_.rows.empty() || out_.columns.empty() || out_.width.empty() == out_.hasValues()) return false;
    out_.rowCount = sizeOf(out_.rows), out_.columnCount = sizeOf(out_.columns);
    out_.widthCount = sizeOf(out_.width), out_.batches = sizeOf(out_.batch);
    for (AttentionMap::Product& product : out_.products)
      for (AttentionMap::Factor* factor : {&product.row, &product.column})
        factor->alongSum = readsAlong(factor->node, product.depth.back());
    for (AttentionMap::Sum& sum : out_.sums)
      if (sum.value) sum.value->alongSum = readsAlong(sum.value->node, out_.columns.back());
    return out_.widthCount <= kMostExtent;
  }

  bool readsAlong(NodeId id, int32_t counter) const {
    const auto& address = analysis_.addresses[id.value];
    return (address && address->coefficientOf(counter) == 1) ||
           std::ranges::any_of(body_.inputsOf(id), [&](NodeId each) { return readsAlong(each, counter); });
  }

  std::vector<AttentionMap::Factor*> factors() {
    std::vector<AttentionMap::Factor*> out;
    for (AttentionMap::Product& product : out_.products) out.insert(out.end(), {&product.row, &product.column});
    for (AttentionMap::Sum& sum : out_.sums)
      if (sum.value) out.push_back(&*sum.value);
    return out;
  }

  // The factors of all dots are narrow numbers, converted to the type of the sums.
  void findTensor(bool tensorCores) {
    std::vector<NodeId> multiplied;
    for (const AttentionMap::Factor* factor : factors()) multiplied.push_back(factor->node);
    if (out_.hasValues()) multiplied.insert(multiplied.end(), multiplied_.begin(), multiplied_.end());
    std::optional<ElementType> type;
    for (const NodeId factor : multiplied) {
      if (!tensorCores || at(factor).op != NodeOp::Convert) return;
      const ElementType from = at(input(factor, 0)).type;
      if ((from != ElementType::BF16 && from != ElementType::F16) || type.value_or(from) != from) return;
      type = from;
    }
    out_.tensor = type;
    for (AttentionMap::Factor* factor : factors()) factor->node = input(factor->node, 0);
    if (out_.softmax || !out_.hasValues()) return;
    // Packing rounds.
    for (AttentionMap::Sum& sum : out_.sums) {
      sum.weight = input(sum.weight, 0);
      if (at(sum.weight).op == NodeOp::Convert && at(input(sum.weight, 0)).type == ElementType::F32)
        sum.weight = input(sum.weight, 0);
    }
  }

  void findShared() {
    if (out_.tensor) return;
    for (AttentionMap::Sum& sum : out_.sums)
      for (size_t p = 0; p < out_.products.size() && sum.value && !sum.sharedWith; ++p)
        if (areColumnsOf(out_.products[p], sum.value->node)) sum.sharedWith = p;
  }

  // Whether the values are the product's vectors of columns.
  bool areColumnsOf(const AttentionMap::Product& product, NodeId value) const {
    NodeId column = product.column.node;
    while (at(value).op == NodeOp::Convert && at(column).op == NodeOp::Convert && at(value).type == at(column).type)
      value = input(value, 0), column = input(column, 0);
    const Node &a = at(value), &b = at(column);
    if (a.op == NodeOp::Constant && a == b) return product.depthCount == out_.widthCount;
    if (a.op != NodeOp::Read || b.op != NodeOp::Read || a.bits0 != b.bits0 || product.depth.size() != out_.width.size())
      return false;
    const Address &ofValue = *analysis_.addresses[value.value], &ofColumn = *analysis_.addresses[column.value];
    const auto areAlike = [&](int32_t c, int32_t d) {
      return analysis_.counters[static_cast<size_t>(c)].size == analysis_.counters[static_cast<size_t>(d)].size &&
             ofValue.coefficientOf(c) == ofColumn.coefficientOf(d);
    };
    for (size_t k = 0; k < out_.width.size(); ++k)
      if (!areAlike(out_.width[k], product.depth[k])) return false;
    for (const auto* counters : {&out_.columns, &out_.batch})
      for (const int32_t c : *counters)
        if (!areAlike(c, c)) return false;
    return ofValue.constant == ofColumn.constant && ofValue.others.empty() && ofColumn.others.empty();
  }

  // Shared memory of a block, as the emission lays it out.
  unsigned sharedBytes() const {
    const unsigned width = out_.paddedWidth(), rows = out_.tileRows, columns = out_.tileColumns;
    unsigned words = 0;
    for (const AttentionMap::Product& product : out_.products)
      words += (rows + columns) * (out_.tensor ? product.paddedDepth() / 2 + 4 : product.paddedDepth() + 1);
    for (const AttentionMap::Sum& sum : out_.sums) {
      if (!sum.value) continue;
      if (out_.tensor)
        words += width * (columns / 2 + 4) + rows * 24;
      else if (!sum.sharedWith)
        words += columns * (width + 1);
    }
    if (!out_.tensor && out_.hasValues()) words += rows * out_.weightsLine();
    return 4 * words;
  }

  bool chooseTiles() {
    static constexpr std::pair<unsigned, unsigned> kTiles[] = {{64, 32}, {32, 32}, {32, 16}, {16, 16}};
    static constexpr std::pair<unsigned, unsigned> kTensorTiles[] = {{64, 64}, {64, 32}, {32, 32}, {32, 16}};
    out_.grid.nest.lanes = 1;
    out_.grid.sharedLoops.assign(body_.loops.size(), false);
    for (const auto& [rows, columns] : out_.tensor ? kTensorTiles : kTiles) {
      out_.tileRows = rows, out_.tileColumns = columns;
      out_.grid.blockThreads = out_.tensor ? rows / kMatrixRows * kWarpThreads : kSumThreads;
      const bool isLarge = !out_.tensor && rows == 64 && out_.blocks() < kFewestTallBlocks;
      if (!isLarge && sharedBytes() <= kSharedBytes) return true;
    }
    return false;
  }

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  std::vector<NodeId> multiplied_;  // by sum: the weight as it is multiplied by the value
  AttentionMap out_;
};

}  // namespace

int64_t AttentionMap::visitedTiles() const {
  int64_t out = 0;
  for (int64_t row = 0; row < rowCount; row += tileRows) {
    const auto [begin, end] = visible.range(row, std::min(row + tileRows, rowCount) - 1, columnCount);
    out += begin < end ? (end - 1) / tileColumns - begin / tileColumns + 1 : 1;  // a loop has a round at least
  }
  return out;
}

std::string AttentionMap::text() const {
  const char* what = !hasValues() ? "rows of attention" : softmax ? "attention" : "products of attention";
  return fmt::format("{} by tiles: {} {} by {} {}, {} blocks{}{}", what, tileRows, softmax ? "queries" : "rows",
                     tileColumns, softmax ? "keys" : "columns", blocks(),
                     visible.areKnown() ? fmt::format(", {} of {} tiles", visitedTiles(), tiles()) : "",
                     tensor ? ", tensor cores" : "");
}

std::optional<AttentionMap> AttentionMap::of(const LoopProgram& program, const ProgramAnalysis& analysis,
                                             bool tensorCores) {
  return AttentionMatcher(program, analysis).run(tensorCores);
}

}  // namespace tessera::codegen
