// select-and-scatter: the gradient of pooling. Each window position selects one element of the operand; the source
// element of that position is combined into the result at the selected place.
// `element` goes the other way: a result element asks every window that covers it whether it was the one selected.
// That costs a window scan per covering window, but needs no stores in shared places and fuses like any other op.
#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_callee.h"
#include "core/ops/shared/scalar_function.h"
#include "core/ops/shared/window_math.h"

namespace tessera {
namespace {

constexpr OperandDoc kSelectAndScatterOperands[] = {
    {"operand", "array that is selected from"},
    {"source", "array with one element per window position"},
    {"init_value", "scalar that the result is filled with first"},
};

constexpr AttributeRow kSelectAndScatterAttributes[] = {
    {Attr::window, false, "", "size, stride and padding per dimension; scalars need none"},
    {Attr::select, true, "", "computation (selected, candidate) -> pred; true keeps the selected"},
    {Attr::scatter, true, "", "computation (accumulator, source element) -> accumulator"},
};

constexpr Constraint kSelectAndScatterConstraints[] = {
    {"C1", "Operand and source are arrays of one element type and rank; the initial value is a scalar of it."},
    {"C2", "`window` has one dimension per dimension of the operand."},
    {"C3", "Sizes and strides of the window are positive, dilations are 1."},
    {"C4", "The source has one element per window position."},
    {"C5", "`select` takes two scalars of the operand's type and gives a pred."},
    {"C6", "`scatter` takes two scalars of the source's type and gives one."},
};

constexpr size_t kSelect = 0, kScatter = 1;

bool takesTwo(const ProgramShape& program, ElementType type) {
  return program.parameters.size() == 2 && program.parameters[0].isScalar() && program.parameters[1].isScalar() &&
         sameButPrecision(program.parameters[0].type, type) && sameButPrecision(program.parameters[1].type, type) &&
         program.result.isScalar();
}

Status checkWindowOf(const InferContext& context, const Window& window) {
  const Shape &operand = context.operand(0), &source = context.operand(1);
  if (window.dimensions.size() != operand.dimensions.size())
    return context.violated("C2", "the window has another number of dimensions", std::to_string(operand.rank()),
                            std::to_string(window.dimensions.size()));
  TESSERA_TRY(checkWindow(context, window, "C3"));
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    if (window.dimensions[d].windowDilation != 1 || window.dimensions[d].baseDilation != 1)
      return context.violated("C3", fmt::format("the window is dilated in dimension {}", d), "no dilation");
    const auto positions = windowPositions(window.dimensions[d], operand.dimensions[d]);
    if (!positions || *positions != source.dimensions[d])
      return context.violated("C4", fmt::format("the source does not fit the window in dimension {}", d),
                              std::to_string(positions.value_or(-1)), std::to_string(source.dimensions[d]));
  }
  return {};
}

Result<Shape> inferSelectAndScatter(const InferContext& context) {
  if (context.operands.size() != 3)
    return context.violated("C1", "select-and-scatter takes operand, source and initial value", "3 operands",
                            std::to_string(context.operands.size()));
  const Shape &operand = context.operand(0), &source = context.operand(1), &init = context.operand(2);
  if (!operand.isArray() || !source.isArray() || operand.rank() != source.rank() ||
      !sameButPrecision(operand.type, source.type) || !init.isScalar() || !sameButPrecision(init.type, operand.type))
    return context.violated("C1", "the operands do not fit each other", toString(operand, false),
                            toString(source, false) + " and " + toString(init, false));
  TESSERA_TRY(checkWindowOf(context, windowOr(*context.attributes, 0)));
  if (context.computations.size() < 2 || !takesTwo(context.computations[kSelect], operand.type) ||
      context.computations[kSelect].result.type != ElementType::Pred)
    return context.violated("C5", "the select computation does not fit the operand");
  if (!takesTwo(context.computations[kScatter], source.type) ||
      !sameButPrecision(context.computations[kScatter].result.type, source.type))
    return context.violated("C6", "the scatter computation does not fit the source");
  return Shape::array(operand.type, operand.dimensions);
}

void selectAndScatterLayout(const InferContext& context, Shape& result) {
  if (context.operand(0).layout && context.operand(0).layout->isPlain())
    result.layout = context.operand(0).layout;
  else
    fillDefaultLayouts(result);
}

// Offset of the element that one window position selects; nullopt when the window holds none.
Result<std::optional<int64_t>> selectedOffset(const EvaluateContext& context, ScalarFunction& select,
                                              const Window& window, std::span<const int64_t> strides,
                                              const IndexVector& position) {
  const Literal& operand = context.operands[0];
  const Shape& shape = operand.shape();
  std::optional<int64_t> selected;
  ScalarValue arguments[2], keep;
  Status status;
  uint32_t steps = 0;
  forEachIndex(windowSizes(window), [&](const IndexVector& inWindow) {
    if (++steps % 65536 == 0 && context.cancelled && context.cancelled()) status = failCancelled();
    int64_t offset = 0;
    for (size_t d = 0; d < position.size(); ++d) {
      const auto source = windowSource(window.dimensions[d], shape.dimensions[d], position[d], inWindow[d]);
      if (!source || !status) return status.has_value();
      offset += *source * strides[d];
    }
    arguments[1] = loadScalar(shape.type, operand.bytes().data() + offset * byteWidth(shape.type));
    keep.bits = 0;
    if (selected) status = select.apply(arguments, std::span(&keep, 1));
    if (keep.bits) return true;
    selected = offset;
    arguments[0] = arguments[1];
    return status.has_value();
  });
  TESSERA_TRY(status);
  return selected;
}

Result<Literal> evaluateSelectAndScatter(const EvaluateContext& context) {
  const Literal &operand = context.operands[0], &source = context.operands[1], &init = context.operands[2];
  const ElementType type = context.shape.type;
  const auto width = static_cast<size_t>(byteWidth(type));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  std::byte* data = out.mutableBytes().data();
  const ScalarValue fill = loadScalar(init.shape().type, init.bytes().data());
  std::vector<ScalarValue> sums(static_cast<size_t>(out.elementCount()), fill);
  const ElementType sourceType = source.shape().type;
  ScalarFunction select(context, kSelect, {operand.shape().type, operand.shape().type}, {ElementType::Pred});
  ScalarFunction scatter(context, kScatter, {type, sourceType}, {type});
  const Window window = windowOr(*context.instruction.attributes, operand.shape().dimensions.size());
  const IndexVector strides = rowMajorStrides(operand.shape().dimensions);
  Status status;
  size_t at = 0;
  forEachIndex(source.shape().dimensions, [&](const IndexVector& position) {
    const ScalarValue value =
        loadScalar(sourceType, source.bytes().data() + at++ * static_cast<size_t>(byteWidth(sourceType)));
    const auto selected = selectedOffset(context, select, window, strides, position);
    if (!selected) status = std::unexpected(selected.error());
    if (!selected || !*selected) return selected.has_value();
    ScalarValue& sum = sums[static_cast<size_t>(**selected)];
    const ScalarValue arguments[] = {sum, value};
    status = scatter.apply(arguments, std::span(&sum, 1));
    return status.has_value();
  });
  TESSERA_TRY(status);
  for (size_t i = 0; i < sums.size(); ++i) storeScalar(type, data + i * width, sums[i]);
  return out;
}

// Row-major position inside the window.
NodeId inWindowPosition(ElementBuilder& builder, const Window& window, std::span<const NodeId> index) {
  NodeId out = builder.index(0);
  for (size_t d = 0; d < index.size(); ++d)
    out = builder.add(builder.multiply(out, builder.index(window.dimensions[d].size)), index[d]);
  return out;
}

// The row-major position in the window that the window at `position` selects; -1 when it holds no element.
Result<NodeId> selectedInWindow(ElementContext& context, const Window& window, std::span<const NodeId> position) {
  ElementBuilder& b = context.builder;
  const Shape& operand = context.operandShape(0);
  const NodeId nothing = b.zero(operand.type), none = b.index(-1);
  const auto body = [&](std::span<const NodeId> loop, std::span<const NodeId> best) -> Result<std::vector<NodeId>> {
    const auto at = windowRead(b, window, operand.dimensions, position, loop);
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.readIf(at.present, 0, at.indices, nothing));
    const NodeId scalars[] = {best[0], value};
    TESSERA_ASSIGN_OR_RETURN(const auto keep, context.call(kSelect, scalars));
    const NodeId first = b.compare(CompareDirection::Eq, best[1], none);
    const NodeId better = b.binary(NodeOp::Or, first, b.unary(NodeOp::Not, keep[0]));
    const NodeId take = b.logicalAnd(at.present, better);
    return std::vector<NodeId>{b.select(take, value, best[0]),
                               b.select(take, inWindowPosition(b, window, loop), best[1])};
  };
  TESSERA_ASSIGN_OR_RETURN(const auto best, b.loop(windowSizes(window), {nothing, none}, body, false));
  return best[1];
}

// A window position that may cover the result element: the `step`-th of those that can.
struct Covering {
  std::vector<NodeId> position, inWindow;
  NodeId covers;
};

Covering coveringWindow(ElementContext& context, const Window& window, const std::vector<int64_t>& counts,
                        std::span<const NodeId> step) {
  ElementBuilder& b = context.builder;
  const auto& sizes = context.operandShape(1).dimensions;
  Covering out{{}, {}, b.constant(ElementType::Pred, 1)};
  for (size_t d = 0; d < sizes.size(); ++d) {
    const WindowDimension& each = window.dimensions[d];
    const NodeId padded = b.add(context.indices[d], b.index(each.paddingLow));
    NodeId position = b.add(b.divide(padded, b.index(each.stride)), b.subtract(step[d], b.index(counts[d] - 1)));
    const NodeId inWindow = b.subtract(padded, b.multiply(position, b.index(each.stride)));
    out.covers = b.logicalAnd(out.covers, b.inRange(position, 0, sizes[d]));
    out.covers = b.logicalAnd(out.covers, b.inRange(inWindow, 0, each.size));
    out.position.push_back(position);
    out.inWindow.push_back(inWindow);
  }
  return out;
}

Status selectAndScatterElement(ElementContext& context) {
  ElementBuilder& b = context.builder;
  const size_t rank = context.operandShape(0).dimensions.size();
  const Window window = windowOr(context.attributes(), rank);
  const ElementType type = context.shape().type;
  std::vector<int64_t> counts;
  for (const WindowDimension& each : window.dimensions) counts.push_back((each.size + each.stride - 1) / each.stride);
  TESSERA_ASSIGN_OR_RETURN(NodeId init, context.read(2, {}));
  const NodeId nothing = b.zero(context.operandShape(1).type);
  const auto body = [&](std::span<const NodeId> step, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    const Covering covering = coveringWindow(context, window, counts, step);
    TESSERA_ASSIGN_OR_RETURN(const NodeId selected, selectedInWindow(context, window, covering.position));
    const NodeId mine = inWindowPosition(b, window, covering.inWindow);
    const NodeId hit = b.logicalAnd(covering.covers, b.compare(CompareDirection::Eq, selected, mine));
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.readIf(hit, 1, covering.position, nothing));
    const NodeId scalars[] = {sums[0], convertTo(b, type, value)};
    TESSERA_ASSIGN_OR_RETURN(const auto next, context.call(kScatter, scalars));
    return std::vector<NodeId>{b.select(hit, next[0], sums[0])};
  };
  init = convertTo(b, type, init);
  const bool single = productOf(counts) == 1;  // windows do not overlap: no loop
  const std::vector<NodeId> zeros(rank, b.index(0));
  TESSERA_ASSIGN_OR_RETURN(context.results,
                           single ? body(zeros, std::span(&init, 1)) : b.loop(counts, {init}, body, false));
  return {};
}

DimensionRelations selectAndScatterDimensions(const InferContext& context) {
  DimensionRelations out = relationsOfOperand(context);
  for (DimensionRelation& row : out.rows) row.aligned = false;
  const Window window = windowOr(*context.attributes, context.operand(0).dimensions.size());
  for (size_t d = 0; d < window.dimensions.size(); ++d)
    out.windowed(DimensionRef::operand(1, d), DimensionRef::operand(0, d), window.dimensions[d]);
  return out;
}

Cost selectAndScatterCost(const CostContext& context) {
  const double source = elementsOf(context.operand(1));
  Cost cost = appliedCost(context, 0, source * (windowElements(context) - 1));
  addWork(cost, context.callee(1), source);
  return cost;
}

}  // namespace

const OpDef kSelectAndScatter = {
    .opcode = Opcode::SelectAndScatter,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Reduction},
    .summary = "Scatters source elements to what windows select",
    .doc =
        "A window slides over the operand; `select` finds one element in each position (the first, replaced by each "
        "candidate in row-major order for which it gives false, so of equal ones GE keeps the first). The result "
        "starts as the initial value; the source element of each position is combined by `scatter` into the result at "
        "the selected place. Elements that several windows select take in several source elements.",
    .operands = kSelectAndScatterOperands,
    .attributes = kSelectAndScatterAttributes,
    .constraints = kSelectAndScatterConstraints,
    .inferShape = inferSelectAndScatter,
    .inferLayout = selectAndScatterLayout,
    .cost = selectAndScatterCost,
    .evaluate = evaluateSelectAndScatter,
    .element = selectAndScatterElement,
    .dimensions = selectAndScatterDimensions,
};

}  // namespace tessera
