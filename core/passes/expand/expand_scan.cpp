// See expand_scan.h. The loop's state is (step, outputs…, carries…, inputs…); the call in its body is inlined by
// the next pass.
#include "core/passes/expand/expand_scan.h"

#include <fmt/format.h>

#include "core/passes/dynamic/static_builder.h"

namespace tessera {
namespace {

class ScanExpansion {
 public:
  ScanExpansion(Rewriter& rewriter, InstructionId scan)
      : rewriter_(rewriter), module_(rewriter.module()), id_(scan), scan_(module_.at(scan)), build_(rewriter, scan) {
    const AttributeSet& attributes = *scan_.attributes;
    carries_ = static_cast<size_t>(attributes.intOr(Attr::num_carries, 0));
    inputs_ = scan_.operands.size() - carries_;
    dimension_ = static_cast<size_t>(attributes.ints(Attr::dimensions)[0]);
    reverse_ = attributes.boolOr(Attr::is_reverse, false);
    for (InstructionId operand : scan_.operands) operands_.push_back(rewriter.resolve(operand));
    results_ = scan_.shape->isTuple() ? scan_.shape->elements : std::vector<Shape>{*scan_.shape};
    outputs_ = results_.size() - carries_;
    steps_ = (inputs_ ? module_.shapeOf(operands_[0]) : results_[0]).dimensions[dimension_];
  }

  void run() {
    if (steps_ == 0) return withoutSteps();
    const InstructionId init = initialState();
    state_ = module_.shapeOf(init);
    AttributeSet attributes;
    attributes.set(Attr::condition, condition());
    attributes.set(Attr::body, body());
    const InstructionId loop = build_.make(Opcode::While, state_, {init}, std::move(attributes));
    std::vector<InstructionId> parts;
    for (size_t i = 0; i < results_.size(); ++i) parts.push_back(element(build_, loop, i + 1));
    rewriter_.replace(id_, scan_.shape->isTuple() ? build_.make(Opcode::Tuple, *scan_.shape, parts) : parts[0]);
  }

 private:
  InstructionId element(StaticBuilder& build, InstructionId tuple, size_t index) {
    AttributeSet attributes;
    attributes.set(Attr::index, static_cast<int64_t>(index));
    return build.make(Opcode::GetTupleElement, Shape(module_.shapeOf(tuple).elements[index]), {tuple},
                      std::move(attributes));
  }

  // Outputs without elements, carries as they began.
  void withoutSteps() {
    std::vector<InstructionId> parts;
    for (size_t i = 0; i < outputs_; ++i)
      parts.push_back(build_.broadcast(build_.zeroOf(results_[i].type), results_[i].dimensions));
    parts.insert(parts.end(), operands_.begin() + static_cast<int64_t>(inputs_), operands_.end());
    rewriter_.replace(id_, scan_.shape->isTuple() ? build_.make(Opcode::Tuple, *scan_.shape, parts) : parts[0]);
  }

  InstructionId initialState() {
    std::vector<InstructionId> parts{build_.number(0)};
    for (size_t i = 0; i < outputs_; ++i)
      parts.push_back(build_.broadcast(build_.zeroOf(results_[i].type), results_[i].dimensions));
    parts.insert(parts.end(), operands_.begin() + static_cast<int64_t>(inputs_), operands_.end());
    parts.insert(parts.end(), operands_.begin(), operands_.begin() + static_cast<int64_t>(inputs_));
    std::vector<Shape> shapes;
    for (InstructionId part : parts) shapes.push_back(module_.shapeOf(part));
    return build_.make(Opcode::Tuple, Shape::tuple(std::move(shapes)), parts);
  }

  InstructionId parameter(ComputationId computation) {
    Instruction parameter;
    const std::string name = fmt::format("state.t{}", module_.instructionSlots());
    parameter.name = name;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = 0;
    parameter.provenance = scan_.provenance;
    return module_.add(computation, std::move(parameter), state_);
  }

  ComputationId computation(std::string_view what) {
    return module_.addComputation(fmt::format("{}.{}.t{}", scan_.name, what, module_.instructionSlots()));
  }

  ComputationId condition() {
    const ComputationId out = computation("condition");
    const InstructionId state = parameter(out);
    StaticBuilder build(rewriter_, state);
    module_.setRoot(out, build.compare("LT", element(build, state, 0), build.number(steps_)));
    return out;
  }

  std::vector<int64_t> withoutDimension(std::vector<int64_t> dims) const {
    dims.erase(dims.begin() + static_cast<int64_t>(dimension_));
    return dims;
  }

  ComputationId body() {
    const ComputationId out = computation("body");
    const InstructionId state = parameter(out);
    StaticBuilder build(rewriter_, state);
    const InstructionId step = element(build, state, 0);
    const InstructionId at = reverse_ ? build.subtract(build.number(steps_ - 1), step) : step;
    std::vector<InstructionId> arguments;
    for (size_t i = 0; i < inputs_; ++i) {
      const InstructionId input = element(build, state, 1 + outputs_ + carries_ + i);
      const std::vector<int64_t> dims = module_.shapeOf(input).dimensions;
      arguments.push_back(build.reshape(build.sliceFrom(input, dimension_, at, 1), withoutDimension(dims)));
    }
    for (size_t i = 0; i < carries_; ++i) arguments.push_back(element(build, state, 1 + outputs_ + i));
    const std::vector<InstructionId> results = call(build, arguments);
    std::vector<InstructionId> next{build.add(step, build.number(1))};
    for (size_t i = 0; i < outputs_; ++i) {
      std::vector<int64_t> dims = results_[i].dimensions;
      dims[dimension_] = 1;
      next.push_back(build.updateFrom(element(build, state, 1 + i), build.reshape(results[i], dims), dimension_, at));
    }
    for (size_t i = 0; i < carries_; ++i) next.push_back(results[outputs_ + i]);
    for (size_t i = 0; i < inputs_; ++i) next.push_back(element(build, state, 1 + outputs_ + carries_ + i));
    module_.setRoot(out, build.make(Opcode::Tuple, state_, next));
    return out;
  }

  std::vector<InstructionId> call(StaticBuilder& build, std::span<const InstructionId> arguments) {
    const ComputationId callee = module_.callees(scan_)[0];
    AttributeSet attributes;
    attributes.set(Attr::to_apply, callee);
    const Shape shape = module_.shapeOf(module_.at(callee).root);
    const InstructionId result = build.make(Opcode::Call, shape, arguments, std::move(attributes));
    if (!shape.isTuple()) return {result};
    std::vector<InstructionId> out;
    for (size_t i = 0; i < shape.elements.size(); ++i) out.push_back(element(build, result, i));
    return out;
  }

  Rewriter& rewriter_;
  Module& module_;
  InstructionId id_;
  const Instruction scan_;
  StaticBuilder build_;
  std::vector<InstructionId> operands_;
  std::vector<Shape> results_;
  Shape state_;
  size_t carries_ = 0, inputs_ = 0, outputs_ = 0, dimension_ = 0;
  int64_t steps_ = 0;
  bool reverse_ = false;
};

bool isStatic(const Module& module, const Instruction& scan) {
  for (InstructionId operand : scan.operands)
    if (module.shapeOf(operand).hasDynamicDimensions()) return false;
  return true;
}

}  // namespace

Result<bool> expandScans(Module& module) {
  bool changed = false;
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    std::vector<InstructionId> scans;
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::Scan && isStatic(module, module.at(id))) scans.push_back(id);
    if (scans.empty()) continue;
    Rewriter rewriter(module, "expand-scans");
    for (InstructionId scan : scans) ScanExpansion(rewriter, scan).run();
    TESSERA_TRY(rewriter.finish());
    changed = true;
  }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
