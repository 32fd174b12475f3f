// See places.h.
#include "core/passes/partition/places.h"

#include <algorithm>

#include "core/hlo/index_math.h"

namespace tessera::partition {
namespace {

// Scatter drops what is out of range, the others clamp.
bool clamps(Opcode opcode) { return opcode != Opcode::Scatter; }

// In this type every difference of a place and the beginning of a block is a number, or stays out of range.
InstructionId widened(BlockBuilder& build, InstructionId places) {
  Shape shape = build.shapeOf(places);
  if (shape.type == ElementType::S32 || shape.type == ElementType::S64 || shape.type == ElementType::U64) return places;
  shape.type = ElementType::S64;
  return build.add(Opcode::Convert, shape, {&places, 1});
}

Shape predOf(Shape shape) {
  shape.type = ElementType::Pred;
  return shape;
}

}  // namespace

PlacedBlocks::PlacedBlocks(BlockBuilder& build, const Instruction& whole, const Rule& rule, const Cuts& cuts,
                           std::vector<InstructionId>& blocks)
    : build_(build), whole_(whole), blocks_(blocks) {
  std::vector<size_t> placed;
  for (size_t f = 0; f < cuts.size(); ++f)
    if (cuts[f] && rule.factors[f].place) placed.push_back(f);
  if (placed.empty()) return;
  for (InstructionId& places : std::span(blocks).subspan(rule.firstPlace, rule.placeCount))
    places = widened(build, places);
  for (size_t f : placed) localize(rule.factors[f], *cuts[f]);
  if (whole.opcode == Opcode::DynamicUpdateSlice) keepWhatLiesElsewhere();
}

// One number of an index vector, or a scalar.
void PlacedBlocks::localize(const Factor& factor, const Cut& cut) {
  InstructionId& places = blocks_[factor.place->operand];
  const Shape shape = build_.shapeOf(places);
  const int64_t along = whole_.attributes->intOr(Attr::index_vector_dim, shape.rank());
  const int64_t count = along == shape.rank() ? 1 : shape.dimensions[static_cast<size_t>(along)];
  if (count == 1) return void(places = local(places, cut, factor.size));
  std::vector<InstructionId> numbers;
  for (int64_t k = 0; k < count; ++k) numbers.push_back(build_.slice(places, along, k, k + 1));
  InstructionId& one = numbers[static_cast<size_t>(factor.place->component)];
  one = local(one, cut, factor.size);
  places = build_.concatenate(numbers, along);
}

InstructionId PlacedBlocks::local(InstructionId places, const Cut& cut, int64_t size) {
  const Shape shape = build_.shapeOf(places);
  const auto all = [&](InstructionId scalar) { return build_.broadcastScalar(scalar, shape); };
  const auto number = [&](int64_t value) { return all(build_.number(shape.type, value)); };
  std::vector<int64_t> firsts = cut.blockOf;
  for (int64_t& first : firsts) first *= blockSize(size, cut.parts);
  InstructionId first = build_.ofDevice(firsts);
  if (shape.type != ElementType::S32)
    first = build_.add(Opcode::Convert, Shape::arrayRowMajor(shape.type, {}), {&first, 1});
  first = all(first);
  if (!clamps(whole_.opcode)) return build_.binary(Opcode::Subtract, places, first);
  places = build_.add(Opcode::Clamp, shape, {{number(0), places, number(size - 1)}});
  const InstructionId end = build_.binary(Opcode::Add, first, number(blockSize(size, cut.parts)));
  const InstructionId inside =
      build_.binary(Opcode::And, build_.compare("GE", places, first), build_.compare("LT", places, end));
  addCondition(inside);
  return build_.binary(Opcode::Subtract, places, first);
}

// A place of a gather has no dimension of its index vector any more.
void PlacedBlocks::addCondition(InstructionId inside) {
  if (whole_.opcode == Opcode::Gather) {
    const Shape shape = build_.shapeOf(inside);
    const int64_t along = whole_.attributes->intOr(Attr::index_vector_dim, shape.rank());
    if (along < shape.rank())
      inside = build_.reshape(inside, pickDims(shape.dimensions, otherDims(shape.rank(), IndexVector{along})));
  }
  inside_ = inside_.valid() ? build_.binary(Opcode::And, inside_, inside) : inside;
}

// An update whose place lies in another block writes what is there.
void PlacedBlocks::keepWhatLiesElsewhere() {
  const Shape shape = build_.shapeOf(blocks_[1]);
  AttributeSet attributes;
  attributes.set(Attr::dynamic_slice_sizes, shape.dimensions);
  std::vector<InstructionId> operands = blocks_;
  operands.erase(operands.begin() + 1);
  const InstructionId there = build_.add(Opcode::DynamicSlice, shape, operands, std::move(attributes));
  blocks_[1] = build_.select(build_.broadcast(inside_, predOf(shape), {}), blocks_[1], there);
}

InstructionId PlacedBlocks::masked(InstructionId result, Opcode combiner) {
  if (!inside_.valid() || whole_.opcode == Opcode::DynamicUpdateSlice) return result;
  const Shape shape = build_.shapeOf(result);
  const IndexVector counting = whole_.opcode == Opcode::Gather
                                   ? otherDims(shape.rank(), whole_.attributes->ints(Attr::offset_dims))
                                   : IndexVector{};
  const InstructionId mask = build_.broadcast(inside_, predOf(shape), counting);
  return build_.select(mask, result, build_.neutral(combiner, shape));
}

}  // namespace tessera::partition
