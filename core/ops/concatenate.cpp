// concatenate: arrays one after another along one dimension. All other dimensions are equal.
#include <fmt/format.h>

#include "core/base/checked_math.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

Status checkOperand(const InferContext& context, size_t i, size_t along) {
  const Shape &first = context.operand(0), &operand = context.operand(i);
  if (!sameButPrecision(operand.type, first.type)) {
    return context.violated("C2", fmt::format("operand {} of concatenate has another element type than operand 0", i),
                            std::string(nameOf(first.type)), std::string(nameOf(operand.type)));
  }
  bool same = operand.rank() == first.rank();
  for (size_t d = 0; same && d < first.dimensions.size(); ++d) {
    same = d == along || operand.dimensions[d] == first.dimensions[d];
  }
  if (same) return {};
  return context.violated(
      "C3", fmt::format("operand {} of concatenate differs from operand 0 outside dimension {}", i, along),
      toString(first, false), toString(operand, false));
}

Result<Shape> inferConcatenate(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, -1));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t>* dims, requireInts(context, Attr::dimensions));
  const Shape& first = context.operand(0);
  if (dims->size() != 1 || (*dims)[0] < 0 || (*dims)[0] >= first.rank()) {
    return context.violated("C1", "concatenate needs one dimension of its operands",
                            fmt::format("one of 0 to {}", first.rank() - 1), listOf(*dims));
  }
  const auto along = static_cast<size_t>((*dims)[0]);
  int64_t sum = 0;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    TESSERA_TRY(checkOperand(context, i, along));
    const int64_t size = context.operand(i).dimensions[along];
    const auto next = checkedAdd(sum, size);
    if (size == Shape::kUnbounded || !next) {
      return context.violated("C4", "the concatenated dimension must have a size that fits 64 bits", {},
                              size == Shape::kUnbounded ? "?" : "an overflow");
    }
    sum = *next;
  }
  Shape shape = arrayOf(first.type, first.dimensions, first.dynamic);
  for (const Shape* operand : context.operands) shape.type = widerType(shape.type, operand->type);
  shape.dimensions[along] = sum;
  return shape;
}

Result<Literal> evaluateConcatenate(const EvaluateContext& context) {
  const auto along = static_cast<size_t>(context.instruction.attributes->ints(Attr::dimensions)[0]);
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  const auto width = static_cast<size_t>(byteWidth(context.shape.type));
  const std::vector<int64_t> strides = rowMajorStrides(context.shape.dimensions);
  int64_t offset = 0;
  for (const Literal& operand : context.operands) {
    const auto& dims = operand.shape().dimensions;
    const bool finished = forEachIndex(dims, [&](std::span<const int64_t> index, int64_t linear) {
      copyElement(out.mutableBytes().data(), linearIndexOf(index, strides) + offset * strides[along],
                  operand.bytes().data(), linear, width);
      return (linear & 0xfffff) != 0xfffff || !isCancelled(context);
    });
    if (!finished) return failCancelled();
    offset += dims[along];
  }
  return out;
}

// A chain of guarded reads, the first operand outermost.
Status concatenateElement(ElementContext& context) {
  const auto along = static_cast<size_t>(context.attributes().ints(Attr::dimensions)[0]);
  const size_t count = context.instruction.operands.size();
  ElementBuilder& b = context.builder;
  NodeId value = b.zero(context.shape().type);
  int64_t end = context.shape().dimensions[along];
  for (size_t i = count; i-- > 0;) {
    const int64_t begin = end - context.operandShape(i).dimensions[along];
    const NodeId here = b.inRange(context.indices[along], begin, end);
    std::vector<NodeId> at = context.indices;
    at[along] = b.subtract(at[along], b.index(begin));
    TESSERA_ASSIGN_OR_RETURN(value, context.readIf(here, i, at, value));
    end = begin;
  }
  context.results = {value};
  return {};
}

constexpr OperandDoc kConcatenateOperands[] = {{"operands", "The arrays to join, one or more."}};
constexpr AttributeRow kConcatenateAttributes[] = {
    {Attr::dimensions, true, "", "The one dimension along which to join.", ""}};
constexpr Constraint kConcatenateConstraints[] = {
    {"C1", "dimensions is one dimension of the operands."},
    {"C2", "All operands have the same element type (floats may differ in width)."},
    {"C3", "All operands have the same rank and the same sizes outside the joined dimension."},
    {"C4", "The joined dimension has a known size that fits 64 bits."},
};

DimensionRelations concatenateDimensions(const InferContext& context) {
  DimensionRelations out;
  const auto along = static_cast<size_t>(context.attributes->ints(Attr::dimensions)[0]);
  for (size_t d = 0; d < context.operand(0).dimensions.size(); ++d)
    for (size_t k = 0; k < context.operands.size(); ++k)
      out.rows.push_back({DimensionRef::result(d), d == along ? DimensionRule::Sum : DimensionRule::Same,
                          DimensionRef::operand(k, d), d != along});
  return out;
}

}  // namespace

const OpDef kConcatenate = {
    .opcode = Opcode::Concatenate,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "Join arrays along a dimension",
    .doc = "The operands stand one after another along the dimension, in their order; its size is the sum of theirs.",
    .synonyms = "concat stack join",
    .title = "concatenate{along dimensions}",
    .operands = kConcatenateOperands,
    .attributes = kConcatenateAttributes,
    .constraints = kConcatenateConstraints,
    .inferShape = inferConcatenate,
    .inferLayout = followOperandLayout,
    .evaluate = evaluateConcatenate,
    .element = concatenateElement,
    .dimensions = concatenateDimensions,
};

}  // namespace tessera
