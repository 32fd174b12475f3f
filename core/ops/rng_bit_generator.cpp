// rng-bit-generator: random bits from a state that is given and given back, bit for bit as XLA:CPU makes them. The
// order in which Threefry's pairs are in the result is part of that: two halves, interleaved along one dimension.
#include <cstring>
#include <functional>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/random_bits.h"

namespace tessera {
namespace {

constexpr OperandDoc kRngBitGeneratorOperands[] = {
    {"initial_state", "key and counter: u64[2], for Philox also u64[3]"}};
constexpr AttributeRow kRngBitGeneratorAttributes[] = {
    {Attr::algorithm, true, "", "the generator; rng_default is Philox", "rng_default rng_three_fry rng_philox"}};
constexpr Constraint kRngBitGeneratorConstraints[] = {
    {"C1", "The state is u64[2], or u64[3] for Philox and the default."},
    {"C2",
     "The result is written as a tuple of the state's shape and an array of integers or floats of 2 bits or more."},
    {"C3", "algorithm is rng_default, rng_three_fry or rng_philox."},
};

Result<Shape> inferRngBitGenerator(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& state = context.operand(0);
  const std::string_view algorithm = context.attributes->textOr(Attr::algorithm, "");
  if (algorithm != "rng_default" && algorithm != "rng_three_fry" && algorithm != "rng_philox")
    return context.violated("C3", "this is no generator", "rng_default, rng_three_fry or rng_philox",
                            std::string(algorithm));
  const bool two = state.rank() == 1 && state.dimensions[0] == 2, three = state.rank() == 1 && state.dimensions[0] == 3;
  if (state.type != ElementType::U64 || !(two || (three && algorithm != "rng_three_fry")))
    return context.violated("C1", "this is no state of the generator",
                            algorithm == "rng_three_fry" ? "u64[2]" : "u64[2] or u64[3]", toString(state, false));
  const Shape* written = context.written;
  const bool pair = written && written->isTuple() && written->elements.size() == 2;
  if (!pair || !compatible(written->elements[0], state) ||
      !(isInteger(written->elements[1].type) || isFloat(written->elements[1].type)) ||
      info(written->elements[1].type).bits < 2)
    return context.violated("C2", "the result is not a state and an array of bits",
                            "(" + toString(state, false) + ", u32[…])",
                            written ? toString(*written, false) : "nothing");
  return withoutLayout(*written);
}

std::array<uint32_t, 2> halves(uint64_t x) { return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)}; }
uint64_t joinedWords(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

// A generator at its given state: the bits of element i (of 64 when `wide`, else of 32), and the state behind them all.
struct Generator {
  std::function<uint64_t(uint64_t i)> bits;
  std::vector<uint64_t> next;
};

Generator threefry(const std::vector<uint64_t>& state, const std::vector<int64_t>& dims, uint64_t count, bool wide) {
  const auto pair = [key = halves(state[0]), start = state[1]](uint64_t n) {
    return threefry2x32(key, halves(start + n));
  };
  if (wide)
    return {[=](uint64_t i) {
              const auto words = pair(i);
              return joinedWords(words[0], words[1]);
            },
            {state[0], state[1] + count}};
  const HalvedDimension halved = halvedDimension(dims);
  const uint64_t size = halved.size, inner = halved.inner, half = halved.half();
  return {[=](uint64_t i) -> uint64_t {
            const uint64_t along = i / inner % size, outer = i / inner / size;
            return pair((outer * half + along / 2) * inner + i % inner)[along % 2];
          },
          {state[0], state[1] + halved.pairs(count)}};
}

// A state of two words has no upper half of the counter: as in XLA the key is there too, and is not counted up.
Generator philox(const std::vector<uint64_t>& state, uint64_t count, bool wide) {
  const WideCounter start{state[1], state.size() > 2 ? state[2] : state[0]};
  const WideCounter end = start.plus(((wide ? 2 * count : count) + 3) / 4);
  std::vector<uint64_t> next = state;
  next[1] = end.low;
  if (next.size() > 2) next[2] = end.high;
  return {[=, key = state[0]](uint64_t i) -> uint64_t {
            return wide ? joinedWords(philoxWord(key, start, 2 * i), philoxWord(key, start, 2 * i + 1))
                        : philoxWord(key, start, i);
          },
          std::move(next)};
}

constexpr uint64_t kPollMask = (1 << 14) - 1;  // elements between two looks at the cancel flag

Result<Literal> evaluateRngBitGenerator(const EvaluateContext& context) {
  const Shape& shape = context.shape.elements[1];
  const auto given = context.operands[0].data<uint64_t>();
  const std::vector<uint64_t> state(given.begin(), given.end());
  const int width = byteWidth(shape.type);
  TESSERA_ASSIGN_OR_RETURN(Literal data, Literal::allocate(shape));
  TESSERA_ASSIGN_OR_RETURN(Literal next, Literal::allocate(context.shape.elements[0]));
  const auto count = static_cast<uint64_t>(data.elementCount());
  const bool isThreefry = context.instruction.attributes->textOr(Attr::algorithm, "") == "rng_three_fry";
  const Generator generator =
      isThreefry ? threefry(state, shape.dimensions, count, width == 8) : philox(state, count, width == 8);
  const uint64_t mask = ~uint64_t{0} >> (64 - info(shape.type).bits);
  for (uint64_t i = 0; i < count; ++i) {
    if ((i & kPollMask) == kPollMask && isCancelled(context)) return failCancelled();
    const uint64_t value = generator.bits(i), lowBits = value & mask;
    std::byte* to = data.mutableBytes().data() + i * static_cast<size_t>(width);
    if (isInteger(shape.type))
      storeInt(shape.type, to, static_cast<int64_t>(value));
    else
      std::memcpy(to, &lowBits, static_cast<size_t>(width));
  }
  std::copy(generator.next.begin(), generator.next.end(), next.mutableData<uint64_t>().begin());
  return Literal::tuple({std::move(next), std::move(data)});
}

DimensionRelations rngBitGeneratorDimensions(const InferContext& context) {
  DimensionRelations out;
  for (size_t d = 0; d < context.operand(0).dimensions.size() && context.written->isTuple(); ++d)
    out.rows.push_back({DimensionRef::result(d), DimensionRule::Same, DimensionRef::operand(0, d), false,
                        "the state of the generator"});
  return out;
}

}  // namespace

const OpDef kRngBitGenerator = {
    .opcode = Opcode::RngBitGenerator,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::Random, kWrittenShape},
    .summary = "Random bits and the next state",
    .doc =
        "Fills an array with random bits by a counter-based generator and gives the state for the next call. Equal "
        "states give equal bits. The first word of the state is the key, the rest the counter. Bits are those of XLA "
        "on the CPU.",
    .operands = kRngBitGeneratorOperands,
    .attributes = kRngBitGeneratorAttributes,
    .constraints = kRngBitGeneratorConstraints,
    .inferShape = inferRngBitGenerator,
    .cost = transcendentalPerElement,
    .evaluate = evaluateRngBitGenerator,
    .dimensions = rngBitGeneratorDimensions,
};

}  // namespace tessera
