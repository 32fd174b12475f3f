// See expand_batch_norm.h. Formulas: y = (x - mean) · scale / sqrt(variance + epsilon) + offset; the gradients are the
// derivatives of that through mean and variance.
#include "core/passes/expand_batch_norm.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/passes/static_builder.h"

namespace tessera {
namespace {

class Expansion {
 public:
  Expansion(Rewriter& rewriter, InstructionId id)
      : rewriter_(rewriter), module_(rewriter.module()), id_(id), in_(module_.at(id)), build_(rewriter, id),
        feature_(in_.attributes->intOr(Attr::feature_index, 0)), dims_(module_.shapeOf(in_.operands[0]).dimensions) {
    const ElementType type = module_.shapeOf(in_.operands[0]).type;
    type_ = type == ElementType::F64 ? type : ElementType::F32;
    for (int64_t d = 0; d < static_cast<int64_t>(dims_.size()); ++d) {
      if (d == feature_) continue;
      others_.push_back(d);
      elements_ *= static_cast<double>(dims_[static_cast<size_t>(d)]);
    }
    for (InstructionId operand : in_.operands) operands_.push_back(converted(rewriter.resolve(operand), type_));
    x_ = operands_[0];
  }

  void run() {
    switch (in_.opcode) {
      case Opcode::BatchNormTraining: return training();
      case Opcode::BatchNormInference: return inference();
      default: return gradient();
    }
  }

 private:
  using Id = InstructionId;

  Id converted(Id id, ElementType type) {
    const Shape& shape = build_.shapeOf(id);
    return shape.type == type ? id : build_.add(Opcode::Convert, Shape::arrayRowMajor(type, shape.dimensions), {id});
  }
  Id op(Opcode opcode, Id a, Id b) { return build_.elementwise(opcode, a, b); }
  Id times(Id a, Id b) { return op(Opcode::Multiply, a, b); }
  // A vector with one element a feature, or a number, beside every element.
  Id everywhere(Id vector) { return build_.broadcast(vector, dims_, {feature_}); }
  Id scalar(double value) {
    const InstructionId from[] = {id_};
    Literal literal = type_ == ElementType::F64 ? Literal::scalar<double>(type_, value) : Literal::scalar<float>(type_, static_cast<float>(value));
    return rewriter_.addConstant(in_.computation, std::move(literal), Shape::arrayRowMajor(type_, {}), from);
  }
  Id vectorOf(double value) { return build_.broadcast(scalar(value), {dims_[static_cast<size_t>(feature_)]}); }

  ComputationId adder() {
    if (adder_.valid()) return adder_;
    adder_ = module_.addComputation(fmt::format("{}.sum.t{}", in_.name, module_.instructionSlots()));
    const Shape number = Shape::arrayRowMajor(type_, {});
    std::vector<Id> parameters;
    for (int32_t i : {0, 1}) {
      Instruction parameter;
      const std::string name = fmt::format("{}.t{}", i == 0 ? "a" : "b", module_.instructionSlots());
      parameter.name = name;
      parameter.opcode = Opcode::Parameter;
      parameter.parameterNumber = i;
      parameter.provenance = in_.provenance;
      parameters.push_back(module_.add(adder_, std::move(parameter), number));
    }
    module_.setRoot(adder_, module_.add(adder_, Opcode::Add, number, parameters, {}, in_.provenance));
    return adder_;
  }
  // Over all dimensions but the feature dimension.
  Id sum(Id array) {
    AttributeSet attributes;
    attributes.set(Attr::dimensions, others_);
    attributes.set(Attr::to_apply, adder());
    return build_.add(Opcode::Reduce, Shape::arrayRowMajor(type_, {dims_[static_cast<size_t>(feature_)]}), {array, scalar(0)}, std::move(attributes));
  }
  Id mean(Id array) { return op(Opcode::Divide, sum(array), vectorOf(elements_)); }
  Id deviation(Id vector) {  // sqrt(variance + epsilon)
    const double* epsilon = in_.attributes->get<double>(Attr::epsilon);
    const Id shifted = op(Opcode::Add, vector, vectorOf(epsilon ? static_cast<float>(*epsilon) : 0));
    return build_.add(Opcode::Sqrt, Shape(build_.shapeOf(shifted)), {shifted});
  }
  Id normalized(Id centred, Id scale, Id offset, Id variance) {
    const Id factor = op(Opcode::Divide, scale, deviation(variance));
    return op(Opcode::Add, times(centred, everywhere(factor)), everywhere(offset));
  }

  // In the very shape (type, layout) that the operation gave.
  Id as(Id id, const Shape& shape) {
    if (build_.shapeOf(id) == shape) return id;
    return build_.add(build_.shapeOf(id).type == shape.type ? Opcode::Copy : Opcode::Convert, shape, {id});
  }
  void give(std::initializer_list<Id> parts) {
    std::vector<Id> out;
    for (Id part : parts) out.push_back(as(part, in_.shape->isTuple() ? in_.shape->elements[out.size()] : *in_.shape));
    rewriter_.replace(id_, in_.shape->isTuple() ? build_.add(Opcode::Tuple, *in_.shape, out) : out[0]);
  }

  void training() {
    const Id average = mean(x_);
    const Id centred = op(Opcode::Subtract, x_, everywhere(average));
    const Id variance = mean(times(centred, centred));
    give({normalized(centred, operands_[1], operands_[2], variance), average, variance});
  }
  void inference() {
    const Id centred = op(Opcode::Subtract, x_, everywhere(operands_[3]));
    give({normalized(centred, operands_[1], operands_[2], operands_[4])});
  }
  void gradient() {
    const Id scale = operands_[1], dy = operands_[4];
    const Id inverse = op(Opcode::Divide, vectorOf(1), deviation(operands_[3]));
    const Id centred = op(Opcode::Subtract, x_, everywhere(operands_[2]));
    const Id unit = times(centred, everywhere(inverse));
    const Id gradScale = sum(times(dy, unit)), gradOffset = sum(dy);
    const Id whole = op(Opcode::Subtract, times(dy, build_.broadcast(scalar(elements_), dims_)), everywhere(gradOffset));
    const Id rest = op(Opcode::Subtract, whole, times(unit, everywhere(gradScale)));
    const Id factor = op(Opcode::Divide, times(scale, inverse), vectorOf(elements_));
    give({times(everywhere(factor), rest), gradScale, gradOffset});
  }

  Rewriter& rewriter_;
  Module& module_;
  Id id_;
  const Instruction in_;
  StaticBuilder build_;
  int64_t feature_;
  std::vector<int64_t> dims_, others_;
  ElementType type_ = ElementType::F32;
  double elements_ = 1;
  std::vector<Id> operands_;
  Id x_;
  ComputationId adder_;
};

bool isStaticBatchNorm(const Module& module, const Instruction& in) {
  if (in.opcode != Opcode::BatchNormTraining && in.opcode != Opcode::BatchNormInference && in.opcode != Opcode::BatchNormGrad) return false;
  return !hasSideEffect(in) && std::ranges::none_of(in.operands, [&](InstructionId id) { return module.shapeOf(id).hasDynamicDimensions(); });
}

}  // namespace

Result<bool> expandBatchNorms(Module& module) {
  Rewriter rewriter(module, "expand-batch-norms");
  bool changed = false;
  for (ComputationId computation : std::vector<ComputationId>(module.order()))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      if (!isStaticBatchNorm(module, module.at(id))) continue;
      Expansion(rewriter, id).run();
      changed = true;
    }
  TESSERA_TRY(rewriter.finish());
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
