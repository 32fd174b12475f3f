// See grid_attention_matcher.h.
#include "backends/codegen/grid/grid_attention_matcher.h"

#include <algorithm>

#include "backends/codegen/grid/same_computation.h"

namespace tessera::codegen {

namespace {

constexpr int64_t kFewestExtent = 8;  // of a vector where there is no softmax; fewer are no attention

// Of softmaxes and sums; sixteen bits wide ones are computed in f32.
bool isSumType(ElementType type) {
  return type == ElementType::F32 || type == ElementType::BF16 || type == ElementType::F16;
}

uint64_t minusInfinityOf(ElementType type) {
  return type == ElementType::F32 ? 0xff800000 : type == ElementType::BF16 ? 0xff80 : 0xfc00;
}

class AttentionMatcher {
 public:
  AttentionMatcher(const LoopProgram& program, const ProgramAnalysis& analysis)
      : program_(program), body_(program.body), analysis_(analysis) {}

  void run(bool tensorCores, const std::function<bool(AttentionMap&)>& takes) {
    const bool isPlain = program_.parallelDims == static_cast<int64_t>(body_.outputDims.size()) &&
                         body_.loops.size() >= 2 &&
                         std::ranges::none_of(program_.stores, [](const Store& store) { return store.guard.valid(); });
    for (size_t loop = 0; isPlain && loop < body_.loops.size(); ++loop)
      for (const auto& matches : {&AttentionMatcher::matchSoftmax, &AttentionMatcher::matchRows,
                                  &AttentionMatcher::matchBatchSum, &AttentionMatcher::matchSums}) {
        out_ = {};
        out_.loop = loop;
        multiplied_.clear();
        if (!(this->*matches)() || !takeCounters()) continue;
        findTensor(tensorCores);
        findShared();
        if (takes(out_)) return;
      }
  }

 private:
  const Node& at(NodeId id) const { return body_.at(id); }
  NodeId input(NodeId id, size_t k) const { return body_.inputsOf(id)[k]; }
  NodeId behindConverts(NodeId id) const {
    while (at(id).op == NodeOp::Convert && isFloat(at(input(id, 0)).type)) id = input(id, 0);
    return id;
  }
  // What a sum or a maximum begins with.
  bool isNeutral(NodeId id, NodeOp op) const {
    const Node& node = at(id);
    return node.op == NodeOp::Constant && isSumType(node.type) &&
           node.bits0 == (op == NodeOp::Add ? 0 : minusInfinityOf(node.type));
  }
  bool isAccumulatorOf(NodeId id, size_t loop, size_t which) const {
    return at(id).op == NodeOp::Accumulator && at(id).bits0 == loop && at(id).bits1 == which;
  }

  // What accumulator `which` of the loop adds to itself, or is compared with, from the neutral element on.
  std::optional<NodeId> termOf(size_t loop, size_t which, NodeOp op) const {
    const Loop& description = body_.loops[loop];
    const NodeId next = description.next[which];
    if (!isNeutral(description.inits[which], op) || at(next).op != op || !isSumType(at(next).type)) return std::nullopt;
    for (const size_t k : {0, 1})
      if (isAccumulatorOf(input(next, k), loop, which)) return input(next, 1 - k);
    return std::nullopt;
  }

  // The result of a loop, behind conversions and a maximum that changes nothing.
  const Node* statisticOf(NodeId id) const {
    for (;;) {
      id = behindConverts(id);
      if (at(id).op == NodeOp::LoopResult) return &at(id);
      if (at(id).op != NodeOp::Maximum || !isNeutral(input(id, 1), NodeOp::Maximum)) return nullptr;
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
    const auto term = termOf(out_.loop, 0, NodeOp::Add);
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
    const auto product = termOf(out_.loop, 0, NodeOp::Add);
    if (!product || at(*product).op != NodeOp::Multiply) return false;
    for (const size_t side : {0, 1}) {
      const NodeId weight = input(*product, side), quotient = behindConverts(weight);
      if (at(quotient).op != NodeOp::Divide || !isSumType(at(quotient).type)) continue;
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
    const auto term = termOf(sumLoop, which, NodeOp::Add);
    if (!term || !isSumType(at(power).type)) return false;
    if (!SameComputation(body_, sumLoop, out_.loop)(behindConverts(*term), power)) return false;
    AttentionMap::Softmax& found = out_.softmax.emplace();
    std::vector<bool> seen(body_.nodes.size());
    if (!findShifted(power, seen) || !found.shifted.valid()) return false;
    const Node* most = statisticOf(input(found.shifted, 1));
    if (!most) return false;
    const auto compared = termOf(most->bits0, most->bits1, NodeOp::Maximum);
    found.score = input(found.shifted, 0);
    if (!compared ||
        !SameComputation(body_, most->bits0, out_.loop)(behindConverts(*compared), behindConverts(found.score)))
      return false;
    found.power = power, found.sumLoop = sumLoop, found.mostLoop = most->bits0;
    return true;
  }

  // The one difference of a score and a maximum that `id` is a function of; false: of something else, too.
  bool findShifted(NodeId id, std::vector<bool>& seen) {
    const Node& node = at(id);
    if (seen[id.value]) return true;
    seen[id.value] = true;
    if (node.op == NodeOp::Subtract && isSumType(node.type) && statisticOf(input(id, 1))) {
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
    for (size_t k = 0; k < body_.loops[out_.loop].next.size(); ++k) {
      const auto sum = sumOf(k);
      if (!sum || (k > 0 && sum->value.has_value() != out_.hasValues())) return false;
      out_.sums.push_back(*sum);
      multiplied_.push_back(sum->weight);
    }
    return takeProductsOf(multiplied_);
  }

  // A function of products, added up over a part of the batch: the gradient of a bias that heads or examples share.
  bool matchBatchSum() {
    const auto term = termOf(out_.loop, 0, NodeOp::Add);
    if (!term || body_.loops[out_.loop].next.size() != 1) return false;
    out_.isOverBatch = true;
    out_.sums = {{.weight = *term}};
    return takeProductsOf({*term});
  }

  // All loops that the weights are made of are products, and there is no other loop.
  bool takeProductsOf(const std::vector<NodeId>& weights) {
    std::vector<size_t> loops;
    std::vector<bool> seen(body_.nodes.size());
    for (const NodeId weight : weights) findLoops(weight, seen, loops);
    return body_.loops.size() == 1 + loops.size() && !loops.empty() &&
           std::ranges::all_of(loops, [&](size_t inner) { return inner != out_.loop && takeProduct(inner); }) &&
           std::ranges::all_of(out_.products, [](const auto& each) { return each.depthCount >= kFewestExtent; });
  }

  std::optional<AttentionMap::Sum> sumOf(size_t which) const {
    if (const auto compared = termOf(out_.loop, which, NodeOp::Maximum))
      return AttentionMap::Sum{.weight = *compared, .join = NodeOp::Maximum};
    const auto term = termOf(out_.loop, which, NodeOp::Add);
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
          !SameComputation(body_, known.loops[0], loop)(other.next[0], description.next[0]))
        continue;
      known.loops.push_back(loop);
      return true;
    }
    if (description.next.size() != 1) return false;
    const auto term = termOf(loop, 0, NodeOp::Add);
    if (!term || at(*term).op != NodeOp::Multiply) return false;
    const NodeId left = input(*term, 0), right = input(*term, 1);
    if (hasLoops(left) || hasLoops(right)) return false;
    if (!out_.isOverBatch && seesColumns(left) && seesColumns(right)) return false;
    const bool leftIsColumn = isColumn(left, right);
    AttentionMap::Product& product = out_.products.emplace_back();
    product.loops = {loop};
    product.column.node = leftIsColumn ? left : right;
    product.row.node = leftIsColumn ? right : left;
    product.depth = analysis_.spaceCounters[1 + loop];
    product.depthCount = sizeOf(product.depth);
    return !product.depth.empty();
  }

  // Of a product's two factors. Of two that see no column, the other one sees rows.
  bool isColumn(NodeId factor, NodeId other) const {
    if (!out_.isOverBatch) return seesColumns(factor) || (!seesColumns(other) && countersOf(factor) == 0);
    if (out_.products.empty()) return false;
    const AttentionMap::Product& first = out_.products[0];
    return ownCountersOf(factor, other) != ownCountersOf(first.row.node, first.column.node);
  }
  // Of the results, those that the other one does not see.
  uint64_t ownCountersOf(NodeId id, NodeId other) const {
    uint64_t ofResults = 0;
    for (const int32_t c : analysis_.spaceCounters[0]) ofResults |= uint64_t{1} << c;
    return countersOf(id) & ~countersOf(other) & ofResults;
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
      const bool isRow = isIn(ofRows) && !isIn(ofColumns),
                 isColumn = out_.isOverBatch && isIn(ofColumns) && !isIn(ofRows);
      (!isIn(ofWeights) ? out_.width : isRow ? out_.rows : isColumn ? out_.columns : out_.batch).push_back(c);
    }
    (out_.isOverBatch ? out_.added : out_.columns) = analysis_.spaceCounters[1 + out_.loop];
    if (out_.rows.empty() || out_.columns.empty() || out_.width.empty() == out_.hasValues()) return false;
    out_.rowCount = sizeOf(out_.rows), out_.columnCount = sizeOf(out_.columns);
    out_.widthCount = sizeOf(out_.width), out_.batches = sizeOf(out_.batch);
    out_.addedCount = sizeOf(out_.added);
    for (AttentionMap::Product& product : out_.products)
      for (AttentionMap::Factor* factor : {&product.row, &product.column})
        factor->alongSum = readsAlong(factor->node, product.depth.back());
    for (AttentionMap::Sum& sum : out_.sums)
      if (sum.value) sum.value->alongSum = readsAlong(sum.value->node, out_.columns.back());
    return true;
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

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  std::vector<NodeId> multiplied_;  // by sum: the weight as it is multiplied by the value
  AttentionMap out_;
};

}  // namespace

void forAttentionMaps(const LoopProgram& program, const ProgramAnalysis& analysis, bool tensorCores,
                      const std::function<bool(AttentionMap&)>& takes) {
  AttentionMatcher(program, analysis).run(tensorCores, takes);
}

}  // namespace tessera::codegen
