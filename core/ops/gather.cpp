// gather: collects slices of the operand. start_indices is an array of index vectors (along index_vector_dim); each
// names, through start_index_map, where a slice of slice_sizes starts, clamped so that it is inside. The result has
// the batch dimensions of start_indices and, at offset_dims, the slices' own dimensions without the collapsed and the
// batching ones.
#include <algorithm>

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

using Ints = std::vector<int64_t>;

bool contains(const Ints& values, int64_t value) { return std::ranges::find(values, value) != values.end(); }

// Increasing, distinct and within [0, rank).
bool isDimensionList(const Ints& dims, int64_t rank) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= rank || (i > 0 && dims[i] <= dims[i - 1])) return false;
  }
  return true;
}
bool isDistinctIn(const Ints& dims, int64_t rank) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= rank || std::count(dims.begin(), dims.end(), dims[i]) > 1) return false;
  }
  return true;
}

// The attributes and what follows from them: where each dimension of the result and of the operand comes from.
struct GatherDims {
  const Ints &offset, &collapsed, &startMap, &operandBatching, &startsBatching;
  int64_t indexVector;
  Ints sliceSizes;

  explicit GatherDims(const AttributeSet& attributes)
      : offset(attributes.ints(Attr::offset_dims)),
        collapsed(attributes.ints(Attr::collapsed_slice_dims)),
        startMap(attributes.ints(Attr::start_index_map)),
        operandBatching(attributes.ints(Attr::operand_batching_dims)),
        startsBatching(attributes.ints(Attr::start_indices_batching_dims)),
        indexVector(attributes.intOr(Attr::index_vector_dim, -1)),
        sliceSizes(attributes.ints(Attr::slice_sizes)) {}

  bool hidden(int64_t operandDim) const {
    return contains(collapsed, operandDim) || contains(operandBatching, operandDim);
  }
  // A collapsed or batching dimension of slice size 0: there is nothing to read, though the result has elements.
  bool readsNothing() const { return contains(sliceSizes, 0); }
  // Operand dimensions whose slice dimension is in the result, in order.
  Ints visible(int64_t operandRank) const {
    Ints dims;
    for (int64_t d = 0; d < operandRank; ++d) {
      if (!hidden(d)) dims.push_back(d);
    }
    return dims;
  }
  // Result dimensions that come from start_indices, in order.
  Ints batch(int64_t resultRank) const {
    Ints dims;
    for (int64_t d = 0; d < resultRank; ++d) {
      if (!contains(offset, d)) dims.push_back(d);
    }
    return dims;
  }
  // Place among the batch dimensions of a dimension of start_indices.
  size_t batchPlace(int64_t startsDim) const { return static_cast<size_t>(startsDim - (startsDim > indexVector)); }
};

int64_t vectorLength(const Shape& starts, int64_t indexVector) {
  return indexVector == starts.rank() ? 1 : starts.dimensions[static_cast<size_t>(indexVector)];
}

Status checkIndices(const InferContext& context, const GatherDims& dims) {
  const Shape &operand = context.operand(0), &starts = context.operand(1);
  if (!isInteger(starts.type)) {
    return context.violated("C1", "start_indices of gather must be integers", "an integer type",
                            std::string(nameOf(starts.type)));
  }
  if (dims.indexVector < 0 || dims.indexVector > starts.rank()) {
    return context.violated("C2", "index_vector_dim must be a dimension of start_indices or its rank",
                            fmt::format("0 to {}", starts.rank()), fmt::format("{}", dims.indexVector));
  }
  const int64_t length = vectorLength(starts, dims.indexVector);
  if (static_cast<int64_t>(dims.startMap.size()) != length || !isDistinctIn(dims.startMap, operand.rank())) {
    return context.violated("C3", "start_index_map must name one operand dimension for each index component",
                            fmt::format("{} distinct dimensions below {}", length, operand.rank()),
                            listOf(dims.startMap));
  }
  return {};
}

Status checkBatching(const InferContext& context, const GatherDims& dims) {
  const Shape &operand = context.operand(0), &starts = context.operand(1);
  const bool lists =
      isDimensionList(dims.operandBatching, operand.rank()) && isDistinctIn(dims.startsBatching, starts.rank()) &&
      dims.operandBatching.size() == dims.startsBatching.size() && !contains(dims.startsBatching, dims.indexVector);
  if (!lists) {
    return context.violated("C4", "operand_batching_dims and start_indices_batching_dims must pair up dimensions", {},
                            listOf(dims.operandBatching) + " and " + listOf(dims.startsBatching));
  }
  for (size_t i = 0; i < dims.operandBatching.size(); ++i) {
    const int64_t own = operand.dimensions[static_cast<size_t>(dims.operandBatching[i])];
    const int64_t other = starts.dimensions[static_cast<size_t>(dims.startsBatching[i])];
    if (own != other || contains(dims.startMap, dims.operandBatching[i])) {
      return context.violated("C5", "batching dimensions must be equal in size and not in start_index_map",
                              fmt::format("{}", own), fmt::format("{}", other));
    }
  }
  return {};
}

Status checkSlices(const InferContext& context, const GatherDims& dims) {
  const Shape& operand = context.operand(0);
  if (static_cast<int64_t>(dims.sliceSizes.size()) != operand.rank()) {
    return context.violated("C6", "slice_sizes needs one size for each dimension of the operand",
                            fmt::format("{} sizes", operand.rank()), listOf(dims.sliceSizes));
  }
  if (!isDimensionList(dims.collapsed, operand.rank()) ||
      std::ranges::any_of(dims.collapsed, [&](int64_t d) { return contains(dims.operandBatching, d); })) {
    return context.violated("C7", "collapsed_slice_dims must be increasing operand dimensions that are not batching",
                            {}, listOf(dims.collapsed));
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const int64_t size = dims.sliceSizes[static_cast<size_t>(d)], limit = operand.dimensions[static_cast<size_t>(d)];
    if (size < 0 || (limit != Shape::kUnbounded && size > limit)) {
      return context.violated("C8", fmt::format("slice size of operand dimension {} does not fit", d),
                              fmt::format("0 to {}", limit), fmt::format("{}", size));
    }
    if (dims.hidden(d) && size > 1) {
      return context.violated("C9",
                              fmt::format("operand dimension {} is collapsed or batching; its slice size must be 1", d),
                              "1", fmt::format("{}", size));
    }
  }
  return {};
}

Result<Shape> inferGather(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 2));
  const GatherDims dims(*context.attributes);
  TESSERA_TRY(checkIndices(context, dims));
  TESSERA_TRY(checkBatching(context, dims));
  TESSERA_TRY(checkSlices(context, dims));
  const Shape &operand = context.operand(0), &starts = context.operand(1);
  const Ints visible = dims.visible(operand.rank());
  const int64_t batchRank = starts.rank() - (dims.indexVector < starts.rank());
  const int64_t rank = batchRank + static_cast<int64_t>(visible.size());
  if (dims.offset.size() != visible.size() || !isDimensionList(dims.offset, rank)) {
    return context.violated("C10", "offset_dims must name one result dimension for each slice dimension that remains",
                            fmt::format("{} increasing dimensions below {}", visible.size(), rank),
                            listOf(dims.offset));
  }
  Shape out = Shape::array(operand.type, {});
  size_t nextOffset = 0;
  int64_t nextStarts = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (contains(dims.offset, d)) {
      const int64_t from = visible[nextOffset++];
      out.dimensions.push_back(dims.sliceSizes[static_cast<size_t>(from)]);
    } else {
      nextStarts += nextStarts == dims.indexVector;
      out.dimensions.push_back(starts.dimensions[static_cast<size_t>(nextStarts++)]);
    }
  }
  return out;
}

// Index into start_indices of component c for the batch position in `index`; Int is int64_t or NodeId.
template <class Int, class MakeInt>
std::vector<Int> startsIndex(const GatherDims& dims, const Ints& batch, std::span<const Int> index, int64_t startsRank,
                             size_t component, const MakeInt& make) {
  std::vector<Int> at;
  for (int64_t d = 0; d < startsRank; ++d) {
    at.push_back(d == dims.indexVector ? make(static_cast<int64_t>(component))
                                       : index[static_cast<size_t>(batch[dims.batchPlace(d)])]);
  }
  return at;
}

Result<Literal> evaluateGather(const EvaluateContext& context) {
  const Literal &operand = context.operands[0], &starts = context.operands[1];
  const GatherDims dims(*context.instruction.attributes);
  if (dims.readsNothing()) return Literal::zeros(context.shape);
  const auto& sizes = operand.shape().dimensions;
  const Ints batch = dims.batch(context.shape.rank()), visible = dims.visible(operand.shape().rank());
  const Ints strides = rowMajorStrides(sizes), startStrides = rowMajorStrides(starts.shape().dimensions);
  const Ints startValues = intsOf(starts);
  return moveElements(context, operand, [&](std::span<const int64_t> index) {
    int64_t linear = 0;
    for (size_t c = 0; c < dims.startMap.size(); ++c) {
      const Ints at = startsIndex<int64_t>(dims, batch, index, starts.shape().rank(), c, [](int64_t v) { return v; });
      const auto d = static_cast<size_t>(dims.startMap[c]);
      const int64_t value = startValues[static_cast<size_t>(linearIndexOf(at, startStrides))];
      linear += clampedStart(starts.shape().type, value, sizes[d], dims.sliceSizes[d]) * strides[d];
    }
    for (size_t i = 0; i < dims.operandBatching.size(); ++i) {
      const int64_t place = batch[dims.batchPlace(dims.startsBatching[i])];
      linear += index[static_cast<size_t>(place)] * strides[static_cast<size_t>(dims.operandBatching[i])];
    }
    for (size_t i = 0; i < visible.size(); ++i) {
      linear += index[static_cast<size_t>(dims.offset[i])] * strides[static_cast<size_t>(visible[i])];
    }
    return linear;
  });
}

Status gatherElement(ElementContext& context) {
  ElementBuilder& b = context.builder;
  const Shape &operand = context.operandShape(0), &starts = context.operandShape(1);
  const GatherDims dims(context.attributes());
  if (dims.readsNothing()) {
    context.results = {b.zero(operand.type)};
    return {};
  }
  const Ints batch = dims.batch(context.shape().rank()), visible = dims.visible(operand.rank());
  std::vector<NodeId> at(operand.dimensions.size(), b.index(0));
  for (size_t c = 0; c < dims.startMap.size(); ++c) {
    const std::vector<NodeId> from =
        startsIndex<NodeId>(dims, batch, context.indices, starts.rank(), c, [&](int64_t v) { return b.index(v); });
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(1, from));
    const auto d = static_cast<size_t>(dims.startMap[c]);
    at[d] = clampedStartNode(b, value, operand.dimensions[d], dims.sliceSizes[d]);
  }
  for (size_t i = 0; i < dims.operandBatching.size(); ++i) {
    const int64_t place = batch[dims.batchPlace(dims.startsBatching[i])];
    at[static_cast<size_t>(dims.operandBatching[i])] = context.indices[static_cast<size_t>(place)];
  }
  for (size_t i = 0; i < visible.size(); ++i) {
    NodeId& place = at[static_cast<size_t>(visible[i])];
    place = b.add(place, context.indices[static_cast<size_t>(dims.offset[i])]);
  }
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
  context.results = {value};
  return {};
}

constexpr OperandDoc kGatherOperands[] = {{"operand", "The array to collect slices from."},
                                          {"start_indices", "Integers: an index vector for each slice."}};
constexpr AttributeRow kGatherAttributes[] = {
    {Attr::offset_dims, true, "", "Result dimensions that run inside a slice.", ""},
    {Attr::collapsed_slice_dims, true, "", "Operand dimensions of slice size 1 that the result drops.", ""},
    {Attr::start_index_map, true, "", "For each component of an index vector the operand dimension that it starts.",
     ""},
    {Attr::operand_batching_dims, false, "{}", "Operand dimensions that are walked together with start_indices.", ""},
    {Attr::start_indices_batching_dims, false, "{}", "Their partners in start_indices.", ""},
    {Attr::index_vector_dim, true, "",
     "The dimension of start_indices that holds index vectors; its rank: each element is one.", ""},
    {Attr::slice_sizes, true, "", "The size of a slice in each operand dimension.", ""},
    {Attr::indices_are_sorted, false, "false", "A promise that start_indices are sorted.", ""}};
constexpr Constraint kGatherConstraints[] = {
    {"C1", "start_indices are integers."},
    {"C2", "index_vector_dim is a dimension of start_indices or its rank."},
    {"C3", "start_index_map names one distinct operand dimension for each index component."},
    {"C4",
     "operand_batching_dims and start_indices_batching_dims pair up distinct dimensions; index_vector_dim is none."},
    {"C5", "Paired batching dimensions have the same size and are not in start_index_map."},
    {"C6", "slice_sizes has one size for each dimension of the operand."},
    {"C7", "collapsed_slice_dims are increasing operand dimensions, none of them batching."},
    {"C8", "Each slice size is between 0 and the size of the operand's dimension."},
    {"C9", "Collapsed and batching dimensions have slice size 1 or 0."},
    {"C10", "offset_dims are increasing result dimensions, one for each slice dimension that remains."},
};

// A slice as large as the operand is all of it; the other dimensions number the slices, as those of the indices do.
DimensionRelations gatherDimensions(const InferContext& context) {
  const GatherDims dims(*context.attributes);
  const Shape &operand = context.operand(0), &starts = context.operand(1);
  const auto at = [](size_t k, int64_t d) { return DimensionRef::operand(k, static_cast<size_t>(d)); };
  const auto result = [](int64_t d) { return DimensionRef::result(static_cast<size_t>(d)); };
  DimensionRelations out;
  for (size_t i = 0; i < dims.operandBatching.size(); ++i)
    out.same(at(1, dims.startsBatching[i]), at(0, dims.operandBatching[i]));
  const Ints visible = dims.visible(operand.rank());
  for (size_t i = 0; i < visible.size(); ++i)
    if (dims.sliceSizes[static_cast<size_t>(visible[i])] == operand.dimensions[static_cast<size_t>(visible[i])])
      out.same(result(dims.offset[i]), at(0, visible[i]));
  int64_t next = 0;
  for (int64_t d : dims.batch(context.written->rank())) {
    next += next == dims.indexVector;
    out.same(result(d), at(1, next++));
  }
  if (dims.indexVector < starts.rank())
    out.fixed(at(1, dims.indexVector), "it holds one index for each dimension that is looked up");
  return out;
}

}  // namespace

const OpDef kGather = {
    .opcode = Opcode::Gather,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "Collect slices at computed places",
    .doc =
        "For each index vector of start_indices a slice of slice_sizes is taken from the operand; starts are clamped "
        "so that the slice lies inside. Batch dimensions come from start_indices, offset dimensions from the slice; "
        "collapsed dimensions of slice size 0 give zeros. Taking rows of a table by number is the common case: "
        "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}.",
    .synonyms = "gather_nd take index embedding",
    .operands = kGatherOperands,
    .attributes = kGatherAttributes,
    .constraints = kGatherConstraints,
    .inferShape = inferGather,
    .cost = costOfPart,
    .evaluate = evaluateGather,
    .element = gatherElement,
    .dimensions = gatherDimensions,
};

}  // namespace tessera
