// See expand_batch_norm.h. Computed in f32, or f64 where an operand is; arrays keep the operand's dynamic dimensions.
#include "core/passes/expand/expand_batch_norm.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/hlo/numbers.h"
#include "core/passes/dynamic/static_builder.h"

namespace tessera {
namespace {

class BatchNormExpansion {
 public:
  BatchNormExpansion(Rewriter& rewriter, InstructionId id)
      : rewriter_(rewriter), module_(rewriter.module()), id_(id), norm_(module_.at(id)), build_(rewriter, id) {
    feature_ = static_cast<size_t>(norm_.attributes->intOr(Attr::feature_index, 0));
    for (InstructionId operand : norm_.operands)
      if (module_.shapeOf(operand).type == ElementType::F64) type_ = ElementType::F64;
    for (InstructionId operand : norm_.operands) operands_.push_back(as(type_, rewriter.resolve(operand)));
    array_ = module_.shapeOf(operands_[0]);
    array_.layout.reset();
    fillDefaultLayouts(array_);
    const size_t f = feature_;
    vector_ = Shape::array(type_, {array_.dimensions[f]});
    if (array_.isDynamicDimension(static_cast<int64_t>(f))) vector_.dynamic = {true};
    fillDefaultLayouts(vector_);
  }

  void run() {
    if (norm_.opcode == Opcode::BatchNormInference) return rewriter_.replace(id_, written(inference(), *norm_.shape));
    const std::vector<InstructionId> parts = norm_.opcode == Opcode::BatchNormTraining ? training() : gradient();
    std::vector<InstructionId> leaves;
    for (size_t i = 0; i < parts.size(); ++i) leaves.push_back(written(parts[i], norm_.shape->elements[i]));
    rewriter_.replace(id_, build_.make(Opcode::Tuple, *norm_.shape, leaves));
  }

 private:
  using Id = InstructionId;

  // x · a + (offset - mean · a), a = scale / sqrt(variance + epsilon).
  Id inference() {
    const Id factor = op(Opcode::Multiply, operands_[1], inverseDeviation(operands_[4]));
    const Id shift = op(Opcode::Subtract, operands_[2], op(Opcode::Multiply, operands_[3], factor));
    return op(Opcode::Add, op(Opcode::Multiply, operands_[0], spread(factor)), spread(shift));
  }

  std::vector<Id> training() {
    const Id x = operands_[0], n = countOfElements();
    const Id mean = op(Opcode::Divide, sum(x), n), centred = op(Opcode::Subtract, x, spread(mean));
    const Id variance = op(Opcode::Divide, sum(op(Opcode::Multiply, centred, centred)), n);
    const Id normal = op(Opcode::Multiply, centred, spread(inverseDeviation(variance)));
    const Id scaled = op(Opcode::Multiply, normal, spread(operands_[1]));
    return {op(Opcode::Add, scaled, spread(operands_[2])), mean, variance};
  }

  // With s = 1 / sqrt(variance + epsilon): scale·s/n · (n·dy - Σdy - (x - mean)·s · Σdy·(x - mean)·s).
  std::vector<Id> gradient() {
    const Id scale = operands_[1], dy = operands_[4], n = countOfElements(), s = inverseDeviation(operands_[3]);
    const Id normal = op(Opcode::Multiply, op(Opcode::Subtract, operands_[0], spread(operands_[2])), spread(s));
    const Id gradOffset = sum(dy), gradScale = sum(op(Opcode::Multiply, dy, normal));
    const Id share = op(Opcode::Divide, op(Opcode::Multiply, scale, s), n);
    const Id rest = op(Opcode::Subtract, op(Opcode::Subtract, op(Opcode::Multiply, dy, spread(n)), spread(gradOffset)),
                       op(Opcode::Multiply, normal, spread(gradScale)));
    return {op(Opcode::Multiply, spread(share), rest), gradScale, gradOffset};
  }

  Id op(Opcode opcode, Id a, Id b) { return build_.make(opcode, module_.shapeOf(a), {a, b}); }
  Id as(ElementType type, Id value) {
    Shape shape = module_.shapeOf(value);
    if (shape.type == type) return value;
    shape.type = type;
    return build_.make(Opcode::Convert, shape, {value});
  }
  // With the shape that the instruction wrote.
  Id written(Id value, const Shape& shape) {
    const Shape& have = module_.shapeOf(value);
    return have == shape ? value
                         : build_.make(have.type == shape.type ? Opcode::Copy : Opcode::Convert, shape, {value});
  }
  // A vector of one element a feature over the operand's dimensions.
  Id spread(Id vector) {
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{static_cast<int64_t>(feature_)});
    return build_.make(Opcode::Broadcast, array_, {vector}, std::move(attributes));
  }
  Id overFeatures(Id scalar) {
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{});
    return build_.make(Opcode::Broadcast, vector_, {scalar}, std::move(attributes));
  }
  Id constant(double value) {
    Literal literal = Literal::zeros(Shape::arrayRowMajor(type_, {})).value();
    storeDouble(type_, literal.mutableBytes().data(), value);
    const InstructionId from[] = {id_};
    const Shape shape = literal.shape();
    return rewriter_.addConstant(norm_.computation, std::move(literal), shape, from);
  }
  Id inverseDeviation(Id variance) {
    const double* epsilon = norm_.attributes->get<double>(Attr::epsilon);
    const Id shifted = op(Opcode::Add, variance, overFeatures(constant(static_cast<float>(epsilon ? *epsilon : 0))));
    return build_.make(Opcode::Rsqrt, vector_, {shifted});
  }

  // Elements of a feature: a constant but for dynamic dimensions.
  Id countOfElements() {
    double fixed = 1;
    Id sizes;
    for (size_t d = 0; d < array_.dimensions.size(); ++d) {
      if (d == feature_) continue;
      if (!array_.isDynamicDimension(static_cast<int64_t>(d))) {
        fixed *= static_cast<double>(array_.dimensions[d]);
        continue;
      }
      AttributeSet attributes;
      attributes.set(Attr::dimensions, std::vector<int64_t>{static_cast<int64_t>(d)});
      const Id size = build_.make(Opcode::GetDimensionSize, Shape::arrayRowMajor(ElementType::S32, {}), {operands_[0]},
                                  std::move(attributes));
      sizes = sizes.valid() ? build_.multiply(sizes, size) : size;
    }
    const Id number = constant(fixed);
    return overFeatures(sizes.valid() ? op(Opcode::Multiply, number, as(type_, sizes)) : number);
  }

  Id sum(Id array) {
    std::vector<int64_t> reduced;
    for (size_t d = 0; d < array_.dimensions.size(); ++d)
      if (d != feature_) reduced.push_back(static_cast<int64_t>(d));
    if (reduced.empty()) return array;
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::move(reduced));
    attributes.set(Attr::to_apply, adder());
    return build_.make(Opcode::Reduce, vector_, {array, constant(0)}, std::move(attributes));
  }

  ComputationId adder() {
    if (adder_.valid()) return adder_;
    adder_ = module_.addComputation(fmt::format("{}.add.t{}", norm_.name, module_.instructionSlots()));
    const Id a = parameter(0), b = parameter(1);
    module_.setRoot(adder_, StaticBuilder(rewriter_, a).make(Opcode::Add, Shape::arrayRowMajor(type_, {}), {a, b}));
    return adder_;
  }
  Id parameter(int32_t number) {
    Instruction parameter;
    const std::string name = fmt::format("summand.t{}", module_.instructionSlots());
    parameter.name = name;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = number;
    parameter.provenance = norm_.provenance;
    return module_.add(adder_, std::move(parameter), Shape::arrayRowMajor(type_, {}));
  }

  Rewriter& rewriter_;
  Module& module_;
  InstructionId id_;
  const Instruction norm_;  // a copy: adding instructions moves records
  StaticBuilder build_;
  std::vector<Id> operands_;
  Shape array_, vector_;  // the operand's and a feature vector's, in the type that is computed in
  ElementType type_ = ElementType::F32;
  size_t feature_ = 0;
  ComputationId adder_;
};

bool isBatchNorm(Opcode opcode) {
  return opcode == Opcode::BatchNormTraining || opcode == Opcode::BatchNormInference || opcode == Opcode::BatchNormGrad;
}

}  // namespace

Result<bool> expandBatchNorms(Module& module) {
  bool changed = false;
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    std::vector<InstructionId> norms;
    for (InstructionId id : module.at(computation).instructions)
      if (isBatchNorm(module.at(id).opcode)) norms.push_back(id);
    if (norms.empty()) continue;
    Rewriter rewriter(module, "expand-batch-norms");
    for (InstructionId norm : norms) BatchNormExpansion(rewriter, norm).run();
    TESSERA_TRY(rewriter.finish());
    changed = true;
  }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
