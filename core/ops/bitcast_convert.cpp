// bitcast-convert: the same bits read as another element type. Equal widths keep the dimensions; to a narrower type
// an element becomes a new minor dimension of its parts, lowest bits first; to a wider type the minor dimension of
// parts goes away.
#include <cstring>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {

namespace {

// Dimensions of the result, or a violation.
Result<std::vector<int64_t>> resultDimensions(const InferContext& context, const Shape& operand, ElementType to) {
  const int from = info(operand.type).bits, width = info(to).bits;
  std::vector<int64_t> dims = operand.dimensions;
  if (from == width) return dims;
  if (std::max(from, width) % std::min(from, width) != 0) {
    return context.violated("C2", "the wider element must hold a whole number of narrower ones",
                            fmt::format("a multiple of {} bits", std::min(from, width)),
                            fmt::format("{} bits", std::max(from, width)));
  }
  if (from > width) {
    dims.push_back(from / width);
    return dims;
  }
  if (dims.empty() || dims.back() != width / from) {
    return context.violated(
        "C3", fmt::format("the minor dimension of the operand must hold the parts of one {}", nameOf(to)),
        fmt::format("{}", width / from), dims.empty() ? "a scalar" : fmt::format("{}", dims.back()));
  }
  dims.pop_back();
  return dims;
}

Result<Shape> inferBitcastConvert(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const Shape* written, requireWrittenArray(context));
  const Shape& operand = context.operand(0);
  if (isComplex(operand.type) != isComplex(written->type)) {
    return context.violated("C1", "bits of complex and of real elements do not convert to each other",
                            isComplex(operand.type) ? "a complex type" : "a real type",
                            std::string(nameOf(written->type)));
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<int64_t> dims, resultDimensions(context, operand, written->type));
  Shape shape = arrayOf(written->type, dims);
  if (dims.size() == operand.dimensions.size()) shape.dynamic = operand.dynamic;
  return shape;
}

// Bits of an element of at most 64 bits, and back; the stored form of narrow integers is extended again.
uint64_t loadBits(ElementType type, const std::byte* at) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(byteWidth(type)));
  const int width = info(type).bits;
  return width >= 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}
void storeBits(ElementType type, std::byte* at, uint64_t bits) {
  if (isInteger(type))
    storeInt(type, at, static_cast<int64_t>(bits));
  else
    std::memcpy(at, &bits, static_cast<size_t>(byteWidth(type)));
}

Result<Literal> evaluateBitcastConvert(const EvaluateContext& context) {
  const Literal& operand = context.operands[0];
  const ElementType from = operand.shape().type, to = context.shape.type;
  if (isComplex(from)) return Literal::fromBytes(context.shape, operand.bytes());
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  const int fromBits = info(from).bits, toBits = info(to).bits;
  const int64_t split = fromBits > toBits ? fromBits / toBits : 1, joined = toBits > fromBits ? toBits / fromBits : 1;
  for (int64_t i = 0; i < out.elementCount(); ++i) {
    uint64_t bits = 0;
    for (int64_t part = 0; part < joined; ++part) {
      bits |= loadBits(from, operand.bytes().data() + (i / split * joined + part) * byteWidth(from))
              << (part * fromBits);
    }
    bits >>= (i % split) * toBits;
    if (toBits < 64) bits &= (uint64_t{1} << toBits) - 1;
    storeBits(to, out.mutableBytes().data() + i * byteWidth(to), bits);
    if ((i & 0xfffff) == 0xfffff && isCancelled(context)) return failCancelled();
  }
  return out;
}

Result<NodeId> splitIntoNarrow(ElementContext& context, ElementType from, ElementType to) {
  ElementBuilder& b = context.builder;
  const ElementType wide = unsignedOfWidth(info(from).bits), narrow = unsignedOfWidth(info(to).bits);
  const std::span<const NodeId> at(context.indices.data(), context.indices.size() - 1);
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
  const NodeId amount = b.convert(wide, b.multiply(context.indices.back(), b.index(info(to).bits)));
  const NodeId shifted = b.binary(NodeOp::ShiftRightLogical, b.bitcastConvert(wide, value), amount);
  return b.bitcastConvert(to, b.convert(narrow, shifted));
}

Result<NodeId> joinNarrow(ElementContext& context, ElementType from, ElementType to) {
  ElementBuilder& b = context.builder;
  const ElementType wide = unsignedOfWidth(info(to).bits), narrow = unsignedOfWidth(info(from).bits);
  std::vector<NodeId> at = context.indices;
  at.push_back(b.index(0));
  NodeId joined = b.zero(wide);
  for (int part = 0; part < info(to).bits / info(from).bits; ++part) {
    at.back() = b.index(part);
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
    const NodeId bits = b.convert(wide, b.bitcastConvert(narrow, value));
    const NodeId amount = b.constant(wide, static_cast<double>(part * info(from).bits));
    joined = b.binary(NodeOp::Or, joined, b.binary(NodeOp::ShiftLeft, bits, amount));
  }
  return b.bitcastConvert(to, joined);
}

// c128 as two c64: the halves of the real part, then those of the imaginary part.
NodeId splitComplex(ElementBuilder& b, NodeId value, NodeId part) {
  const NodeId first = b.compare(CompareDirection::Eq, part, b.index(0));
  const NodeId number = b.select(first, b.unary(NodeOp::Real, value), b.unary(NodeOp::Imag, value));
  const NodeId bits = b.bitcastConvert(ElementType::U64, number);
  const NodeId high = b.binary(NodeOp::ShiftRightLogical, bits, b.constant(ElementType::U64, 32));
  const auto half = [&](NodeId word) { return b.bitcastConvert(ElementType::F32, b.convert(ElementType::U32, word)); };
  return b.makeComplex(half(bits), half(high));
}

NodeId joinComplex(ElementBuilder& b, NodeId real, NodeId imaginary) {
  const auto number = [&](NodeId halves) {
    const auto word = [&](NodeOp part) {
      const NodeId bits = b.bitcastConvert(ElementType::U32, b.unary(part, halves));
      // By way of f64, which holds it: LLVM 19 cannot select the direct widening of a gather of few lanes.
      return b.convert(ElementType::U64, b.convert(ElementType::F64, bits));
    };
    const NodeId high = b.binary(NodeOp::ShiftLeft, word(NodeOp::Imag), b.constant(ElementType::U64, 32));
    return b.bitcastConvert(ElementType::F64, b.binary(NodeOp::Or, word(NodeOp::Real), high));
  };
  return b.makeComplex(number(real), number(imaginary));
}

Result<NodeId> convertComplex(ElementContext& context, bool splits) {
  std::vector<NodeId> at = context.indices;
  const NodeId part = splits ? at.back() : context.builder.index(0);
  if (splits)
    at.pop_back();
  else
    at.push_back(part);
  TESSERA_ASSIGN_OR_RETURN(const NodeId first, context.read(0, at));
  if (splits) return splitComplex(context.builder, first, part);
  at.back() = context.builder.index(1);
  TESSERA_ASSIGN_OR_RETURN(const NodeId second, context.read(0, at));
  return joinComplex(context.builder, first, second);
}

std::unexpected<Diagnostic> unsupportedWidths(ElementType from, ElementType to) {
  return failUnsupported(
      fmt::format("bitcast-convert from {} to {} has no code for elements of these widths", nameOf(from), nameOf(to)));
}

Status bitcastConvertElement(ElementContext& context) {
  const ElementType from = context.operandShape(0).type, to = context.shape().type;
  const int fromBits = info(from).bits, toBits = info(to).bits;
  if (fromBits == toBits) {
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, context.indices));
    context.results = {from == to ? value : context.builder.bitcastConvert(to, value)};
    return {};
  }
  if (isComplex(from)) {
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, convertComplex(context, fromBits > toBits));
    context.results = {value};
    return {};
  }
  const bool known =
      unsignedOfWidth(fromBits) != ElementType::Invalid && unsignedOfWidth(toBits) != ElementType::Invalid;
  if (!known) return unsupportedWidths(from, to);
  TESSERA_ASSIGN_OR_RETURN(const NodeId value,
                           fromBits > toBits ? splitIntoNarrow(context, from, to) : joinNarrow(context, from, to));
  context.results = {value};
  return {};
}

constexpr OperandDoc kBitcastConvertOperands[] = {{"operand", "The array whose bits are read."}};
constexpr Constraint kBitcastConvertConstraints[] = {
    {"C1", "Operand and result are both complex or both not."},
    {"C2", "The width of the wider element is a multiple of the narrower one's."},
    {"C3", "To a wider type, the operand's minor dimension is the number of parts."},
};

// Elements of another width add a last dimension or take it away.
DimensionRelations bitcastConvertDimensions(const InferContext& context) {
  const size_t from = context.operand(0).dimensions.size(), to = context.written->dimensions.size();
  DimensionRelations out;
  for (size_t d = 0; d < std::min(from, to); ++d) out.same(DimensionRef::result(d), DimensionRef::operand(0, d));
  if (from < to) out.fixed(DimensionRef::result(from), "the widths of the types say how many parts there are");
  if (to < from) out.fixed(DimensionRef::operand(0, to), "the widths of the types say how many parts there are");
  return out;
}

}  // namespace

const OpDef kBitcastConvert = {
    .opcode = Opcode::BitcastConvert,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Elementwise, kReinterprets | kWrittenShape},
    .summary = "The same bits as another type",
    .doc =
        "Reads the bits of each element as the result's type. From 32 to 8 bits a shape [2] becomes [2,4], lowest bits "
        "first; from 8 to 32 bits [2,4] becomes [2].",
    .synonyms = "view reinterpret",
    .operands = kBitcastConvertOperands,
    .attributes = {},
    .constraints = kBitcastConvertConstraints,
    .inferShape = inferBitcastConvert,
    .cost = flopPerElement,
    .evaluate = evaluateBitcastConvert,
    .element = bitcastConvertElement,
    .dimensions = bitcastConvertDimensions,
};

}  // namespace tessera
