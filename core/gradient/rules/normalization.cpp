// Gradients of batch normalizations, by their formulas; that of the op that is a gradient itself, too.
#include <algorithm>

#include "core/gradient/rules.h"
#include "core/hlo/index_math.h"

namespace tessera::gradient {
namespace {

Value overFeature(Rule& r, Value vector, int64_t feature) { return broadcast(vector, {feature}, r.operandShape(0)); }

Value sumPerFeature(Rule& r, Value array, int64_t feature) {
  const Ints kept{feature};
  return reduce(Opcode::Add, array, otherDims(r.operandShape(0).rank(), kept));
}

double epsilonOf(const Rule& r) {
  const double* epsilon = r.attributes().get<double>(Attr::epsilon);
  return epsilon ? static_cast<double>(static_cast<float>(*epsilon)) : 0;
}

// (x, scale, mean, variance, dy) -> what batch-norm-grad gives. With s = 1 / sqrt(variance + epsilon):
// scale·s/n · (n·dy - Σdy - (x - mean)·s · Σdy·(x - mean)·s), Σdy·(x - mean)·s, Σdy.
ComputationId gradientFormula(Rule& r, int64_t feature) {
  Session& session = r.emit.session;
  const ComputationId id = session.module.addComputation(session.freeComputationName("batch_norm_grad_formula"));
  Emitter emit(session, id);
  std::vector<Value> p;
  for (size_t k = 0; k < r.operandCount(); ++k)
    p.push_back(
        addParameter(emit, "operand", Shape::arrayRowMajor(r.operandShape(k).type, r.operandShape(k).dimensions)));
  const Value x = p[0], dy = p[4];
  const Shape array = x.shape();
  const Ints kept{feature}, others = otherDims(array.rank(), kept);
  const auto spread = [&](Value vector) { return broadcast(vector, kept, array); };
  const Value s = unary(Opcode::Rsqrt, p[3] + epsilonOf(r)), normal = (x - spread(p[2])) * spread(s);
  const Value sum = reduce(Opcode::Add, dy, others), weighted = reduce(Opcode::Add, dy * normal, others);
  const double n = static_cast<double>(productOf(array.dimensions)) /
                   static_cast<double>(std::max<int64_t>(array.dimensions[static_cast<size_t>(feature)], 1));
  const Value rest = n * dy - spread(sum) - normal * spread(weighted);
  const Value parts[] = {spread(p[1] * s / n) * rest, weighted, sum};
  finishComputation(emit, emit.tuple(parts));
  return id;
}

}  // namespace

// The op's own gradient for the normalized array; the mean and the variance pass theirs on by their definitions.
Status batchNormTrainingRule(Rule& r) {
  const int64_t feature = r.attributes().intOr(Attr::feature_index, 0);
  const Value x = r.operand(0), mean = r.emit.element(r.result(), 1), variance = r.emit.element(r.result(), 2);
  if (r.d(0)) {
    const Value grad = r.emit.make(Opcode::BatchNormGrad, {x, r.operand(1), mean, variance, r.d(0)}, r.attributes());
    for (size_t i = 0; i < 3; ++i)
      if (r.wants(i)) r.give(i, r.emit.element(grad, i));
  }
  if (!r.wants(0)) return {};
  const double n = static_cast<double>(productOf(x.dims())) / static_cast<double>(mean.dims()[0]);
  if (r.d(1)) r.give(0, overFeature(r, r.d(1) / n, feature));
  if (r.d(2)) r.give(0, (x - overFeature(r, mean, feature)) * overFeature(r, r.d(2) * (2 / n), feature));
  return {};
}

Status batchNormInferenceRule(Rule& r) {
  const int64_t feature = r.attributes().intOr(Attr::feature_index, 0);
  const Value g = r.d(), scale = r.operand(1);
  const Value inverse = unary(Opcode::Rsqrt, r.operand(4) + epsilonOf(r));
  const Value centred = r.operand(0) - overFeature(r, r.operand(3), feature);
  const Value sum = sumPerFeature(r, g, feature), weighted = sumPerFeature(r, g * centred, feature);
  if (r.wants(0)) r.give(0, g * overFeature(r, scale * inverse, feature));
  if (r.wants(1)) r.give(1, weighted * inverse);
  if (r.wants(2)) r.give(2, sum);
  if (r.wants(3)) r.give(3, -(sum * (scale * inverse)));
  if (r.wants(4)) r.give(4, -0.5 * (weighted * (scale * (inverse * inverse * inverse))));
  return {};
}

Status batchNormGradRule(Rule& r) {
  const ComputationId formula = gradientFormula(r, r.attributes().intOr(Attr::feature_index, 0));
  TESSERA_TRY(r.emit.session.status);
  std::vector<bool> wanted;
  for (size_t k = 0; k < r.operandCount(); ++k) wanted.push_back(r.wants(k));
  TESSERA_ASSIGN_OR_RETURN(const Pullback* pullback, r.emit.session.pullbackOf(formula, wanted, r.given()));
  std::vector<Value> inputs;
  for (size_t k : pullback->forwardInputs) inputs.push_back(r.operand(k));
  for (size_t k : pullback->cotangentInputs) inputs.push_back(r.d(k));
  if (!pullback->computation.valid()) return {};
  const std::vector<Value> given = applyInline(r.emit, *pullback, inputs);
  for (size_t j = 0; j < given.size(); ++j) r.give(pullback->outputs[j], given[j]);
  return {};
}

}  // namespace tessera::gradient
