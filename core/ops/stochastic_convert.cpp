// stochastic-convert: floats to integers, rounded up or down at random: the random operand's bits are compared with the
// fraction that rounding down would lose.
#include <cmath>
#include <limits>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr OperandDoc kStochasticConvertOperands[] = {{"operand", "the floats to convert"},
                                                     {"random", "as many random bits for each as a float has"}};
constexpr Constraint kStochasticConvertConstraints[] = {
    {"C1", "The operand has floats, and random has unsigned integers of the same width and dimensions."},
    {"C2", "The result is written with integers as elements and the operand's dimensions."},
};

Result<Shape> inferStochasticConvert(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 2));
  const Shape &operand = context.operand(0), &random = context.operand(1);
  if (!isFloat(operand.type) || !isUnsigned(random.type) || info(operand.type).bits != info(random.type).bits ||
      !sameDimensions(operand, random))
    return context.violated("C1", "the operands do not fit each other", "floats, and unsigned integers of their width",
                            toString(operand, false) + " and " + toString(random, false));
  if (!context.written || !isInteger(context.written->type) || !sameDimensions(*context.written, operand))
    return context.violated("C2", "the result is not integers of the operand's dimensions", "an integer type",
                            context.written ? toString(*context.written, false) : "nothing");
  return arrayOf(context.written->type, operand.dimensions, operand.dynamic);
}

struct Range {
  double low, high;
};

Range rangeOf(ElementType type) {
  const int bits = info(type).bits;
  if (isUnsigned(type)) return {0, std::ldexp(1.0, bits)};
  return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1)};
}

// The integer below or above |x|, by chance; the sign comes back after that.
double roundedByChance(double x, uint64_t random, int bits) {
  const double whole = std::floor(std::abs(x)), fraction = std::abs(x) - whole;
  const bool up = std::ldexp(static_cast<double>(random), -bits) < fraction;
  return std::copysign(whole + (up ? 1 : 0), x);
}

Result<Literal> evaluateStochasticConvert(const EvaluateContext& context) {
  const Range range = rangeOf(context.shape.type);
  const int bits = info(context.operands[1].shape().type).bits;
  const ElementType type = context.shape.type;
  const int64_t most = type == ElementType::U64 ? -1
                       : range.high >= 0x1p63   ? std::numeric_limits<int64_t>::max()
                                                : static_cast<int64_t>(range.high) - 1;
  std::vector<double> x(static_cast<size_t>(context.operands[0].elementCount()));
  std::vector<int64_t> random(x.size()), out(x.size());
  loadElements(context.operands[0], 0, std::span<double>(x));
  loadElements(context.operands[1], 0, std::span<int64_t>(random));
  for (size_t i = 0; i < x.size(); ++i) {
    const double value = std::isnan(x[i]) ? 0 : roundedByChance(x[i], static_cast<uint64_t>(random[i]), bits);
    if (value >= range.high)
      out[i] = most;
    else if (value <= range.low)
      out[i] = range.low == 0 ? 0 : static_cast<int64_t>(range.low);
    else
      out[i] = value < 0 ? static_cast<int64_t>(value) : static_cast<int64_t>(static_cast<uint64_t>(value));
  }
  TESSERA_ASSIGN_OR_RETURN(Literal result, Literal::allocate(context.shape));
  storeElements(result, 0, std::span<const int64_t>(out));
  return result;
}

}  // namespace

const OpDef kStochasticConvert = {
    .opcode = Opcode::StochasticConvert,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::Elementwise, kElementwise | kWrittenShape},
    .summary = "Floats to integers, rounded at random",
    .doc =
        "$|x|$ is rounded up when the random number, read as a fraction of $2^{bits}$, is below the fractional part of "
        "$|x|$, else down; the sign comes back after that. Values outside the integer type saturate and NaN gives 0.",
    .operands = kStochasticConvertOperands,
    .attributes = {},
    .constraints = kStochasticConvertConstraints,
    .inferShape = inferStochasticConvert,
    .inferLayout = followOperandLayout,
    .cost = flopPerElement,
    .evaluate = evaluateStochasticConvert,
};

}  // namespace tessera
