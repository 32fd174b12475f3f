// scatter: combines updates into copies of the operands at places that an index array gives. Variadic; window and
// batching dimensions. An update window that is not inside the operand is skipped as a whole.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_callee.h"
#include "core/ops/shared/scalar_function.h"
#include "core/ops/shared/scatter_targets.h"

namespace tessera {
namespace {

constexpr OperandDoc kScatterOperands[] = {
    {"operands", "N arrays of equal dimensions that are updated"},
    {"scatter_indices", "integer array: where the update windows start"},
    {"updates", "N arrays of equal dimensions: the windows"},
};

constexpr AttributeRow kScatterAttributes[] = {
    {Attr::update_window_dims, true, "", "dimensions of updates that run inside a window, ascending"},
    {Attr::inserted_window_dims, true, "", "dimensions of the operand in which a window has size 1 and no dimension"},
    {Attr::scatter_dims_to_operand_dims, true, "", "operand dimension of each component of a start index"},
    {Attr::input_batching_dims, false, "{}", "dimensions of the operand that run with those of the indices"},
    {Attr::scatter_indices_batching_dims, false, "{}", "dimensions of the indices that run with the operand's"},
    {Attr::index_vector_dim, true, "", "dimension of the indices that holds a start index; the rank: scalars"},
    {Attr::indices_are_sorted, false, "false", "promise: the start indices ascend"},
    {Attr::unique_indices, false, "false", "promise: no place is updated twice"},
    {Attr::to_apply, true, "", "computation (old values, updates) -> new values"},
};

constexpr Constraint kScatterConstraints[] = {
    {"C1", "Operands are N arrays of equal dimensions, one integer array, and N updates of equal dimensions."},
    {"C2", "index_vector_dim is a dimension of the indices or their rank."},
    {"C3", "update_window_dims ascend and are dimensions of the updates, each once."},
    {"C4",
     "inserted_window_dims, input_batching_dims and scatter_dims_to_operand_dims are dimensions of the operand; "
     "inserted, batching and window dimensions together are all of them."},
    {"C5", "The start index has as many components as scatter_dims_to_operand_dims."},
    {"C6", "Update windows are no larger than the operand."},
    {"C7", "The other dimensions of updates are the indices' without index_vector_dim, in order."},
    {"C8", "Batching dimensions come in pairs of equal size."},
    {"C9", "`to_apply` takes 2N scalars and gives N."},
};

Status checkArrays(const InferContext& context, size_t n) {
  const bool counted = context.operands.size() == 2 * n + 1 && n > 0;
  if (!counted)
    return context.violated("C1", "scatter takes N operands, indices and N updates",
                            "an odd number of operands, at least 3", std::to_string(context.operands.size()));
  if (!context.operand(n).isArray() || !isInteger(context.operand(n).type))
    return context.violated("C1", "the indices are no integer array", "integers", toString(context.operand(n), false));
  for (size_t i = 0; i < n; ++i) {
    const Shape &operand = context.operand(i), &updates = context.operand(n + 1 + i);
    if (!operand.isArray() || operand.dimensions != context.operand(0).dimensions || !updates.isArray() ||
        updates.dimensions != context.operand(n + 1).dimensions || !sameButPrecision(operand.type, updates.type))
      return context.violated("C1", fmt::format("operand and updates {} do not fit", i), toString(operand, false),
                              toString(updates, false));
  }
  return {};
}

Status checkScatterDims(const InferContext& context, const ScatterFacts& facts, const Shape& operand,
                        const Shape& indices, const Shape& updates) {
  if (facts.vectorDim < 0 || facts.vectorDim > indices.rank())
    return context.violated("C2", "index_vector_dim is out of range", fmt::format("0 … {}", indices.rank()),
                            std::to_string(facts.vectorDim));
  if (badDimension(facts.windowInUpdates, updates.rank()) ||
      !std::is_sorted(facts.windowInUpdates.begin(), facts.windowInUpdates.end()))
    return context.violated("C3", "update_window_dims do not fit the updates");
  IndexVector taken = facts.inserted;
  taken.insert(taken.end(), facts.operandBatch.begin(), facts.operandBatch.end());
  if (badDimension(taken, operand.rank()) || badDimension(facts.startDims, operand.rank()) ||
      facts.windowInOperand.size() != facts.windowInUpdates.size())
    return context.violated("C4", "window, inserted and batching dimensions do not make up the operand",
                            fmt::format("{} window dimensions", facts.windowInOperand.size()),
                            std::to_string(facts.windowInUpdates.size()));
  const bool scalars = facts.vectorDim == indices.rank();
  const int64_t components = scalars ? 1 : indices.dimensions[static_cast<size_t>(facts.vectorDim)];
  if (components != static_cast<int64_t>(facts.startDims.size()))
    return context.violated("C5", "start indices have another number of components",
                            std::to_string(facts.startDims.size()), std::to_string(components));
  return {};
}

Status checkWindowSizes(const InferContext& context, const ScatterFacts& facts, const Shape& operand,
                        const Shape& indices, const Shape& updates) {
  const IndexVector window = scatterWindow(facts, operand, updates);
  for (size_t d = 0; d < window.size(); ++d)
    if (window[d] > operand.dimensions[d] && containsDim(facts.windowInOperand, static_cast<int64_t>(d)))
      return context.violated("C6", fmt::format("the update window is too large in dimension {}", d),
                              fmt::format("at most {}", operand.dimensions[d]), std::to_string(window[d]));
  const IndexVector wanted = pickDims(indices.dimensions, otherDims(indices.rank(), {{facts.vectorDim}}));
  const IndexVector found = pickDims(updates.dimensions, facts.scatterInUpdates);
  if (wanted != found)
    return context.violated("C7", "the updates' scatter dimensions differ from the indices'",
                            fmt::format("{}", fmt::join(wanted, ",")), fmt::format("{}", fmt::join(found, ",")));
  const bool pairs = facts.operandBatch.size() == facts.indicesBatch.size() &&
                     !badDimension(facts.indicesBatch, indices.rank()) &&
                     !containsDim(facts.indicesBatch, facts.vectorDim);
  if (!pairs || pickDims(operand.dimensions, facts.operandBatch) != pickDims(indices.dimensions, facts.indicesBatch))
    return context.violated("C8", "the batching dimensions do not pair up");
  return {};
}

Result<Shape> inferScatter(const InferContext& context) {
  const size_t n = context.operands.size() / 2;
  TESSERA_TRY(checkArrays(context, n));
  const Shape &operand = context.operand(0), &indices = context.operand(n), &updates = context.operand(n + 1);
  const ScatterFacts facts = scatterFactsOf(*context.attributes, operand.rank(), updates.rank());
  TESSERA_TRY(checkScatterDims(context, facts, operand, indices, updates));
  TESSERA_TRY(checkWindowSizes(context, facts, operand, indices, updates));
  std::vector<ElementType> types;
  for (size_t i = 0; i < n; ++i) types.push_back(context.operand(i).type);
  TESSERA_TRY(reducerTypes(context, "C9", types));
  std::vector<Shape> shapes;
  for (size_t i = 0; i < n; ++i) shapes.push_back(withoutLayout(context.operand(i)));
  return arrayOrTuple(std::move(shapes));
}

void scatterLayout(const InferContext& context, Shape& result) {
  const auto& layout = context.operand(0).layout;
  if (!layout || !layout->isPlain()) return fillDefaultLayouts(result);
  if (!result.isTuple()) result.layout = layout;
  for (Shape& element : result.elements) element.layout = layout;
}

Result<Literal> evaluateScatter(const EvaluateContext& context) {
  const size_t n = context.operands.size() / 2;
  std::vector<Literal> outputs;
  std::vector<ElementType> results, parameters;
  for (const Shape& leaf : resultLeaves(context.shape)) {
    TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::fromBytes(leaf, context.operands[outputs.size()].bytes()));
    outputs.push_back(std::move(output));
    results.push_back(leaf.type);
  }
  parameters = results;
  for (size_t i = 0; i < n; ++i) parameters.push_back(context.operands[n + 1 + i].shape().type);
  if (context.operands[0].elementCount() == 0) return literalOrTuple(std::move(outputs));  // no window is inside
  ScalarFunction combine(context, 0, parameters, results);
  const Shape &operand = context.operands[0].shape(), &updates = context.operands[n + 1].shape();
  const ScatterFacts facts = scatterFactsOf(*context.instruction.attributes, operand.rank(), updates.rank());
  const IndexVector window = scatterWindow(facts, operand, updates), strides = rowMajorStrides(operand.dimensions);
  std::vector<ScalarValue> scalars(2 * n), next(n);
  Status status;
  int64_t at = 0;
  forEachIndex(updates.dimensions, [&](const IndexVector& update) {
    const int64_t from = at++;
    const auto target = scatterTargetOf(facts, context.operands[n], window, operand, update);
    if (!target) return true;
    const int64_t to = linearIndexOf(*target, strides);
    for (size_t i = 0; i < n; ++i) {
      scalars[i] = loadScalar(results[i], outputs[i].bytes().data() + to * byteWidth(results[i]));
      const Literal& source = context.operands[n + 1 + i];
      scalars[n + i] = loadScalar(source.shape().type, source.bytes().data() + from * byteWidth(source.shape().type));
    }
    status = combine.apply(scalars, next);
    if (!status) return false;
    for (size_t i = 0; i < n; ++i)
      storeScalar(results[i], outputs[i].mutableBytes().data() + to * byteWidth(results[i]), next[i]);
    return true;
  });
  TESSERA_TRY(status);
  return literalOrTuple(std::move(outputs));
}

// targetOf as nodes: indices that are in bounds in any case, and whether the update takes place.
struct TargetNodes {
  std::vector<NodeId> at;
  NodeId inside;
};

TargetNodes targetNodes(LoopContext& context, const ScatterFacts& facts, size_t indicesOperand,
                        std::span<const NodeId> update) {
  ElementBuilder& b = *context.builder;
  const Shape &operand = context.operandShape(0), &indices = context.operandShape(indicesOperand);
  const IndexVector window = scatterWindow(facts, operand, context.operandShape(indicesOperand + 1));
  std::vector<NodeId> scatter;
  for (int64_t d : facts.scatterInUpdates) scatter.push_back(update[static_cast<size_t>(d)]);
  std::vector<NodeId> at = scatter;
  const bool scalars = facts.vectorDim == indices.rank();
  if (!scalars) at.insert(at.begin() + facts.vectorDim, b.index(0));
  TargetNodes out{std::vector<NodeId>(operand.dimensions.size(), b.index(0)), b.constant(ElementType::Pred, 1)};
  for (size_t j = 0; j < facts.startDims.size(); ++j) {
    if (!scalars) at[static_cast<size_t>(facts.vectorDim)] = b.index(static_cast<int64_t>(j));
    const auto d = static_cast<size_t>(facts.startDims[j]);
    const int64_t last = operand.dimensions[d] - window[d];
    const NodeId start = convertTo(b, ElementType::S64, context.read(indicesOperand, at));
    out.inside = b.logicalAnd(out.inside, b.inRange(start, 0, last + 1));
    out.at[d] = b.clampIndex(start, 0, std::max<int64_t>(last, 0));
  }
  for (size_t i = 0; i < facts.operandBatch.size(); ++i)
    out.at[static_cast<size_t>(facts.operandBatch[i])] = scatter[scatterPlaceOf(facts, facts.indicesBatch[i])];
  for (size_t i = 0; i < facts.windowInOperand.size(); ++i) {
    NodeId& each = out.at[static_cast<size_t>(facts.windowInOperand[i])];
    each = b.add(each, update[static_cast<size_t>(facts.windowInUpdates[i])]);
  }
  return out;
}

Status scatterLoops(LoopContext& context) {
  const size_t n = context.instruction.operands.size() / 2;
  const Shape& updates = context.operandShape(n + 1);
  const std::vector<Shape> results = resultLeaves(context.shape());
  context.program.outputs = results;
  context.program.initialOperand.clear();
  for (size_t i = 0; i < n; ++i) context.program.initialOperand.push_back(static_cast<int64_t>(i));
  const bool nothing = context.operandShape(0).elementCount() == 0;  // no window is inside
  context.setIterationSpace(nothing ? std::vector<int64_t>(std::max<size_t>(updates.dimensions.size(), 1), 0)
                                    : updates.dimensions);
  const ScatterFacts facts = scatterFactsOf(context.attributes(), context.operandShape(0).rank(), updates.rank());
  const bool unique = context.attributes().boolOr(Attr::unique_indices, false);
  context.program.parallelDims = unique ? updates.rank() : 0;
  std::vector<NodeId> update;
  for (int64_t d = 0; d < updates.rank(); ++d) update.push_back(context.builder->outputIndex(d));
  const TargetNodes target = targetNodes(context, facts, n, update);
  std::vector<NodeId> scalars;
  for (size_t i = 0; i < n; ++i) scalars.push_back(context.readOutput(i, target.at));
  for (size_t i = 0; i < n; ++i)
    scalars.push_back(convertTo(*context.builder, results[i].type, context.read(n + 1 + i, update)));
  TESSERA_ASSIGN_OR_RETURN(const auto next, context.call(0, scalars));
  for (size_t i = 0; i < n; ++i) context.store(i, target.at, next[i], target.inside);
  return {};
}

// A window as large as the operand is all of it; the other dimensions of the updates are those of the indices.
DimensionRelations scatterDimensions(const InferContext& context) {
  const size_t n = context.operands.size() / 2;
  const Shape &operand = context.operand(0), &indices = context.operand(n), &updates = context.operand(n + 1);
  const ScatterFacts facts = scatterFactsOf(*context.attributes, operand.rank(), updates.rank());
  const auto at = [](size_t k, int64_t d) { return DimensionRef::operand(k, static_cast<size_t>(d)); };
  DimensionRelations out;
  for (size_t k = 0; k < n; ++k) {
    out.sameArray(DimensionRef::result(0, k), operand, at(k, 0), operand);
    if (k > 0) out.sameArray(at(k, 0), operand, at(0, 0), operand);
    if (k > 0) out.sameArray(at(n + 1 + k, 0), updates, at(n + 1, 0), updates);
    for (size_t i = 0; i < facts.operandBatch.size(); ++i)
      out.same(at(n, facts.indicesBatch[i]), at(k, facts.operandBatch[i]));
    for (size_t i = 0; i < facts.windowInUpdates.size(); ++i) {
      const int64_t from = facts.windowInOperand[i], to = facts.windowInUpdates[i];
      if (operand.dimensions[static_cast<size_t>(from)] == updates.dimensions[static_cast<size_t>(to)])
        out.same(at(n + 1 + k, to), at(k, from));
      else
        out.rows.push_back({at(n + 1 + k, to), DimensionRule::Part, at(k, from)});
    }
    int64_t next = 0;
    for (int64_t d : facts.scatterInUpdates) {
      next += next == facts.vectorDim;
      out.same(at(n + 1 + k, d), at(n, next++));
    }
  }
  if (facts.vectorDim < indices.rank())
    out.fixed(at(n, facts.vectorDim), "it holds one index for each dimension that is looked up");
  return out;
}

// The updates alone, and their places.
Cost scatterCost(const CostContext& context) {
  const size_t n = context.instruction.operands.size() / 2;
  Cost cost{0, 0, 2 * bytesOf(context.operand(n + 1)) + bytesOf(context.operand(n))};
  addWork(cost, context.callee(0), elementsOf(context.operand(n + 1)));
  return cost;
}

}  // namespace

const OpDef kScatter = {
    .opcode = Opcode::Scatter,
    .kind = ExecutionKind::Loops,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "Combines updates into places given by indices",
    .doc =
        "The result starts as the operand. For every start index, in row-major order, the window of updates that "
        "belongs to it is combined by `to_apply` into the result from that place on. Windows that do not lie inside "
        "the operand are skipped. Index vectors of size 0 start all windows at the origin, and all are combined. With "
        "N operands all are updated together; the result is a tuple.",
    .synonyms = "scatter_nd put",
    .title = "scatter {reducer}",
    .operands = kScatterOperands,
    .attributes = kScatterAttributes,
    .constraints = kScatterConstraints,
    .inferShape = inferScatter,
    .inferLayout = scatterLayout,
    .cost = scatterCost,
    .evaluate = evaluateScatter,
    .loops = scatterLoops,
    .dimensions = scatterDimensions,
};

}  // namespace tessera
