// Control flow and signatures of the padding pass: sizes go into loops and branches, and come out of them, as further
// elements of the tuples that are handed over. What happens to single operations is in dynamic_rules.cpp.
#include "core/passes/dynamic/dynamic_padding.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ops/inference/callee_index.h"
#include "core/passes/control/flatten_control.h"
#include "core/passes/dynamic/dynamic_rules.h"

namespace tessera {
namespace {

bool isDynamic(const Shape& shape) {
  return shape.hasDynamicDimensions() || std::ranges::any_of(shape.elements, isDynamic);
}

bool needsPadding(const Module& module) {
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& each = module.at(id);
      const bool asks = each.opcode == Opcode::GetDimensionSize || each.opcode == Opcode::SetDimensionSize ||
                        each.opcode == Opcode::DynamicReshape;
      if (asks || isDynamic(*each.shape)) return true;
    }
  return false;
}

// A dimension of a leaf whose size is handed over.
struct SizedDimension {
  size_t leaf, dimension;
  bool operator==(const SizedDimension&) const = default;
};
using SizedDimensions = std::vector<SizedDimension>;

void addDimension(SizedDimensions& sized, SizedDimension one) {
  if (std::ranges::find(sized, one) == sized.end()) sized.push_back(one);
}

SizedDimensions declaredDimensions(const Shape& shape) {
  SizedDimensions out;
  const std::vector<ShapeLeaf> leaves = leavesOf(shape);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    for (int64_t d = 0; d < leaves[leaf].shape->rank(); ++d)
      if (leaves[leaf].shape->isDynamicDimension(d)) out.push_back({leaf, static_cast<size_t>(d)});
  return out;
}

void addSizedDimensions(SizedDimensions& sized, const LeafSizes& leaves) {
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    for (size_t d = 0; d < leaves[leaf].size(); ++d)
      if (leaves[leaf][d].valid()) addDimension(sized, {leaf, d});
}

const Shape& scalarSize() {
  static const Shape shape = Shape::arrayRowMajor(ElementType::S32, {});
  return shape;
}

// The shape with the sizes of `sized` behind it: behind the elements of a tuple, or in a tuple with an array.
Shape extended(const Shape& shape, const SizedDimensions& sized) {
  Shape whole = staticShape(shape);
  std::vector<Shape> elements = whole.isTuple() ? whole.elements : std::vector<Shape>{whole};
  elements.insert(elements.end(), sized.size(), scalarSize());
  return Shape::tuple(std::move(elements));
}

class Padder {
 public:
  explicit Padder(Module& module) : module_(module), rewriter_(module, "pad-dynamic-dimensions") {}
  Result<bool> run();

 private:
  Status padComputation(ComputationId id);
  Status padInstruction(InstructionId id);
  Status padWhile(InstructionId id);
  Status padConditional(InstructionId id);
  InstructionId element(InstructionId tuple, size_t index);
  InstructionId extend(InstructionId value, const SizedDimensions& sized);
  InstructionId original(InstructionId extendedValue, const Shape& shape, const SizedDimensions& sized);
  void extendParameter(ComputationId computation, const SizedDimensions& sized);
  void extendRoot(ComputationId computation, const SizedDimensions& sized);
  void addEntryParameters();
  InstructionId addParameter(ComputationId computation, int32_t number, const Shape& shape, std::string_view name,
                             InstructionId like);
  InstructionId rootOf(ComputationId id) { return rewriter_.resolve(module_.at(id).root); }

  Module& module_;
  Rewriter rewriter_;
  DynamicSizes sizes_;
};

InstructionId Padder::element(InstructionId tuple, size_t index) {
  AttributeSet attributes;
  attributes.set(Attr::index, static_cast<int64_t>(index));
  return StaticBuilder(rewriter_, tuple)
      .make(Opcode::GetTupleElement, Shape(module_.shapeOf(tuple).elements[index]), {tuple}, std::move(attributes));
}

// The value and its sizes as one tuple.
InstructionId Padder::extend(InstructionId value, const SizedDimensions& sized) {
  const Shape shape = module_.shapeOf(value);
  StaticBuilder build(rewriter_, value);
  std::vector<InstructionId> elements;
  if (!shape.isTuple()) elements.push_back(value);
  for (size_t i = 0; shape.isTuple() && i < shape.elements.size(); ++i) elements.push_back(element(value, i));
  const std::vector<ShapeLeaf> leaves = leavesOf(shape);
  for (const SizedDimension& one : sized)
    elements.push_back(
        build.sizeOr(sizes_.of(value, one.leaf), one.dimension, leaves[one.leaf].shape->dimensions[one.dimension]));
  return build.make(Opcode::Tuple, extended(shape, sized), elements);
}

// What the tuple was before it was extended, with its sizes known.
InstructionId Padder::original(InstructionId extendedValue, const Shape& shape, const SizedDimensions& sized) {
  StaticBuilder build(rewriter_, extendedValue);
  const Shape whole = staticShape(shape);
  const size_t count = whole.isTuple() ? whole.elements.size() : 1;
  std::vector<InstructionId> elements;
  for (size_t i = 0; i < count; ++i) elements.push_back(element(extendedValue, i));
  const InstructionId out = whole.isTuple() ? build.make(Opcode::Tuple, whole, elements) : elements[0];
  const std::vector<ShapeLeaf> leaves = leavesOf(whole);
  LeafSizes sizes(leaves.size());
  for (size_t i = 0; i < sized.size(); ++i) {
    DimensionSizes& leaf = sizes[sized[i].leaf];
    leaf.resize(leaves[sized[i].leaf].shape->dimensions.size());
    leaf[sized[i].dimension] = element(extendedValue, count + i);
  }
  sizes_.set(out, std::move(sizes));
  return out;
}

InstructionId Padder::addParameter(ComputationId computation, int32_t number, const Shape& shape, std::string_view name,
                                   InstructionId like) {
  Instruction parameter;
  const std::string unique = fmt::format("{}.t{}", name, module_.instructionSlots());
  parameter.name = unique;
  parameter.opcode = Opcode::Parameter;
  parameter.parameterNumber = number;
  parameter.provenance = module_.at(like).provenance;
  rewriter_.touch(computation);
  return module_.add(computation, std::move(parameter), shape);
}

// The only parameter of a loop's or branch's computation takes the extended tuple.
void Padder::extendParameter(ComputationId computation, const SizedDimensions& sized) {
  if (sized.empty() || module_.at(computation).parameters.empty()) return;
  const InstructionId old = module_.at(computation).parameters[0];
  const Shape shape = module_.shapeOf(old);
  const InstructionId fresh = addParameter(computation, 0, extended(shape, sized), module_.at(old).name, old);
  rewriter_.replace(old, original(fresh, shape, sized));
}

void Padder::extendRoot(ComputationId computation, const SizedDimensions& sized) {
  if (!sized.empty()) module_.setRoot(computation, extend(rootOf(computation), sized));
}

Status Padder::padWhile(InstructionId id) {
  const Instruction loop = module_.at(id);
  const ComputationId condition = *loop.attributes->get<ComputationId>(Attr::condition),
                      body = *loop.attributes->get<ComputationId>(Attr::body);
  const InstructionId init = rewriter_.resolve(loop.operands[0]);
  SizedDimensions sized = declaredDimensions(*loop.shape);
  addSizedDimensions(sized, sizes_.leaves(init));
  for (ComputationId each : {condition, body}) {
    extendParameter(each, sized);
    TESSERA_TRY(padComputation(each));
  }
  extendRoot(body, sized);
  if (sized.empty()) {
    const InstructionId operands[] = {init};
    module_.setOperands(id, operands);
    return {};
  }
  StaticBuilder build(rewriter_, id);
  const InstructionId fresh =
      build.make(Opcode::While, extended(*loop.shape, sized), {extend(init, sized)}, *loop.attributes);
  rewriter_.replace(id, original(fresh, *loop.shape, sized));
  return {};
}

Status Padder::padConditional(InstructionId id) {
  const Instruction choice = module_.at(id);
  const std::vector<ComputationId> branches = branchesOf(*choice.attributes);
  std::vector<InstructionId> operands;
  for (InstructionId operand : choice.operands) operands.push_back(rewriter_.resolve(operand));
  SizedDimensions results = declaredDimensions(*choice.shape);
  for (size_t i = 0; i < branches.size(); ++i) {
    InstructionId& argument = operands[i + 1];
    SizedDimensions sized = declaredDimensions(module_.shapeOf(module_.at(branches[i]).parameters[0]));
    addSizedDimensions(sized, sizes_.leaves(argument));
    if (!sized.empty()) argument = extend(argument, sized);
    extendParameter(branches[i], sized);
    TESSERA_TRY(padComputation(branches[i]));
    addSizedDimensions(results, sizes_.leaves(rootOf(branches[i])));
  }
  for (ComputationId branch : branches) extendRoot(branch, results);
  StaticBuilder build(rewriter_, id);
  const Shape shape = results.empty() ? staticShape(*choice.shape) : extended(*choice.shape, results);
  const InstructionId fresh = build.make(Opcode::Conditional, shape, operands, *choice.attributes);
  rewriter_.replace(id, results.empty() ? fresh : original(fresh, *choice.shape, results));
  return {};
}

Status Padder::padInstruction(InstructionId id) {
  const Instruction& instruction = module_.at(id);
  if (isUnbounded(*instruction.shape)) {
    return fail(
        placedAt(instruction, {.kind = ErrorKind::Unsupported,
                               .message = fmt::format("{} has a dimension without a bound", instruction.name)}));
  }
  if (instruction.opcode == Opcode::While) return padWhile(id);
  if (instruction.opcode == Opcode::Conditional) return padConditional(id);
  if (instruction.opcode != Opcode::Parameter) return makeStatic(rewriter_, sizes_, id);
  if (isDynamic(*instruction.shape)) module_.setShape(id, staticShape(*instruction.shape));
  return {};
}

Status Padder::padComputation(ComputationId id) {
  for (InstructionId each : std::vector<InstructionId>(module_.at(id).instructions))
    if (rewriter_.resolve(each) == each) TESSERA_TRY(padInstruction(each));
  return {};
}

void Padder::addEntryParameters() {
  const ComputationId entry = module_.entry();
  const std::vector<InstructionId> parameters = module_.at(entry).parameters;
  auto number = static_cast<int32_t>(parameters.size());
  for (InstructionId parameter : parameters) {
    const Shape shape = module_.shapeOf(parameter);
    LeafSizes sizes(leavesOf(shape).size());
    for (const SizedDimension& one : declaredDimensions(shape)) {
      DimensionSizes& leaf = sizes[one.leaf];
      leaf.resize(leavesOf(shape)[one.leaf].shape->dimensions.size());
      leaf[one.dimension] =
          addParameter(entry, number++, scalarSize(), fmt::format("{}.size", module_.at(parameter).name), parameter);
    }
    sizes_.set(parameter, std::move(sizes));
  }
}

Result<bool> Padder::run() {
  const ComputationId entry = module_.entry();
  const Shape result = module_.shapeOf(module_.at(entry).root);
  addEntryParameters();
  TESSERA_TRY(padComputation(entry));
  const SizedDimensions sized = declaredDimensions(result);
  extendRoot(entry, sized);
  if (!sized.empty() && !result.isTuple()) {
    ModuleConfig config = module_.config();
    config.inputOutputAlias.clear();  // the result has moved into a tuple
    module_.setConfig(std::move(config));
  }
  TESSERA_TRY(rewriter_.finish());
  TESSERA_TRY(restoreComputationOrder(module_));
  return true;
}

}  // namespace

Result<bool> padDynamicDimensions(Module& module) {
  if (!needsPadding(module)) return false;
  TESSERA_TRY(flattenControl(module));
  return Padder(module).run();
}

}  // namespace tessera
