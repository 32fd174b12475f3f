// rng and rng-get-and-update-state: random numbers without a state in the graph. The state is the instruction's own.
// That of rng begins again with each run, so a run can be repeated; that of rng-get-and-update-state, which a program
// asks for by name, goes on as XLA's does. Two instructions draw from different streams.
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/devices/shardy.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/random_bits.h"

namespace tessera {
namespace {

constexpr OperandDoc kRngOperands[] = {{"a", "lower bound, or the mean"},
                                       {"b", "upper bound (not reached), or the standard deviation"}};
constexpr AttributeRow kRngAttributes[] = {
    {Attr::distribution, true, "", "how values are spread", "rng_uniform rng_normal"}};
constexpr Constraint kRngConstraints[] = {
    {"C1", "Both operands are scalars of one type."},
    {"C2", "The result is written as an array of the operands' type."},
    {"C3", "rng_normal gives floats; rng_uniform gives floats, integers or pred."},
};

Result<Shape> inferRng(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 2));
  const Shape &a = context.operand(0), &b = context.operand(1);
  if (!a.isScalar() || !b.isScalar() || a.type != b.type)
    return context.violated("C1", "the parameters are not two scalars of one type", toString(a, false),
                            toString(b, false));
  if (!context.written || !context.written->isArray() || context.written->type != a.type)
    return context.violated("C2", "the result's shape is not of the operands' type",
                            fmt::format("{}[…]", nameOf(a.type)),
                            context.written ? toString(*context.written, false) : "nothing");
  const std::string_view kind = context.attributes->textOr(Attr::distribution, "");
  if (!(kind == "rng_uniform" && !isComplex(a.type)) && !(kind == "rng_normal" && isFloat(a.type)))
    return context.violated("C3", fmt::format("{} of {}", kind, nameOf(a.type)),
                            "rng_uniform or rng_normal of real numbers", std::string(kind));
  return withoutLayout(*context.written);
}

// Its own, or that of the instruction that it is a copy of.
uint64_t streamOf(const Instruction& instruction) {
  const auto* said = instruction.attributes->get<RawText>(Attr::frontend_attributes);
  const std::string text = said ? frontendAttribute(said->text, kStreamNumber) : std::string();
  uint64_t number = instruction.id.value;
  if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Numbers of one execution of an instruction: the n-th word of its stream.
class Stream {
 public:
  Stream(const EvaluateContext& context, uint64_t words)
      : key_(0x9E3779B97F4A7C15u * (streamOf(context.instruction) + 1)) {
    if (!context.memory) return;
    auto& [low, high] = *context.memory;
    start_ = {low, high};
    const WideCounter next = start_.plus(words / 4 + 1);
    low = next.low;
    high = next.high;
  }
  uint64_t word(uint64_t n) const { return philoxWord(key_, start_, n); }
  uint64_t wide(uint64_t n) const { return word(2 * n) << 32 | word(2 * n + 1); }
  // In [0, 1), a multiple of 2^-53.
  double unit(uint64_t n) const { return static_cast<double>(wide(n) >> 11) * 0x1p-53; }

 private:
  uint64_t key_;
  WideCounter start_;
};

// A float rounded to its type may reach the upper bound, which is then drawn down to the lower one.
double uniform(double a, double b, double unit, ElementType type) {
  double rounded;
  std::byte bytes[8];
  storeDouble(type, bytes, a + (b - a) * unit);
  rounded = loadDouble(type, bytes);
  return rounded < b || a >= b ? rounded : a;
}

double normal(const Stream& stream, uint64_t n) {
  const double radius = std::sqrt(-2 * std::log(1 - stream.unit(2 * n)));
  return radius * std::cos(2 * std::numbers::pi * stream.unit(2 * n + 1));
}

Result<Literal> evaluateRng(const EvaluateContext& context) {
  const ElementType type = context.shape.type;
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  const auto count = static_cast<uint64_t>(out.elementCount());
  const Stream stream(context, 4 * count);
  const std::byte *a = context.operands[0].bytes().data(), *b = context.operands[1].bytes().data();
  const bool isNormal = context.instruction.attributes->textOr(Attr::distribution, "") == "rng_normal";
  const auto width = static_cast<size_t>(byteWidth(type));
  for (uint64_t i = 0; i < count; ++i) {
    if ((i & 0xfffff) == 0 && isCancelled(context)) return failCancelled();
    std::byte* to = out.mutableBytes().data() + i * width;
    if (isFloat(type)) {
      const double x = loadDouble(type, a), y = loadDouble(type, b);
      storeDouble(type, to, isNormal ? x + y * normal(stream, i) : uniform(x, y, stream.unit(i), type));
      continue;
    }
    const auto low = static_cast<uint64_t>(loadInt(type, a)), range = static_cast<uint64_t>(loadInt(type, b)) - low;
    storeInt(type, to, static_cast<int64_t>(low + (range == 0 ? 0 : stream.wide(i) % range)));
  }
  return out;
}

constexpr AttributeRow kStateAttributes[] = {{Attr::delta, true, "", "what is added to the state of 128 bits"}};
constexpr Constraint kRngStateConstraints[] = {{"C1", "The result is written as u64[2]."}};

Result<Shape> inferState(const InferContext& context) {
  const Shape state = arrayOf(ElementType::U64, {2});
  if (context.written && !compatible(*context.written, state))
    return context.violated("C1", "the state has another shape", "u64[2]", toString(*context.written, false));
  return state;
}

Result<Literal> evaluateState(const EvaluateContext& context) {
  constexpr uint64_t kFirst = 0x7012395;  // as XLA's
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  WideCounter moved;
  if (context.memory) moved = {(*context.memory)[0], (*context.memory)[1]};
  const WideCounter state{kFirst + moved.low, moved.high};
  out.mutableData<uint64_t>()[0] = state.low;
  out.mutableData<uint64_t>()[1] = state.high;
  const WideCounter next = moved.plus(static_cast<uint64_t>(context.instruction.attributes->intOr(Attr::delta, 0)));
  if (context.memory) *context.memory = {next.low, next.high};
  return out;
}

}  // namespace

const OpDef kRng = {
    .opcode = Opcode::Rng,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::Random, kWrittenShape},
    .summary = "Random numbers of a distribution",
    .doc =
        "rng_uniform draws from $[a, b)$, rng_normal with mean $a$ and standard deviation $b$. Each execution within a "
        "run gives other numbers; another run of the same program gives the same ones. The numbers are not XLA's, "
        "whose seed is not part of the program.",
    .operands = kRngOperands,
    .attributes = kRngAttributes,
    .constraints = kRngConstraints,
    .inferShape = inferRng,
    .cost = transcendentalPerElement,
    .evaluate = evaluateRng,
    .dimensions = noRelations,
};

const OpDef kRngGetAndUpdateState = {
    .opcode = Opcode::RngGetAndUpdateState,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::Random, kSideEffect},
    .summary = "The state of a generator, which moves on",
    .doc =
        "Gives the instruction's state of 128 bits, lower word first, and adds delta to it. The state begins at "
        "0x7012395, as in XLA, and goes on from run to run of one executable.",
    .operands = {},
    .attributes = kStateAttributes,
    .constraints = kRngStateConstraints,
    .inferShape = inferState,
    .evaluate = evaluateState,
};

}  // namespace tessera
