// dynamic-update-slice: the operand with a part replaced by the update at a place known only when running; starts are
// clamped so that the update is inside. As `loops` it stores only the update into the operand's buffer (in place
// when the old value is dead); as `element` it can fuse: each element asks whether it is in the part.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/start_indices.h"

namespace tessera {

namespace {

Result<Shape> inferDynamicUpdateSlice(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, -2));
  const Shape &operand = context.operand(0), &update = context.operand(1);
  if (!sameButPrecision(update.type, operand.type)) {
    return context.violated("C1", "the update must have the operand's element type", std::string(nameOf(operand.type)),
                            std::string(nameOf(update.type)));
  }
  if (update.rank() != operand.rank()) {
    return context.violated("C2", "the update must have the operand's rank", fmt::format("{}", operand.rank()),
                            fmt::format("{}", update.rank()));
  }
  for (size_t d = 0; d < update.dimensions.size(); ++d) {
    if (operand.dimensions[d] != Shape::kUnbounded && update.dimensions[d] > operand.dimensions[d]) {
      return context.violated("C3", fmt::format("dimension {} of the update is larger than the operand's", d),
                              fmt::format("at most {}", operand.dimensions[d]),
                              fmt::format("{}", update.dimensions[d]));
    }
  }
  TESSERA_TRY(checkStartOperands(context, {2, operand.rank()}));
  Shape shape = arrayOf(operand.type, operand.dimensions, operand.dynamic);
  return shape;
}

void dynamicUpdateSliceLayout(const InferContext& context, Shape& result) {
  InferContext source = context;
  source.operands.resize(1);
  followOperandLayout(source, result);
}

Result<Literal> evaluateDynamicUpdateSlice(const EvaluateContext& context) {
  const Literal &operand = context.operands[0], &update = context.operands[1];
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::fromBytes(context.shape, operand.bytes()));
  const auto& sizes = operand.shape().dimensions;
  const std::vector<int64_t> starts =
      clampedStarts(context, {2, operand.shape().rank()}, sizes, update.shape().dimensions);
  const std::vector<int64_t> strides = rowMajorStrides(sizes);
  const int64_t origin = linearIndexOf(starts, strides);
  const auto width = static_cast<size_t>(byteWidth(context.shape.type));
  forEachIndex(update.shape().dimensions, [&](std::span<const int64_t> index, int64_t linear) {
    copyElement(out.mutableBytes().data(), origin + linearIndexOf(index, strides), update.bytes().data(), linear,
                width);
    return true;
  });
  return out;
}

// Starts of the update; none for scalars, which have no index operands.
Result<std::vector<NodeId>> startNodes(ElementBuilder& builder, const ReadOperand& read, const Module& module,
                                       const Instruction& instruction) {
  const Shape &operand = module.shapeOf(instruction.operands[0]), &update = module.shapeOf(instruction.operands[1]);
  if (operand.rank() == 0) return std::vector<NodeId>();
  return clampedStartNodes(builder, read, module.shapeOf(instruction.operands[2]), {2, operand.rank()},
                           operand.dimensions, update.dimensions);
}

Status dynamicUpdateSliceElement(ElementContext& context) {
  ElementBuilder& b = context.builder;
  const ReadOperand read = [&](size_t i, std::span<const NodeId> at) { return context.read(i, at); };
  TESSERA_ASSIGN_OR_RETURN(std::vector<NodeId> at, startNodes(b, read, context.module, context.instruction));
  const auto& part = context.operandShape(1).dimensions;
  NodeId inside = b.constant(ElementType::Pred, 1);
  for (size_t d = 0; d < at.size(); ++d) {
    at[d] = b.subtract(context.indices[d], at[d]);
    inside = b.logicalAnd(inside, b.inRange(at[d], 0, part[d]));
  }
  TESSERA_ASSIGN_OR_RETURN(const NodeId old, context.read(0, context.indices));
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.readIf(inside, 1, at, old));
  context.results = {value};
  return {};
}

Status dynamicUpdateSliceLoops(LoopContext& context) {
  const auto& part = context.operandShape(1).dimensions;
  context.program.outputs = {context.shape()};
  context.program.initialOperand = {0};
  context.program.parallelDims = static_cast<int64_t>(part.size());
  context.setIterationSpace(part);
  ElementBuilder& b = *context.builder;
  const ReadOperand read = [&](size_t i, std::span<const NodeId> at) -> Result<NodeId> { return context.read(i, at); };
  TESSERA_ASSIGN_OR_RETURN(std::vector<NodeId> to, startNodes(b, read, context.module, context.instruction));
  std::vector<NodeId> from;
  for (size_t d = 0; d < to.size(); ++d) {
    from.push_back(b.outputIndex(static_cast<int64_t>(d)));
    to[d] = b.add(to[d], from[d]);
  }
  context.store(0, to, context.read(1, from));
  return {};
}

constexpr OperandDoc kDynamicUpdateSliceOperands[] = {
    {"operand", "The array to change."},
    {"update", "The part that replaces elements of the operand."},
    {"start_indices", "One integer scalar per dimension, or one vector of them."}};
constexpr Constraint kDynamicUpdateSliceConstraints[] = {
    {"C1", "The update has the element type of the operand (floats may differ in width)."},
    {"C2", "The update has the rank of the operand."},
    {"C3", "No dimension of the update is larger than the operand's."},
    kStartConstraints[0],
    kStartConstraints[1],
    kStartConstraints[2],
};

DimensionRelations dynamicUpdateSliceDimensions(const InferContext& context) {
  DimensionRelations out = relationsOfOperand(context);
  for (size_t d = 0; d < context.operand(1).dimensions.size(); ++d)
    out.rows.push_back({DimensionRef::operand(1, d), DimensionRule::Part, DimensionRef::operand(0, d)});
  if (context.operands.size() > 2 && context.operand(2).rank() == 1)
    out.fixed(DimensionRef::operand(2, 0), "it holds one start for each dimension");
  return out;
}

// Only the part: the rest stays where it is.
Cost dynamicUpdateSliceCost(const CostContext& context) {
  return {0, 0, 2 * bytesOf(context.operand(1)) + bytesOf(context.operand(2))};
}

}  // namespace

const OpDef kDynamicUpdateSlice = {
    .opcode = Opcode::DynamicUpdateSlice,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "Replace a part at a computed place",
    .doc =
        "The operand, but $r_{s + i} = u_i$ with $s = \\min(\\max(start, 0), size - part)$ in each dimension. When "
        "nobody else needs the operand, only the part is written.",
    .operands = kDynamicUpdateSliceOperands,
    .attributes = {},
    .constraints = kDynamicUpdateSliceConstraints,
    .inferShape = inferDynamicUpdateSlice,
    .inferLayout = dynamicUpdateSliceLayout,
    .cost = dynamicUpdateSliceCost,
    .evaluate = evaluateDynamicUpdateSlice,
    .element = dynamicUpdateSliceElement,
    .loops = dynamicUpdateSliceLoops,
    .dimensions = dynamicUpdateSliceDimensions,
};

}  // namespace tessera
