// See order_programs.h. What an order holds is clamped where it is read: a comparator that is no order (NaN beside
// numbers) may leave places unwritten.
#include "backends/cuda/plan/order_programs.h"

#include <algorithm>
#include <bit>

#include "backends/cuda/plan/store_program.h"

namespace tessera::cuda {

namespace {

constexpr int64_t kRun = 32;  // elements that are ordered by counting

class OrderBuilder {
 public:
  OrderBuilder(const OrderRequest& request, bool hasOrder)
      : request_(request),
        dims_(request.operands[0].dimensions),
        at_(static_cast<size_t>(request.dimension)),
        length_(dims_[at_]),
        b(operandsOf(request, hasOrder), dims_) {
    for (size_t d = 0; d < dims_.size(); ++d) indices_.push_back(b.outputIndex(static_cast<int64_t>(d)));
  }

  Result<LoopProgram> runs();
  Result<LoopProgram> merge(int64_t run);
  LoopProgram gather();

 private:
  static std::vector<Shape> operandsOf(const OrderRequest& request, bool hasOrder) {
    std::vector<Shape> out;
    for (const Shape& shape : request.operands) out.push_back(Shape::arrayRowMajor(shape.type, shape.dimensions));
    if (hasOrder) out.push_back(Shape::arrayRowMajor(ElementType::U32, request.operands[0].dimensions));
    return out;
  }
  std::vector<NodeId> indicesAt(NodeId place) const {
    std::vector<NodeId> out = indices_;
    out[at_] = place;
    return out;
  }
  NodeId number(int64_t value) { return b.index(value); }
  NodeId lessThan(NodeId x, NodeId y) { return b.compare(CompareDirection::Lt, x, y); }

  // The element of each array at a place, where the condition holds.
  std::vector<NodeId> elementsAt(NodeId condition, NodeId place) {
    std::vector<NodeId> out;
    for (size_t k = 0; k < request_.operands.size(); ++k)
      out.push_back(b.readIf(condition, k, indicesAt(place), b.zero(request_.operands[k].type)));
    return out;
  }
  // The place that is in the order, where the condition holds.
  NodeId ordered(NodeId condition, NodeId place) {
    const NodeId stored = b.readIf(condition, request_.operands.size(), indicesAt(place), b.zero(ElementType::U32));
    return b.clampIndex(b.convert(ElementType::S64, stored), 0, length_ - 1);
  }
  LoopProgram storeAt(NodeId place, NodeId value) {
    return storeProgram(b, {Shape::arrayRowMajor(ElementType::U32, dims_)},
                        {{0, indicesAt(place), {}, b.convert(ElementType::U32, value)}},
                        static_cast<int64_t>(dims_.size()));
  }

  const OrderRequest& request_;
  const std::vector<int64_t> dims_;
  const size_t at_;
  const int64_t length_;
  ElementBuilder b;
  std::vector<NodeId> indices_;
};

// The place within a run is the number of elements there that come before.
Result<LoopProgram> OrderBuilder::runs() {
  const NodeId own = indices_[at_], always = b.constantBits(ElementType::Pred, 1);
  const NodeId start = b.multiply(b.divide(own, number(kRun)), number(kRun));
  const std::vector<NodeId> mine = elementsAt(always, own);
  const auto count = [&](std::span<const NodeId> at, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    const NodeId other = b.add(start, at[0]), isThere = lessThan(other, number(length_));
    const std::vector<NodeId> theirs = elementsAt(isThere, other);
    TESSERA_ASSIGN_OR_RETURN(const NodeId comesBefore, request_.before(b, theirs, mine));
    TESSERA_ASSIGN_OR_RETURN(const NodeId comesAfter, request_.before(b, mine, theirs));
    const NodeId isEarlier = b.logicalAnd(lessThan(other, own), b.unary(NodeOp::Not, comesAfter));
    const NodeId counts = b.logicalAnd(isThere, b.binary(NodeOp::Or, comesBefore, isEarlier));
    return std::vector<NodeId>{b.add(sums[0], b.convert(ElementType::S64, counts))};
  };
  TESSERA_ASSIGN_OR_RETURN(const std::vector<NodeId> rank, b.loop({std::min(kRun, length_)}, {number(0)}, count));
  // A comparator that is no order may count too many.
  const NodeId last = b.minimum(b.add(start, number(kRun - 1)), number(length_ - 1));
  return storeAt(b.minimum(b.add(start, rank[0]), last), own);
}

// Runs of `run` elements, by twos. An element of the left one precedes equal ones of the right.
Result<LoopProgram> OrderBuilder::merge(int64_t run) {
  const NodeId own = indices_[at_], always = b.constantBits(ElementType::Pred, 1);
  const NodeId start = b.multiply(b.divide(own, number(2 * run)), number(2 * run));
  const NodeId within = b.subtract(own, start), isLeft = lessThan(within, number(run));
  const NodeId before = b.select(isLeft, within, b.subtract(within, number(run)));  // of its own run
  const NodeId otherStart = b.select(isLeft, b.add(start, number(run)), start);
  const NodeId otherLength = b.clampIndex(b.subtract(number(length_), otherStart), 0, run);
  const NodeId place = ordered(always, own);
  const std::vector<NodeId> mine = elementsAt(always, place);
  const auto halve = [&](std::span<const NodeId>, std::span<const NodeId> bounds) -> Result<std::vector<NodeId>> {
    const NodeId low = bounds[0], high = bounds[1], isOpen = lessThan(low, high);
    const NodeId middle = b.divide(b.add(low, high), number(2));
    const std::vector<NodeId> theirs = elementsAt(isOpen, ordered(isOpen, b.add(otherStart, middle)));
    std::vector<NodeId> first, second;
    for (size_t k = 0; k < mine.size(); ++k) {
      first.push_back(b.select(isLeft, theirs[k], mine[k]));
      second.push_back(b.select(isLeft, mine[k], theirs[k]));
    }
    TESSERA_ASSIGN_OR_RETURN(const NodeId isBefore, request_.before(b, first, second));
    const NodeId theirsFirst = b.binary(NodeOp::Xor, isBefore, b.unary(NodeOp::Not, isLeft));
    return std::vector<NodeId>{b.select(b.logicalAnd(isOpen, theirsFirst), b.add(middle, number(1)), low),
                               b.select(b.logicalAnd(isOpen, b.unary(NodeOp::Not, theirsFirst)), middle, high)};
  };
  const int64_t rounds = std::bit_width(static_cast<uint64_t>(std::min(run, length_)));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<NodeId> found, b.loop({rounds}, {number(0), otherLength}, halve, false));
  return storeAt(b.minimum(b.add(b.add(start, before), found[0]), number(length_ - 1)), place);
}

LoopProgram OrderBuilder::gather() {
  std::vector<int64_t> kept = dims_;
  kept[at_] = request_.kept;
  ElementBuilder g(operandsOf(request_, true), kept);
  std::vector<NodeId> own;
  for (size_t d = 0; d < kept.size(); ++d) own.push_back(g.outputIndex(static_cast<int64_t>(d)));
  std::vector<NodeId> from = own;
  const NodeId place = g.clampIndex(g.convert(ElementType::S64, g.read(request_.operands.size(), own)), 0, length_ - 1);
  from[at_] = place;
  std::vector<Shape> outputs;
  std::vector<Store> stores;
  for (size_t k = 0; k < request_.operands.size(); ++k) {
    outputs.push_back(Shape::arrayRowMajor(request_.operands[k].type, kept));
    stores.push_back({k, own, {}, g.read(k, from)});
  }
  if (request_.givesPlaces) {
    stores.push_back({outputs.size(), own, {}, g.convert(ElementType::S32, place)});
    outputs.push_back(Shape::arrayRowMajor(ElementType::S32, kept));
  }
  return storeProgram(g, std::move(outputs), std::move(stores), static_cast<int64_t>(kept.size()));
}

}  // namespace

Result<OrderPrograms> orderProgramsOf(const OrderRequest& request) {
  OrderPrograms out;
  const int64_t length = request.operands[0].dimensions[static_cast<size_t>(request.dimension)];
  if (length > UINT32_MAX) return failUnsupported("a line of more than 4294967295 elements");
  TESSERA_ASSIGN_OR_RETURN(out.runs, OrderBuilder(request, false).runs());
  for (int64_t run = kRun; run < length; run *= 2) {
    TESSERA_ASSIGN_OR_RETURN(LoopProgram merge, OrderBuilder(request, true).merge(run));
    out.merges.push_back(std::move(merge));
  }
  out.gather = gatherProgramOf(request);
  return out;
}

LoopProgram gatherProgramOf(const OrderRequest& request) { return OrderBuilder(request, true).gather(); }

}  // namespace tessera::cuda
