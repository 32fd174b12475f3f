// See element_builder.h. Nodes are interned by content; integer sums go through IndexAlgebra; whatever has only
// constants as inputs is computed at once by scalar_math.
#include "core/element/element_builder.h"

#include <algorithm>

#include "core/element/element_builder_state.h"
#include "core/element/needed_part.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

ElementType partOf(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

bool losesNothing(ElementType from, ElementType to) {
  if (isFloat(from) && to == ElementType::F64) return true;
  if (isFloat(from) && to == ElementType::F32) return from != ElementType::F64;
  if (isInteger(from) && isInteger(to)) return info(to).bits > info(from).bits && (isSigned(to) || isUnsigned(from));
  return false;
}

}  // namespace

ElementBuilder::ElementBuilder(std::vector<Shape> operands, std::vector<int64_t> outputDims) {
  program_.operands = std::move(operands);
  program_.outputDims = std::move(outputDims);
  state_ = std::make_unique<State>(program_);
}

ElementBuilder::~ElementBuilder() = default;

ElementType ElementBuilder::typeOf(NodeId id) const { return program_.at(id).type; }

NodeId ElementBuilder::constantBits(ElementType type, uint64_t bits0, uint64_t bits1) {
  return state_->constant(type, {bits0, bits1});
}

NodeId ElementBuilder::constant(ElementType type, double value) {
  return state_->constant(type, scalarFromDouble(type, value));
}

NodeId ElementBuilder::scalarOf(const Literal& literal, int64_t linearIndex) {
  const ElementType type = literal.shape().type;
  const std::byte* at = literal.bytes().data() + linearIndex * byteWidth(type);
  return state_->constant(type, scalarFromBytes(type, at));
}

NodeId ElementBuilder::index(int64_t value) { return state_->index(value); }

NodeId ElementBuilder::outputIndex(int64_t dimension) {
  const int64_t size = program_.outputDims[static_cast<size_t>(dimension)];
  if (size <= 1) return index(0);
  NodeId id = state_->intern(NodeOp::OutputIndex, ElementType::S64, {}, static_cast<uint64_t>(dimension));
  state_->algebra.setRange(id, {0, size - 1});
  return id;
}

NodeId ElementBuilder::dimensionSize(size_t operand, int64_t dimension) {
  const Shape& shape = program_.operands[operand];
  const int64_t bound = shape.dimensions[static_cast<size_t>(dimension)];
  if (!shape.isDynamicDimension(dimension)) return index(bound);
  NodeId id = state_->intern(NodeOp::DimensionSize, ElementType::S64, {}, operand, static_cast<uint64_t>(dimension));
  if (bound >= 0) state_->algebra.setRange(id, {0, bound});
  return id;
}

NodeId ElementBuilder::read(size_t operand, std::span<const NodeId> indices) {
  return state_->intern(NodeOp::Read, program_.operands[operand].type, indices, operand);
}

NodeId ElementBuilder::readIf(NodeId condition, size_t operand, std::span<const NodeId> indices, NodeId otherwise) {
  if (state_->isTrue(condition)) return read(operand, indices);
  if (state_->isFalse(condition)) return otherwise;
  std::vector<NodeId> inputs{condition, otherwise};
  inputs.insert(inputs.end(), indices.begin(), indices.end());
  return state_->intern(NodeOp::ReadIf, program_.operands[operand].type, inputs, operand);
}

NodeId ElementBuilder::readOutput(size_t output, ElementType type, std::span<const NodeId> indices) {
  return state_->intern(NodeOp::ReadOutput, type, indices, output);
}

NodeId ElementBuilder::unary(NodeOp op, NodeId a) {
  const ElementType type = typeOf(a);
  if (op == NodeOp::IsFinite) return state_->scalar(op, ElementType::Pred, {a});
  if (op == NodeOp::Abs || op == NodeOp::Real || op == NodeOp::Imag) {
    if (op == NodeOp::Real && !isComplex(type)) return a;
    if (isComplex(type) && op != NodeOp::Abs && program_.at(a).op == NodeOp::MakeComplex)
      return program_.inputsOf(a)[op == NodeOp::Imag];
    return state_->scalar(op, partOf(type), {a});
  }
  if ((op == NodeOp::Not || op == NodeOp::Negate) && program_.at(a).op == op) return program_.inputsOf(a)[0];
  if (op == NodeOp::Negate && type == ElementType::S64) return binary(NodeOp::Multiply, a, index(-1));
  return state_->scalar(op, type, {a});
}

NodeId ElementBuilder::binary(NodeOp op, NodeId a, NodeId b) {
  const ElementType type = typeOf(a);
  if (auto same = state_->identity(op, type, a, b)) return *same;
  if (type == ElementType::S64)
    if (auto simple = state_->indexBinary(op, a, b)) return *simple;
  NodeId out = state_->scalar(op, type, {a, b});
  if (type == ElementType::S64 && (op == NodeOp::Maximum || op == NodeOp::Minimum)) {
    const auto x = state_->algebra.rangeOf(a), y = state_->algebra.rangeOf(b);
    const auto choose = [&](int64_t p, int64_t q) { return op == NodeOp::Maximum ? std::max(p, q) : std::min(p, q); };
    constexpr int64_t kFar = int64_t{1} << 61;  // a missing bound; the other side still bounds one end
    if (x || y)
      state_->algebra.setRange(
          out, {choose(x ? x->low : -kFar, y ? y->low : -kFar), choose(x ? x->high : kFar, y ? y->high : kFar)});
  }
  return out;
}

NodeId ElementBuilder::compare(CompareDirection direction, NodeId a, NodeId b, bool totalOrder) {
  const ElementType type = typeOf(a);
  if (type == ElementType::S64)
    if (auto proven = state_->provenCompare(direction, a, b)) return state_->constant(ElementType::Pred, {*proven, 0});
  const bool order = totalOrder && isFloat(type);
  return state_->scalar(NodeOp::Compare, ElementType::Pred, {a, b}, static_cast<uint64_t>(direction), order);
}

NodeId ElementBuilder::select(NodeId condition, NodeId whenTrue, NodeId whenFalse) {
  if (state_->isTrue(condition) || whenTrue == whenFalse) return whenTrue;
  if (state_->isFalse(condition)) return whenFalse;
  if (state_->isTrue(whenTrue) && state_->isFalse(whenFalse)) return condition;
  NodeId out = state_->scalar(NodeOp::Select, typeOf(whenTrue), {condition, whenTrue, whenFalse});
  const auto x = state_->algebra.rangeOf(whenTrue), y = state_->algebra.rangeOf(whenFalse);
  if (typeOf(out) == ElementType::S64 && x && y)
    state_->algebra.setRange(out, {std::min(x->low, y->low), std::max(x->high, y->high)});
  return out;
}

NodeId ElementBuilder::convert(ElementType type, NodeId a) {
  const ElementType from = typeOf(a);
  if (from == type) return a;
  if (program_.at(a).op == NodeOp::Convert) {  // back to where it came from, through a type that holds it
    NodeId inner = program_.inputsOf(a)[0];
    if (typeOf(inner) == type && losesNothing(type, from)) return inner;
    const auto range =
        type == ElementType::S64 && typeOf(inner) == type ? state_->algebra.rangeOf(inner) : std::nullopt;
    const auto fits = state_->algebra.rangeOf(a);
    if (range && fits && isInteger(from) && range->low >= fits->low && range->high <= fits->high) return inner;
  }
  NodeId out = state_->scalar(NodeOp::Convert, type, {a});
  if (type == ElementType::S64 && !state_->valueOf(out))
    if (auto range = state_->algebra.rangeOf(a)) state_->algebra.setRange(out, *range);
  return out;
}

NodeId ElementBuilder::bitcastConvert(ElementType type, NodeId a) {
  if (typeOf(a) == type) return a;
  if (program_.at(a).op == NodeOp::BitcastConvert) return bitcastConvert(type, program_.inputsOf(a)[0]);
  return state_->scalar(NodeOp::BitcastConvert, type, {a});
}

NodeId ElementBuilder::reducePrecision(NodeId a, int exponentBits, int mantissaBits) {
  return state_->scalar(NodeOp::ReducePrecision, typeOf(a), {a}, static_cast<uint64_t>(exponentBits),
                        static_cast<uint64_t>(mantissaBits));
}

NodeId ElementBuilder::makeComplex(NodeId re, NodeId im) {
  const ElementType type = typeOf(re) == ElementType::F64 ? ElementType::C128 : ElementType::C64;
  return state_->scalar(NodeOp::MakeComplex, type, {re, im});
}

NodeId ElementBuilder::fma(NodeId a, NodeId b, NodeId c) { return state_->scalar(NodeOp::Fma, typeOf(a), {a, b, c}); }

NodeId ElementBuilder::clampIndex(NodeId i, int64_t low, int64_t high) {
  return minimum(maximum(i, index(low)), index(high));
}

NodeId ElementBuilder::inRange(NodeId i, int64_t low, int64_t high) {
  return logicalAnd(compare(CompareDirection::Ge, i, index(low)), compare(CompareDirection::Lt, i, index(high)));
}

// --- loops

Result<std::vector<NodeId>> ElementBuilder::loop(std::vector<int64_t> ranges, std::vector<NodeId> inits,
                                                 const LoopBody& body, bool associative) {
  if (std::find(ranges.begin(), ranges.end(), 0) != ranges.end()) return inits;
  const bool once = std::all_of(ranges.begin(), ranges.end(), [](int64_t r) { return r == 1; });
  const size_t loop = program_.loops.size();
  std::vector<NodeId> indices, accumulators = inits;
  if (!once) program_.loops.push_back({ranges, inits, {}, associative});
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (ranges[d] == 1) {
      indices.push_back(index(0));
      continue;
    }
    indices.push_back(state_->intern(NodeOp::LoopIndex, ElementType::S64, {}, loop, d));
    state_->algebra.setRange(indices.back(), {0, ranges[d] - 1});
  }
  for (size_t i = 0; i < inits.size() && !once; ++i)
    accumulators[i] = state_->intern(NodeOp::Accumulator, typeOf(inits[i]), {}, loop, i);
  TESSERA_ASSIGN_OR_RETURN(std::vector<NodeId> next, body(indices, accumulators));
  if (next.size() != inits.size()) return fail("a loop's body gives another number of values than it was given");
  for (size_t i = 0; i < next.size(); ++i)
    if (typeOf(next[i]) != typeOf(inits[i])) return fail("a loop's body changes the type of its value");
  if (once) return next;
  program_.loops[loop].next = next;
  std::vector<NodeId> results;
  for (size_t i = 0; i < next.size(); ++i)
    results.push_back(state_->intern(NodeOp::LoopResult, typeOf(inits[i]), {}, loop, i));
  return results;
}

ElementProgram ElementBuilder::finish(std::vector<NodeId> results) { return neededPart(program_, std::move(results)); }

}  // namespace tessera
