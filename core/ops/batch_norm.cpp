// batch-norm-training, -inference and -grad: normalisation over all dimensions but the feature dimension. One pass over
// the operand gathers a feature's sums in double, a second writes the elements.
#include <cmath>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {
namespace {

constexpr AttributeRow kBatchNormAttributes[] = {
    {Attr::epsilon, true, "", "added to the variance, so that nothing is divided by zero"},
    {Attr::feature_index, true, "", "the dimension that is not normalised over"},
};
constexpr Constraint kBatchNormConstraints[] = {
    {"C1", "The operand is an array of floats with at least one dimension."},
    {"C2", "feature_index names a dimension of the operand."},
    {"C3", "scale, offset, mean and variance are vectors of floats, one element a feature."},
};
constexpr Constraint kGradConstraints[] = {
    kBatchNormConstraints[0],
    kBatchNormConstraints[1],
    kBatchNormConstraints[2],
    {"C4", "grad_output has the operand's dimensions."},
};

struct Features {
  int64_t index = 0, count = 0;
};

// Operands first … last are the vectors of one element a feature.
Result<Features> checkNormalized(const InferContext& context, int operands, size_t first, size_t last) {
  TESSERA_TRY(checkArrayOperands(context, operands));
  const Shape& operand = context.operand(0);
  if (!isFloat(operand.type) || operand.rank() == 0)
    return context.violated("C1", "batch norm works on arrays of floats", "floats, rank 1 or more",
                            toString(operand, false));
  const int64_t index = context.attributes->intOr(Attr::feature_index, -1);
  if (index < 0 || index >= operand.rank())
    return context.violated("C2", "feature_index names no dimension of the operand",
                            fmt::format("0 to {}", operand.rank() - 1), fmt::format("{}", index));
  const int64_t count = operand.dimensions[static_cast<size_t>(index)];
  for (size_t i = first; i <= last; ++i) {
    const Shape& vector = context.operand(i);
    if (vector.rank() != 1 || vector.dimensions[0] != count || !sameButPrecision(vector.type, operand.type))
      return context.violated("C3", fmt::format("operand {} is not one element a feature", i),
                              toString(arrayOf(operand.type, {count}), false), toString(vector, false));
  }
  return Features{index, count};
}

Shape likeOperand(const InferContext& context) { return withoutLayout(context.operand(0)); }

Result<Shape> inferWithVectors(const InferContext& context, Features features) {
  const Shape vector = arrayOf(context.operand(0).type, {features.count});
  return Shape::tuple({likeOperand(context), vector, vector});
}

Result<Shape> inferTraining(const InferContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const Features features, checkNormalized(context, 3, 1, 2));
  return inferWithVectors(context, features);
}

Result<Shape> inferInference(const InferContext& context) {
  TESSERA_TRY(checkNormalized(context, 5, 1, 4));
  return likeOperand(context);
}

Result<Shape> inferGrad(const InferContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const Features features, checkNormalized(context, 5, 1, 3));
  if (!sameDimensions(context.operand(4), context.operand(0)) ||
      !sameButPrecision(context.operand(4).type, context.operand(0).type))
    return context.violated("C4", "grad_output differs from the operand", toString(context.operand(0), false),
                            toString(context.operand(4), false));
  return inferWithVectors(context, features);
}

void layoutLikeOperand(const InferContext& context, Shape& result) {
  const auto& layout = context.operand(0).layout;
  Shape& data = result.isTuple() ? result.elements[0] : result;
  if (layout && layout->isPlain()) data.layout = layout;
  fillDefaultLayouts(result);
}

std::vector<double> doublesOf(const Literal& literal) {
  std::vector<double> out(static_cast<size_t>(literal.elementCount()));
  loadElements(literal, 0, out);
  return out;
}

Result<Literal> literalOf(const Shape& shape, const std::vector<double>& values) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  storeElements(out, 0, std::span<const double>(values));
  return out;
}

// The operand as [outer][feature][inner].
struct Blocks {
  size_t count = 1, inner = 1, outer = 1;
  double epsilon = 0;

  explicit Blocks(const EvaluateContext& context) {
    const auto& dims = context.operands[0].shape().dimensions;
    const auto index = static_cast<size_t>(context.instruction.attributes->intOr(Attr::feature_index, 0));
    for (size_t d = 0; d < dims.size(); ++d)
      (d < index ? outer : d == index ? count : inner) *= static_cast<size_t>(dims[d]);
    const double* written = context.instruction.attributes->get<double>(Attr::epsilon);
    epsilon = static_cast<float>(written ? *written : 0);
  }
  double elements() const { return static_cast<double>(outer * inner); }
  // fn(position, feature) for every element.
  template <class Fn>
  void each(const Fn& fn) const {
    size_t at = 0;
    for (size_t o = 0; o < outer; ++o)
      for (size_t f = 0; f < count; ++f)
        for (size_t i = 0; i < inner; ++i) fn(at++, f);
  }
};

void normalize(const Blocks& blocks, std::vector<double>& x, const std::vector<double>& scale,
               const std::vector<double>& offset, const std::vector<double>& mean,
               const std::vector<double>& variance) {
  std::vector<double> factor(blocks.count);
  for (size_t f = 0; f < blocks.count; ++f) factor[f] = scale[f] / std::sqrt(variance[f] + blocks.epsilon);
  blocks.each([&](size_t i, size_t f) { x[i] = (x[i] - mean[f]) * factor[f] + offset[f]; });
}

Result<Literal> tripleOf(const EvaluateContext& context, const std::vector<double>& a, const std::vector<double>& b,
                         const std::vector<double>& c) {
  TESSERA_ASSIGN_OR_RETURN(Literal first, literalOf(context.shape.elements[0], a));
  TESSERA_ASSIGN_OR_RETURN(Literal second, literalOf(context.shape.elements[1], b));
  TESSERA_ASSIGN_OR_RETURN(Literal third, literalOf(context.shape.elements[2], c));
  return Literal::tuple({std::move(first), std::move(second), std::move(third)});
}

Result<Literal> evaluateTraining(const EvaluateContext& context) {
  const Blocks blocks(context);
  std::vector<double> x = doublesOf(context.operands[0]), mean(blocks.count), variance(blocks.count);
  blocks.each([&](size_t i, size_t f) { mean[f] += x[i]; });
  for (double& m : mean) m /= blocks.elements();
  blocks.each([&](size_t i, size_t f) { variance[f] += (x[i] - mean[f]) * (x[i] - mean[f]); });
  for (double& v : variance) v /= blocks.elements();
  normalize(blocks, x, doublesOf(context.operands[1]), doublesOf(context.operands[2]), mean, variance);
  return tripleOf(context, x, mean, variance);
}

// As x · factor + (offset - mean · factor): where infinities meet, that is what XLA gives.
Result<Literal> evaluateInference(const EvaluateContext& context) {
  const Blocks blocks(context);
  std::vector<double> x = doublesOf(context.operands[0]), factor = doublesOf(context.operands[1]),
                      shift = doublesOf(context.operands[2]);
  const std::vector<double> mean = doublesOf(context.operands[3]), variance = doublesOf(context.operands[4]);
  for (size_t f = 0; f < blocks.count; ++f) {
    factor[f] /= std::sqrt(variance[f] + blocks.epsilon);
    shift[f] -= mean[f] * factor[f];
  }
  blocks.each([&](size_t i, size_t f) { x[i] = x[i] * factor[f] + shift[f]; });
  return literalOf(context.shape, x);
}

Result<Literal> evaluateGrad(const EvaluateContext& context) {
  const Blocks blocks(context);
  std::vector<double> x = doublesOf(context.operands[0]), dy = doublesOf(context.operands[4]);
  const std::vector<double> scale = doublesOf(context.operands[1]), mean = doublesOf(context.operands[2]),
                            variance = doublesOf(context.operands[3]);
  std::vector<double> gradScale(blocks.count), gradOffset(blocks.count), inverse(blocks.count);
  for (size_t f = 0; f < blocks.count; ++f) inverse[f] = 1 / std::sqrt(variance[f] + blocks.epsilon);
  blocks.each([&](size_t i, size_t f) {
    gradOffset[f] += dy[i];
    gradScale[f] += dy[i] * (x[i] - mean[f]) * inverse[f];
  });
  const double n = blocks.elements();
  blocks.each([&](size_t i, size_t f) {
    const double rest = n * dy[i] - gradOffset[f] - (x[i] - mean[f]) * inverse[f] * gradScale[f];
    x[i] = scale[f] * inverse[f] / n * rest;
  });
  return tripleOf(context, x, gradScale, gradOffset);
}

constexpr OperandDoc kTrainingOperands[] = {{"operand", "the array that is normalised"},
                                            {"scale", "a factor for each feature"},
                                            {"offset", "a summand for each feature"}};
constexpr OperandDoc kInferenceOperands[] = {{"operand", "the array that is normalised"},
                                             {"scale", "a factor for each feature"},
                                             {"offset", "a summand for each feature"},
                                             {"mean", "the mean of each feature"},
                                             {"variance", "the variance of each feature"}};
constexpr OperandDoc kGradOperands[] = {{"operand", "the array that was normalised"},
                                        {"scale", "a factor for each feature"},
                                        {"mean", "the batch's mean of each feature"},
                                        {"variance", "the batch's variance of each feature"},
                                        {"grad_output", "gradient with respect to the normalised array"}};

// Operands and results are arrays like the first, or hold one element for each feature.
DimensionRelations batchNormDimensions(const InferContext& context) {
  DimensionRelations out;
  const Shape& first = context.operand(0);
  const auto feature = static_cast<size_t>(context.attributes->intOr(Attr::feature_index, 0));
  const auto relate = [&](DimensionRef to, const Shape& shape, bool whole) {
    if (whole)
      out.sameArray(to, shape, DimensionRef::operand(0, 0), first);
    else
      out.same(to, DimensionRef::operand(0, feature));
  };
  for (size_t k = 1; k < context.operands.size(); ++k)
    relate(DimensionRef::operand(k, 0), context.operand(k), context.opcode == Opcode::BatchNormGrad && k == 4);
  const auto leaves = leavesOf(*context.written);
  for (size_t k = 0; k < leaves.size(); ++k) relate(DimensionRef::result(0, k), *leaves[k].shape, k == 0);
  // Means and variances over the other dimensions are given to inference, and computed from all elements by the others.
  for (DimensionRelation& row : out.rows)
    row.aligned = row.from.dimension == feature || context.opcode == Opcode::BatchNormInference;
  return out;
}

}  // namespace

const OpDef kBatchNormTraining = {
    .opcode = Opcode::BatchNormTraining,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::Normalization},
    .summary = "Normalises each feature by the batch's own mean and variance",
    .doc =
        "With mean $\\mu$ and variance $v$ of each feature over all other dimensions the result is $(x - \\mu) / "
        "\\sqrt{v + \\epsilon} \\cdot scale + offset$; the tuple gives it, $\\mu$ and $v$ (divided by the count).",
    .operands = kTrainingOperands,
    .attributes = kBatchNormAttributes,
    .constraints = kBatchNormConstraints,
    .inferShape = inferTraining,
    .inferLayout = layoutLikeOperand,
    .evaluate = evaluateTraining,
    .dimensions = batchNormDimensions,
};

const OpDef kBatchNormInference = {
    .opcode = Opcode::BatchNormInference,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::Normalization},
    .summary = "Normalises each feature by a given mean and variance",
    .doc =
        "The result is $(x - mean) / \\sqrt{variance + \\epsilon} \\cdot scale + offset$, the vectors taken along the "
        "feature dimension.",
    .operands = kInferenceOperands,
    .attributes = kBatchNormAttributes,
    .constraints = kBatchNormConstraints,
    .inferShape = inferInference,
    .inferLayout = layoutLikeOperand,
    .evaluate = evaluateInference,
    .dimensions = batchNormDimensions,
};

const OpDef kBatchNormGrad = {
    .opcode = Opcode::BatchNormGrad,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::Normalization},
    .summary = "Gradients of batch-norm-training",
    .doc =
        "With $s = 1 / \\sqrt{variance + \\epsilon}$ and $n$ elements a feature the tuple holds the gradient of the "
        "operand $scale \\cdot s / n \\cdot (n \\, dy - \\sum dy - (x - mean) s^2 \\sum dy (x - mean))$, of the scale "
        "$\\sum dy (x - mean) s$, and of the offset $\\sum dy$.",
    .operands = kGradOperands,
    .attributes = kBatchNormAttributes,
    .constraints = kGradConstraints,
    .inferShape = inferGrad,
    .inferLayout = layoutLikeOperand,
    .evaluate = evaluateGrad,
    .dimensions = batchNormDimensions,
};

}  // namespace tessera
