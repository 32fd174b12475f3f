// See expand_random_bits.h. The order of bits is that of core/ops/rng_bit_generator. The generator is a map over the
// elements' places, so that it counts as one instruction where loop nests are made. Each element computes its whole
// block, of which it takes one word or two: recomputation in registers instead of shuffles through memory.
#include "core/passes/expand/expand_random_bits.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "core/ops/shared/random_bits.h"
#include "core/passes/dynamic/static_builder.h"

namespace tessera {
namespace {

using Id = InstructionId;

// Arithmetic on arrays of one shape, each number spread over it.
class Lanes {
 public:
  Lanes(Rewriter& rewriter, Id source, std::vector<int64_t> dims)
      : rewriter_(rewriter), build_(rewriter, source), source_(source), dims_(std::move(dims)) {}

  const std::vector<int64_t>& dims() const { return dims_; }
  ElementType typeOf(Id value) const { return build_.shapeOf(value).type; }
  Id op(Opcode opcode, Id a, Id b) { return build_.elementwise(opcode, a, b); }
  Id op(Opcode opcode, Id a, uint64_t b) { return op(opcode, a, number(typeOf(a), b)); }
  Id as(ElementType type, Id value) {
    return typeOf(value) == type ? value : build_.make(Opcode::Convert, Shape::arrayRowMajor(type, dims_), {value});
  }
  Id low(Id wide) { return as(ElementType::U32, wide); }
  Id high(Id wide) { return low(op(Opcode::ShiftRightLogical, wide, 32)); }
  Id wide(Id low, Id high) {
    return op(Opcode::Or, as(ElementType::U64, low), op(Opcode::ShiftLeft, as(ElementType::U64, high), 32));
  }
  Id spread(Id scalar) { return dims_.empty() ? scalar : build_.broadcast(scalar, dims_); }
  Id number(ElementType type, uint64_t value) {
    Literal literal = type == ElementType::U64 ? Literal::scalar<uint64_t>(type, value)
                                               : Literal::scalar<uint32_t>(type, static_cast<uint32_t>(value));
    const Id from[] = {source_};
    const Shape shape = literal.shape();
    return spread(rewriter_.addConstant(rewriter_.module().at(source_).computation, std::move(literal), shape, from));
  }
  Id iota(size_t along) {
    AttributeSet attributes;
    attributes.set(Attr::iota_dimension, static_cast<int64_t>(along));
    return build_.make(Opcode::Iota, Shape::arrayRowMajor(ElementType::U64, dims_), {}, std::move(attributes));
  }
  Id select(Id condition, Id yes, Id no) { return build_.select(condition, yes, no); }
  Id compare(std::string_view direction, Id a, Id b) { return build_.compare(direction, a, b); }
  Id isOdd(Id x) { return compare("NE", op(Opcode::And, x, 1), number(typeOf(x), 0)); }

 private:
  Rewriter& rewriter_;
  StaticBuilder build_;
  Id source_;
  std::vector<int64_t> dims_;
};

Id rotated(Lanes& lanes, Id x, uint64_t by) {
  return lanes.op(Opcode::Or, lanes.op(Opcode::ShiftLeft, x, by), lanes.op(Opcode::ShiftRightLogical, x, 32 - by));
}

std::array<Id, 2> threefry(Lanes& lanes, std::array<Id, 2> key, std::array<Id, 2> counter) {
  const Id third = lanes.op(Opcode::Xor, lanes.op(Opcode::Xor, key[0], key[1]), kThreefryParity);
  const Id keys[3] = {key[0], key[1], third};
  Id a = lanes.op(Opcode::Add, counter[0], keys[0]), b = lanes.op(Opcode::Add, counter[1], keys[1]);
  for (uint32_t group = 0; group < kThreefryGroups; ++group) {
    for (int rotation : kThreefryRotations[group % 2]) {
      a = lanes.op(Opcode::Add, a, b);
      b = lanes.op(Opcode::Xor, rotated(lanes, b, static_cast<uint64_t>(rotation)), a);
    }
    a = lanes.op(Opcode::Add, a, keys[(group + 1) % 3]);
    b = lanes.op(Opcode::Add, lanes.op(Opcode::Add, b, keys[(group + 2) % 3]), group + 1);
  }
  return {a, b};
}

std::array<Id, 4> philox(Lanes& lanes, std::array<Id, 2> key, std::array<Id, 4> c) {
  const auto product = [&](Id x, uint64_t factor) {
    return lanes.op(Opcode::Multiply, lanes.as(ElementType::U64, x), factor);
  };
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const Id x = product(c[0], kPhiloxFactors[0]), y = product(c[2], kPhiloxFactors[1]);
    const Id first = lanes.op(Opcode::Xor, lanes.op(Opcode::Xor, lanes.high(y), c[1]), key[0]);
    const Id third = lanes.op(Opcode::Xor, lanes.op(Opcode::Xor, lanes.high(x), c[3]), key[1]);
    c = {first, lanes.low(y), third, lanes.low(x)};
    for (size_t k = 0; k < 2; ++k) key[k] = lanes.op(Opcode::Add, key[k], kPhiloxKeySteps[k]);
  }
  return c;
}

class RandomBitsExpansion {
 public:
  RandomBitsExpansion(Rewriter& rewriter, Id id)
      : rewriter_(rewriter), module_(rewriter.module()), id_(id), instruction_(module_.at(id)), build_(rewriter, id) {
    state_ = rewriter.resolve(instruction_.operands[0]);
    data_ = instruction_.shape->elements[1];
    wide_ = info(data_.type).bits == 64;
    for (int64_t size : data_.dimensions) count_ *= size;
    for (int64_t i = 0; i < module_.shapeOf(state_).dimensions[0]; ++i)
      words_.push_back(build_.reshape(build_.slice(state_, 0, i, i + 1), {}));
  }

  void run() {
    const bool threefry = instruction_.attributes->textOr(Attr::algorithm, "") == "rng_three_fry";
    const Id bits = !threefry ? philoxBits() : wide_ ? threefryPairs() : threefryHalves();
    const Id parts[] = {written(nextState(threefry), instruction_.shape->elements[0]), written(typed(bits), data_)};
    rewriter_.replace(id_, build_.make(Opcode::Tuple, *instruction_.shape, parts));
  }

 private:
  // 64 bits an element: the pair of the element's number.
  Id threefryPairs() {
    Lanes lanes(rewriter_, id_, {count_});
    return map(lanes, {lanes.iota(0)}, [this](Lanes& scalars, const std::vector<Id>& in) {
      const std::array<Id, 2> pair = threefryAt(scalars, in);
      return scalars.wide(pair[0], pair[1]);
    });
  }

  // 32 bits an element: pairs are side by side along the dimension that is halved.
  Id threefryHalves() {
    const HalvedDimension halved = halvedDimension(data_.dimensions);
    const auto size = static_cast<int64_t>(halved.size), inner = static_cast<int64_t>(halved.inner);
    Lanes lanes(rewriter_, id_, {size * inner == 0 ? 0 : count_ / size / inner, size, inner});
    const Id along = lanes.iota(1);
    const Id row = lanes.op(Opcode::Add, lanes.op(Opcode::Multiply, lanes.iota(0), halved.half()),
                            lanes.op(Opcode::ShiftRightLogical, along, 1));
    const Id place = lanes.op(Opcode::Add, lanes.op(Opcode::Multiply, row, halved.inner), lanes.iota(2));
    return map(lanes, {place, along}, [this](Lanes& scalars, const std::vector<Id>& in) {
      const std::array<Id, 2> pair = threefryAt(scalars, in);
      return scalars.select(scalars.isOdd(in[1]), pair[1], pair[0]);
    });
  }

  // Four words a block of the counter.
  Id philoxBits() {
    Lanes lanes(rewriter_, id_, {count_});
    return map(lanes, {lanes.iota(0)},
               [this](Lanes& scalars, const std::vector<Id>& in) { return philoxAt(scalars, in); });
  }

  // A map over `places`; its computation gets them and the state's words as scalars.
  Id map(Lanes& lanes, std::vector<Id> places, const std::function<Id(Lanes&, const std::vector<Id>&)>& body) {
    const ComputationId computation =
        module_.addComputation(fmt::format("{}.bits.t{}", instruction_.name, module_.instructionSlots()));
    for (Id word : words_) places.push_back(lanes.spread(word));
    std::vector<Id> parameters;
    for (size_t i = 0; i < places.size(); ++i) parameters.push_back(parameter(computation, static_cast<int32_t>(i)));
    Lanes scalars(rewriter_, parameters[0], {});
    const Id root = body(scalars, parameters);
    module_.setRoot(computation, root);
    AttributeSet attributes;
    std::vector<int64_t> all;
    for (size_t d = 0; d < lanes.dims().size(); ++d) all.push_back(static_cast<int64_t>(d));
    attributes.set(Attr::dimensions, std::move(all));
    attributes.set(Attr::to_apply, computation);
    return build_.make(Opcode::Map, Shape::arrayRowMajor(scalars.typeOf(root), lanes.dims()), places,
                       std::move(attributes));
  }

  Id parameter(ComputationId computation, int32_t number) {
    Instruction parameter;
    const std::string name = fmt::format("bits.t{}", module_.instructionSlots());
    parameter.name = name;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = number;
    parameter.provenance = instruction_.provenance;
    return module_.add(computation, std::move(parameter), Shape::arrayRowMajor(ElementType::U64, {}));
  }

  // `in` ends with the state's words.
  std::array<Id, 2> keyIn(Lanes& scalars, const std::vector<Id>& in) const {
    const Id key = in[in.size() - words_.size()];
    return {scalars.low(key), scalars.high(key)};
  }

  std::array<Id, 2> threefryAt(Lanes& scalars, const std::vector<Id>& in) const {
    const Id counter = scalars.op(Opcode::Add, in[0], in.back());
    return threefry(scalars, keyIn(scalars, in), {scalars.low(counter), scalars.high(counter)});
  }

  // A state of two words has no upper half of the counter: the key is there, too.
  Id philoxAt(Lanes& scalars, const std::vector<Id>& in) const {
    const Id place = in[0], start = in[2], upper = words_.size() > 2 ? in[3] : in[1];
    const Id low = scalars.op(Opcode::Add, start, scalars.op(Opcode::ShiftRightLogical, place, wide_ ? 1 : 2));
    const Id high = scalars.op(Opcode::Add, upper, scalars.as(ElementType::U64, scalars.compare("LT", low, start)));
    const std::array<Id, 4> words = philox(
        scalars, keyIn(scalars, in), {scalars.low(low), scalars.high(low), scalars.low(high), scalars.high(high)});
    const Id odd = scalars.isOdd(place);
    if (wide_) return scalars.wide(scalars.select(odd, words[2], words[0]), scalars.select(odd, words[3], words[1]));
    const Id second = scalars.isOdd(scalars.op(Opcode::ShiftRightLogical, place, 1));
    return scalars.select(second, scalars.select(odd, words[3], words[2]), scalars.select(odd, words[1], words[0]));
  }

  Id nextState(bool threefry) {
    Lanes scalars(rewriter_, id_, {});
    uint64_t used = static_cast<uint64_t>(count_);
    if (threefry && !wide_) used = halvedDimension(data_.dimensions).pairs(used);
    if (!threefry) used = ((wide_ ? 2 * used : used) + 3) / 4;
    std::vector<Id> next = words_;
    next[1] = scalars.op(Opcode::Add, words_[1], used);
    if (next.size() > 2)
      next[2] =
          scalars.op(Opcode::Add, words_[2], scalars.as(ElementType::U64, scalars.compare("LT", next[1], words_[1])));
    for (Id& word : next) word = build_.reshape(word, {1});
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{0});
    return build_.make(Opcode::Concatenate, Shape::arrayRowMajor(ElementType::U64, {static_cast<int64_t>(next.size())}),
                       next, std::move(attributes));
  }

  // The low bits as the result's type, in its dimensions.
  Id typed(Id bits) {
    const std::vector<int64_t> dims = build_.shapeOf(bits).dimensions;
    const int width = info(data_.type).bits;
    const ElementType plain = unsignedOfWidth(std::max(width, 8));
    const auto to = [&](Opcode opcode, ElementType type) {
      if (build_.shapeOf(bits).type != type) bits = build_.make(opcode, Shape::arrayRowMajor(type, dims), {bits});
    };
    if (width < 8)
      to(Opcode::Convert, data_.type);
    else
      to(Opcode::Convert, plain), to(Opcode::BitcastConvert, data_.type);
    return build_.reshape(bits, data_.dimensions);
  }

  Id written(Id value, const Shape& shape) {
    return module_.shapeOf(value) == shape ? value : build_.make(Opcode::Copy, shape, {value});
  }

  Rewriter& rewriter_;
  Module& module_;
  Id id_;
  const Instruction instruction_;  // a copy: adding instructions moves records
  StaticBuilder build_;
  Id state_;
  Shape data_;
  std::vector<Id> words_;  // of the state, as scalars
  int64_t count_ = 1;
  bool wide_ = false;
};

bool canExpand(const Module& module, const Instruction& instruction) {
  if (instruction.opcode != Opcode::RngBitGenerator) return false;
  const Shape& data = instruction.shape->elements[1];
  const bool wholeBytes = isInteger(data.type) || info(data.type).bits >= 8;
  return wholeBytes && !data.hasDynamicDimensions() && !module.shapeOf(instruction.operands[0]).hasDynamicDimensions();
}

}  // namespace

Result<bool> expandRandomBits(Module& module) {
  bool changed = false;
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    std::vector<InstructionId> generators;
    for (InstructionId id : module.at(computation).instructions)
      if (canExpand(module, module.at(id))) generators.push_back(id);
    if (generators.empty()) continue;
    Rewriter rewriter(module, "expand-random-bits");
    for (InstructionId id : generators) RandomBitsExpansion(rewriter, id).run();
    TESSERA_TRY(rewriter.finish());
    changed = true;
  }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
