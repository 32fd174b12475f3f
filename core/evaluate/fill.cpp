// The rule that fills missing arguments: element j of parameter leaf i is made from
// h = splitmix64(seed·2^56 xor i·2^40 xor j), so any program in any language makes the same values.
#include <complex>

#include "core/evaluate/evaluate.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

// splitmix64 (Steele, Lea, Flood 2014), its increment included.
uint64_t splitmix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

double unitOf(uint64_t h) { return static_cast<double>(h >> 40) / (1 << 24); }

uint64_t baseOf(uint64_t seed, uint64_t leaf) { return (seed << 56) ^ (leaf << 40); }

void storeByRule(ElementType type, void* place, uint64_t h, const FillRule& rule) {
  const double real = unitOf(h) * rule.scale;
  if (type == ElementType::Pred)
    *static_cast<uint8_t*>(place) = static_cast<uint8_t>(h & 1);
  else if (isInteger(type))
    storeInt(type, place, static_cast<int64_t>(h % (rule.imax ? rule.imax : 1)));
  else if (isComplex(type))
    storeComplex(type, place, {real, 0.0});
  else
    storeDouble(type, place, real);
}

void addLeaves(const Shape& shape, std::vector<Shape>& out) {
  for (const ShapeLeaf& leaf : leavesOf(shape))
    if (!leaf.shape->isToken()) out.push_back(*leaf.shape);
}

}  // namespace

Result<Literal> fillParameter(const Shape& shape, uint64_t parameterLeaf, const FillRule& rule) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  const uint64_t base = baseOf(rule.seed, parameterLeaf);
  const size_t width = static_cast<size_t>(byteWidth(shape.type));
  std::span<std::byte> bytes = out.mutableBytes();
  const size_t count = bytes.size() / width;
  for (size_t j = 0; j < count; ++j) storeByRule(shape.type, bytes.data() + j * width, splitmix64(base ^ j), rule);
  return out;
}

double fillNumber(uint64_t parameterLeaf, uint64_t element, uint64_t seed) {
  return unitOf(splitmix64(baseOf(seed, parameterLeaf) ^ element));
}

std::vector<Shape> entryArgumentShapes(const Module& module) {
  std::vector<Shape> out;
  if (!module.contains(module.entry())) return out;
  for (InstructionId parameter : module.entryComputation().parameters)
    if (parameter.valid()) addLeaves(module.shapeOf(parameter), out);
  return out;
}

}  // namespace tessera
