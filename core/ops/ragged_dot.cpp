// ragged-dot: a dot whose one dimension of lhs is cut into groups of run-time sizes. Three forms, by what the ragged
// dimension is: a free one (each group of rows meets its own rhs matrix), a contracting one (each group gives a result
// of its own), or a batch one (the groups are only named: a plain dot).
#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/dot_dimensions.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

constexpr OperandDoc kRaggedDotOperands[] = {
    {"lhs", "left array, with the ragged dimension"},
    {"rhs", "right array; with a group dimension when the ragged dimension is a free one"},
    {"group_sizes",
     "integers: sizes of the groups along the ragged dimension, [groups], or one row of them for each index of the "
     "dimensions that come before it"},
};

constexpr AttributeRow kRaggedDotAttributes[] = {
    kLhsBatchRow,
    kLhsContractingRow,
    kRhsBatchRow,
    kRhsContractingRow,
    {Attr::lhs_ragged_dims, false, "{}", "the one dimension of lhs that is cut into groups"},
    {Attr::rhs_group_dims, false, "{}",
     "the dimension of rhs that counts groups, when the ragged dimension is a free one"},
    kOperandPrecisionRow,
    kAlgorithmRow,
};

constexpr Constraint kRaggedDotConstraints[] = {
    {"C1", "All operands are arrays; lhs and rhs can be multiplied, and group_sizes are integers."},
    {"C2", "Batch, contracting and group dimensions of an operand exist and are named once."},
    kBatchesPairUp,
    kContractionsPairUp,
    {"C5", "There is exactly one ragged dimension, and it is one of lhs."},
    {"C6", "rhs has one group dimension when the ragged dimension is a free one, else none."},
    {"C7", "group_sizes is [groups], or has before that the sizes of the dimensions that come before the ragged one."},
    {"C8", "The group dimension of rhs has as many indices as there are groups."},
};

enum class Form { Free, Contracting, Batch };

struct RaggedParts {
  IndexVector leftBatch, leftContracting, leftFree, rightBatch, rightContracting, rightFree;
  int64_t ragged = 0;
  std::optional<int64_t> group;  // dimension of rhs
  Form form = Form::Free;
  IndexVector prefix;  // dimensions of lhs that group_sizes may have before the groups
};

// Dimensions of a list that come before the ragged one.
IndexVector before(const IndexVector& dims, int64_t ragged) {
  IndexVector out;
  for (int64_t d : dims) {
    if (d == ragged) break;
    out.push_back(d);
  }
  return out;
}

RaggedParts raggedPartsOf(const AttributeSet& attributes, int64_t lhsRank, int64_t rhsRank) {
  RaggedParts out;
  out.leftBatch = attributes.ints(Attr::lhs_batch_dims);
  out.rightBatch = attributes.ints(Attr::rhs_batch_dims);
  out.leftContracting = attributes.ints(Attr::lhs_contracting_dims);
  out.rightContracting = attributes.ints(Attr::rhs_contracting_dims);
  const IndexVector& ragged = attributes.ints(Attr::lhs_ragged_dims);
  const IndexVector& groups = attributes.ints(Attr::rhs_group_dims);
  if (!ragged.empty()) out.ragged = ragged[0];
  if (!groups.empty()) out.group = groups[0];
  out.leftFree = otherDims(lhsRank, out.leftBatch, out.leftContracting);
  IndexVector used = out.rightContracting;
  used.insert(used.end(), groups.begin(), groups.end());
  out.rightFree = otherDims(rhsRank, out.rightBatch, used);
  if (containsDim(out.leftContracting, out.ragged)) out.form = Form::Contracting;
  if (containsDim(out.leftBatch, out.ragged)) out.form = Form::Batch;
  if (out.form != Form::Batch) out.prefix = out.leftBatch;
  const IndexVector& peers = out.form == Form::Batch  ? out.leftBatch
                             : out.form == Form::Free ? out.leftFree
                                                      : out.leftContracting;
  for (int64_t d : before(peers, out.ragged)) out.prefix.push_back(d);
  return out;
}

Status checkGroups(const InferContext& context, const RaggedParts& parts) {
  const auto& groupDims = context.attributes->ints(Attr::rhs_group_dims);
  const size_t wanted = parts.form == Form::Free ? 1 : 0;
  if (groupDims.size() != wanted)
    return context.violated("C6", "the number of group dimensions of rhs does not fit the ragged dimension",
                            std::to_string(wanted), std::to_string(groupDims.size()));
  const Shape& sizes = context.operand(2);
  IndexVector whole = pickDims(context.operand(0).dimensions, parts.prefix);
  bool fits = sizes.rank() == 1;
  if (sizes.rank() > 0) {
    whole.push_back(sizes.dimensions.back());
    fits = fits || sizes.dimensions == whole;
  }
  if (!fits)
    return context.violated("C7", "group_sizes has the wrong dimensions", fmt::format("one, or {}", whole.size()),
                            toString(sizes, false));
  if (parts.group && context.operand(1).dimensions[static_cast<size_t>(*parts.group)] != sizes.dimensions.back())
    return context.violated("C8", "rhs has another number of groups than group_sizes",
                            std::to_string(sizes.dimensions.back()),
                            std::to_string(context.operand(1).dimensions[static_cast<size_t>(*parts.group)]));
  return {};
}

Result<Shape> inferRaggedDot(const InferContext& context) {
  const Shape &lhs = context.operand(0), &rhs = context.operand(1), &sizes = context.operand(2);
  if (!lhs.isArray() || !rhs.isArray() || !multiplicable(lhs.type, rhs.type) || !isInteger(sizes.type))
    return context.violated("C1", "ragged-dot takes two arrays to multiply and integer group sizes", "",
                            toString(lhs, false) + ", " + toString(rhs, false) + ", " + toString(sizes, false));
  const auto& ragged = context.attributes->ints(Attr::lhs_ragged_dims);
  if (ragged.size() != 1 || ragged[0] < 0 || ragged[0] >= lhs.rank())
    return context.violated("C5", "there must be one ragged dimension",
                            fmt::format("one number from 0 to {}", lhs.rank() - 1),
                            fmt::format("{{{}}}", fmt::join(ragged, ",")));
  const RaggedParts parts = raggedPartsOf(*context.attributes, lhs.rank(), rhs.rank());
  TESSERA_TRY(checkNamedOnce(context, 0, {&parts.leftBatch, &parts.leftContracting}));
  TESSERA_TRY(checkNamedOnce(
      context, 1, {&parts.rightBatch, &parts.rightContracting, &context.attributes->ints(Attr::rhs_group_dims)}));
  TESSERA_TRY(checkDimensionPairs(context, "C3", "batch", parts.leftBatch, parts.rightBatch));
  TESSERA_TRY(checkDimensionPairs(context, "C4", "contracting", parts.leftContracting, parts.rightContracting));
  TESSERA_TRY(checkGroups(context, parts));
  Shape out;
  out.type = context.written && context.written->isArray() ? context.written->type : widerType(lhs.type, rhs.type);
  if (parts.form == Form::Contracting) appendDimensions(out, sizes, {sizes.rank() - 1});
  appendDimensions(out, lhs, parts.leftBatch);
  appendDimensions(out, lhs, parts.leftFree);
  appendDimensions(out, rhs, parts.rightFree);
  out.dynamic.clear();  // sizes of the run do not go through groups
  return out;
}

void put(IndexVector& index, const IndexVector& dims, std::span<const int64_t> values) {
  for (size_t i = 0; i < dims.size(); ++i) index[static_cast<size_t>(dims[i])] = values[i];
}

// Where the groups begin and end along the ragged dimension, for the index of lhs.
class Groups {
 public:
  Groups(const Literal& sizes, const RaggedParts& parts)
      : values_(elementsAs<uint64_t>(sizes)), count_(sizes.shape().dimensions.back()), prefix_(parts.prefix) {
    if (sizes.shape().rank() == 1) prefix_.clear();
    strides_ = rowMajorStrides(sizes.shape().dimensions);
  }
  // The group that holds position `at`; nullopt: none.
  std::optional<int64_t> find(std::span<const int64_t> index, int64_t at) const {
    int64_t end = 0;
    for (int64_t g = 0; g < count_; ++g)
      if (end += size(index, g); at < end) return g;
    return std::nullopt;
  }

 private:
  int64_t size(std::span<const int64_t> index, int64_t group) const {
    int64_t offset = group;
    for (size_t i = 0; i < prefix_.size(); ++i) offset += index[static_cast<size_t>(prefix_[i])] * strides_[i];
    return static_cast<int64_t>(values_[static_cast<size_t>(offset)]);
  }
  std::vector<uint64_t> values_;
  int64_t count_;
  IndexVector prefix_, strides_;
};

template <class Acc>
Status contractRagged(const EvaluateContext& context, const RaggedParts& parts, Literal& output) {
  const Shape &lhs = context.operands[0].shape(), &rhs = context.operands[1].shape();
  const std::vector<Acc> left = elementsAs<Acc>(context.operands[0]), right = elementsAs<Acc>(context.operands[1]);
  const IndexVector leftStrides = rowMajorStrides(lhs.dimensions), rightStrides = rowMajorStrides(rhs.dimensions);
  const IndexVector depth = pickDims(lhs.dimensions, parts.leftContracting);
  const Groups groups(context.operands[2], parts);
  const auto ragged = static_cast<size_t>(parts.ragged);
  IndexVector atLeft(lhs.dimensions.size(), 0), atRight(rhs.dimensions.size(), 0);
  std::byte* out = output.mutableBytes().data();
  bool stopped = false;
  forEachIndex(output.shape().dimensions, [&](const IndexVector& index) {
    if (stopped || isCancelled(context)) return void(stopped = true);
    const std::span<const int64_t> all =
        std::span<const int64_t>(index).subspan(parts.form == Form::Contracting ? 1 : 0);
    put(atLeft, parts.leftBatch, all);
    put(atRight, parts.rightBatch, all);
    put(atLeft, parts.leftFree, all.subspan(parts.leftBatch.size()));
    put(atRight, parts.rightFree, all.subspan(parts.leftBatch.size() + parts.leftFree.size()));
    Acc sum{};
    std::optional<int64_t> group;
    if (parts.form == Form::Free && (group = groups.find(atLeft, atLeft[ragged])))
      atRight[static_cast<size_t>(*parts.group)] = *group;
    const bool counts = parts.form != Form::Free || group;
    forEachIndex(depth, [&](const IndexVector& k) {
      put(atLeft, parts.leftContracting, k);
      put(atRight, parts.rightContracting, k);
      if (!counts || (parts.form == Form::Contracting && groups.find(atLeft, atLeft[ragged]) != index[0])) return;
      sum += left[static_cast<size_t>(linearIndexOf(atLeft, leftStrides))] *
             right[static_cast<size_t>(linearIndexOf(atRight, rightStrides))];
    });
    storeFrom<Acc>(output.shape().type, out, sum);
    out += byteWidth(output.shape().type);
  });
  if (stopped) return failCancelled();
  return {};
}

Result<Literal> evaluateRaggedDot(const EvaluateContext& context) {
  const Shape &lhs = context.operands[0].shape(), &rhs = context.operands[1].shape();
  TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::allocate(context.shape));
  const RaggedParts parts = raggedPartsOf(*context.instruction.attributes, lhs.rank(), rhs.rank());
  TESSERA_TRY(visitAccumulation(lhs.type, rhs.type, [&](auto tag) {
    return contractRagged<typename decltype(tag)::Type>(context, parts, output);
  }));
  return output;
}

// The number of the group that holds position `at` of the ragged dimension; the number of groups where none does:
// as many groups as end at or before it.
Result<NodeId> groupNode(ElementContext& context, const RaggedParts& parts, std::span<const NodeId> atLeft, NodeId at) {
  ElementBuilder& builder = context.builder;
  const Shape& sizes = context.operandShape(2);
  std::vector<NodeId> index;
  if (sizes.rank() > 1)
    for (int64_t d : parts.prefix) index.push_back(atLeft[static_cast<size_t>(d)]);
  index.emplace_back();
  const NodeId zero = builder.index(0), one = builder.index(1);
  const auto body = [&](std::span<const NodeId> g, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    index.back() = g[0];
    TESSERA_ASSIGN_OR_RETURN(const NodeId size, context.read(2, index));
    const NodeId end = builder.add(sums[0], convertTo(builder, ElementType::S64, size));
    const NodeId past = builder.compare(CompareDirection::Ge, at, end);
    return std::vector<NodeId>{end, builder.add(sums[1], builder.select(past, one, zero))};
  };
  TESSERA_ASSIGN_OR_RETURN(const auto sums, builder.loop({sizes.dimensions.back()}, {zero, zero}, body, false));
  return sums[1];
}

Status raggedDotElement(ElementContext& context) {
  const Shape &lhs = context.operandShape(0), &rhs = context.operandShape(1);
  const RaggedParts parts = raggedPartsOf(context.attributes(), lhs.rank(), rhs.rank());
  ElementBuilder& builder = context.builder;
  const ElementType type = accumulatorType(context.shape().type);
  const int64_t groups = context.operandShape(2).dimensions.back();
  const auto ragged = static_cast<size_t>(parts.ragged);
  const std::span<const NodeId> indices =
      std::span<const NodeId>(context.indices).subspan(parts.form == Form::Contracting ? 1 : 0);
  std::vector<NodeId> atLeft(lhs.dimensions.size()), atRight(rhs.dimensions.size());
  setIndices(atLeft, parts.leftBatch, indices);
  setIndices(atRight, parts.rightBatch, indices);
  setIndices(atLeft, parts.leftFree, indices.subspan(parts.leftBatch.size()));
  setIndices(atRight, parts.rightFree, indices.subspan(parts.leftBatch.size() + parts.leftFree.size()));
  NodeId counts{};
  if (parts.form == Form::Free) {
    TESSERA_ASSIGN_OR_RETURN(const NodeId group, groupNode(context, parts, atLeft, atLeft[ragged]));
    counts = builder.compare(CompareDirection::Lt, group, builder.index(groups));
    atRight[static_cast<size_t>(*parts.group)] = builder.clampIndex(group, 0, std::max<int64_t>(groups - 1, 0));
  }
  const auto body = [&](std::span<const NodeId> k, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    setIndices(atLeft, parts.leftContracting, k);
    setIndices(atRight, parts.rightContracting, k);
    TESSERA_ASSIGN_OR_RETURN(const NodeId a, context.read(0, atLeft));
    TESSERA_ASSIGN_OR_RETURN(const NodeId b, context.read(1, atRight));
    NodeId next = builder.add(sums[0], builder.multiply(convertTo(builder, type, a), convertTo(builder, type, b)));
    if (parts.form == Form::Contracting) {
      TESSERA_ASSIGN_OR_RETURN(const NodeId group, groupNode(context, parts, atLeft, atLeft[ragged]));
      next = builder.select(builder.compare(CompareDirection::Eq, group, context.indices[0]), next, sums[0]);
    }
    return std::vector<NodeId>{next};
  };
  TESSERA_ASSIGN_OR_RETURN(const auto sums,
                           builder.loop(pickDims(lhs.dimensions, parts.leftContracting), {builder.zero(type)}, body));
  const NodeId sum = parts.form == Form::Free ? builder.select(counts, sums[0], builder.zero(type)) : sums[0];
  context.results = {convertTo(builder, context.shape().type, sum)};
  return {};
}

// The ragged dimension is free (rhs has a group dimension), contracted (a result for each group) or a batch.
DimensionRelations raggedDotDimensions(const InferContext& context) {
  const AttributeSet& a = *context.attributes;
  const IndexVector &ragged = a.ints(Attr::lhs_ragged_dims), &grouped = a.ints(Attr::rhs_group_dims);
  const size_t groupRank = context.operand(2).dimensions.size();
  DimensionRelations out;
  out.opaque = groupRank == 0 || ragged.empty();
  if (out.opaque) return out;
  const IndexVector prefix = raggedPartsOf(a, context.operand(0).rank(), context.operand(1).rank()).prefix;
  for (size_t d = 0; d + 1 < groupRank; ++d)
    out.same(DimensionRef::operand(2, d), DimensionRef::operand(0, static_cast<size_t>(prefix[d])));
  const DimensionRef groups = DimensionRef::operand(2, groupRank - 1);
  const bool contracted = containsDim(a.ints(Attr::lhs_contracting_dims), ragged[0]);
  if (!grouped.empty()) out.same(DimensionRef::operand(1, static_cast<size_t>(grouped[0])), groups);
  if (contracted) out.same(DimensionRef::result(0), groups, false);  // a group starts where those before it end
  relateProduct(out, context, contracted ? 1 : 0, grouped);
  return out;
}

}  // namespace

const OpDef kRaggedDot = {
    .opcode = Opcode::RaggedDot,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::LinearAlgebra},
    .summary = "A dot over groups of run-time sizes",
    .doc =
        "One dimension of lhs is cut into groups whose sizes are the third operand. Where it is a free dimension, "
        "$out[b…, m, n] = \\sum_k lhs[b…, m, k] · rhs[g(m), b…, k, n]$ with $g(m)$ the group that holds row "
        "$m$; rows of no group give 0. Where it is a contracting dimension, result $g$ sums over the indices of "
        "group $g$ alone. Where it is a batch dimension the groups make no difference. Mixtures of experts use the "
        "first form, their gradients the second.",
    .operands = kRaggedDotOperands,
    .attributes = kRaggedDotAttributes,
    .constraints = kRaggedDotConstraints,
    .inferShape = inferRaggedDot,
    .evaluate = evaluateRaggedDot,
    .element = raggedDotElement,
    .dimensions = raggedDotDimensions,
};

}  // namespace tessera
