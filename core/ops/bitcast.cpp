// bitcast: the same buffer under another shape: physical bytes stay, type, dimensions and layout are those of the
// instruction. Optimised modules use it for reshapes and transposes that move nothing. At run time it is no code;
// inside a fusion it is an index map between the two physical orders.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/hlo/memory_map.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/memory_indices.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/reshape_indices.h"

namespace tessera {

namespace {

// The layout's dimension order alone says where an element lies: no tiles, padding or sparse levels. Where the array is
// kept, and how many bits an element takes there, moves none of them.
bool isDense(const Shape& shape) {
  if (!shape.layout) return true;
  Layout order = *shape.layout;
  order.memorySpace = 0;
  order.elementSizeInBits = 0;
  order.tailPaddingAlignment = 1;
  return order.isPlain();
}

// Bits of an element in memory: those of its layout, else whole bytes.
int memoryBits(const Shape& shape) {
  const int64_t asked = shape.layout ? shape.layout->elementSizeInBits : 0;
  return asked > 0 ? static_cast<int>(asked) : 8 * static_cast<int>(byteWidth(shape.type));
}

Result<Shape> inferBitcast(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const Shape* written, requireWrittenArray(context));
  const Shape& operand = context.operand(0);
  const auto from = operand.elementCount(), to = written->elementCount();
  const int fromBits = memoryBits(operand), toBits = memoryBits(*written);
  const bool plain = isDense(operand) && isDense(*written);
  if (from && to && plain && static_cast<double>(*from) * fromBits != static_cast<double>(*to) * toBits) {
    return context.violated("C1", "bitcast must keep the number of bytes", toString(operand), toString(*written));
  }
  return arrayOf(written->type, written->dimensions, written->dynamic);
}

bool isRowMajorShape(const Shape& shape) { return !shape.layout || shape.layout->isRowMajor(); }

// Calls copy(row-major position, physical position) for every element.
template <class Fn>
Status forEachPosition(const Shape& shape, const Fn& copy) {
  TESSERA_ASSIGN_OR_RETURN(const MemoryMap map, MemoryMap::of(shape));
  forEachIndex(shape.dimensions, [&](std::span<const int64_t> index, int64_t linear) {
    copy(linear, map.linearIndex(index));
    return true;
  });
  return {};
}

// --- other widths: elements are parts of each other, lowest bits first

// Nothing but the elements' own bits is in memory.
bool isTight(const Shape& shape) { return isDense(shape) && memoryBits(shape) == info(shape.type).bits; }

// Bits of a literal's elements, one after the other, in memory; elements narrower than a byte share one.
void putBits(std::vector<std::byte>& memory, int64_t position, int bits, const std::byte* element) {
  if (bits >= 8) return std::copy_n(element, bits / 8, memory.begin() + position * (bits / 8)), void();
  const int64_t first = position * bits;
  const auto value = static_cast<unsigned>(*element) & ((1u << bits) - 1);
  memory[static_cast<size_t>(first / 8)] |= static_cast<std::byte>(value << (first % 8));
}
void getBits(const std::vector<std::byte>& memory, int64_t position, ElementType type, std::byte* element) {
  const int bits = info(type).bits;
  if (bits >= 8) return std::copy_n(memory.begin() + position * (bits / 8), bits / 8, element), void();
  const int64_t first = position * bits;
  const unsigned value =
      (static_cast<unsigned>(memory[static_cast<size_t>(first / 8)]) >> (first % 8)) & ((1u << bits) - 1);
  if (isInteger(type))
    storeInt(type, element, static_cast<int64_t>(value));
  else
    *element = static_cast<std::byte>(value);
}

Result<Literal> evaluateOtherWidth(const EvaluateContext& context) {
  const Shape &from = *context.operandShapes[0], &to = context.shape;
  const int bits = info(from.type).bits;
  TESSERA_ASSIGN_OR_RETURN(const MemoryMap source, MemoryMap::of(from));
  std::vector<std::byte> memory(static_cast<size_t>((source.positions() * bits + 7) / 8));
  const std::byte* values = context.operands[0].bytes().data();
  TESSERA_TRY(forEachPosition(from, [&](int64_t linear, int64_t position) {
    putBits(memory, position, bits, values + linear * byteWidth(from.type));
  }));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(to));
  TESSERA_TRY(forEachPosition(to, [&](int64_t linear, int64_t position) {
    getBits(memory, position, to.type, out.mutableBytes().data() + linear * byteWidth(to.type));
  }));
  return out;
}

Result<Literal> evaluateBitcast(const EvaluateContext& context) {
  if (info(context.operandShapes[0]->type).bits != info(context.shape.type).bits &&
      isTight(*context.operandShapes[0]) && isTight(context.shape))
    return evaluateOtherWidth(context);
  const Shape &from = *context.operandShapes[0], &to = context.shape;
  const Literal& operand = context.operands[0];
  if (isRowMajorShape(from) && isRowMajorShape(to)) return Literal::fromBytes(to, operand.bytes());
  TESSERA_ASSIGN_OR_RETURN(const MemoryMap source, MemoryMap::of(from));
  TESSERA_ASSIGN_OR_RETURN(const MemoryMap target, MemoryMap::of(to));
  const auto fromWidth = static_cast<size_t>(byteWidth(from.type)), toWidth = static_cast<size_t>(byteWidth(to.type));
  const size_t bytes =
      std::max(static_cast<size_t>(source.positions()) * fromWidth, static_cast<size_t>(target.positions()) * toWidth);
  std::vector<std::byte> buffer(bytes);
  TESSERA_TRY(forEachPosition(from, [&](int64_t linear, int64_t position) {
    copyElement(buffer.data(), position, operand.bytes().data(), linear, fromWidth);
  }));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(to));
  TESSERA_TRY(forEachPosition(to, [&](int64_t linear, int64_t position) {
    copyElement(out.mutableBytes().data(), linear, buffer.data(), position, toWidth);
  }));
  return out;
}

// Logical dimensions major to minor in memory.
std::vector<int64_t> physicalOrder(const Shape& shape) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < shape.rank(); ++d) order.push_back(d);
  if (shape.layout) order.assign(shape.layout->minorToMajor.rbegin(), shape.layout->minorToMajor.rend());
  return order;
}

NodeId retyped(ElementContext& context, NodeId value) {
  const ElementType from = context.operandShape(0).type, to = context.shape().type;
  return from == to ? value : context.builder.bitcastConvert(to, value);
}

// Under tiles and padding the place in memory is worked out; what was padding of the operand is 0.
Status elementUnderTiles(ElementContext& context) {
  const Shape &from = context.operandShape(0), &to = context.shape();
  TESSERA_ASSIGN_OR_RETURN(const MemoryIndices source, elementAtSamePlace(context.builder, from, to, context.indices));
  TESSERA_ASSIGN_OR_RETURN(const NodeId value,
                           context.readIf(source.holds, 0, source.at, context.builder.zero(from.type)));
  context.results = {retyped(context, value)};
  return {};
}

// Indices into the operand of what is at `at`, both physical: major to minor in memory, with parts as the minor
// dimension of the side whose elements are wider.
Result<NodeId> readAt(ElementContext& context, std::span<const int64_t> out, std::span<const NodeId> at,
                      std::vector<int64_t> in, NodeId* part) {
  const std::vector<int64_t> order = physicalOrder(context.operandShape(0));
  const std::vector<NodeId> physical = reshapeIndices(context.builder, out, at, in);
  std::vector<NodeId> logical(order.size());
  for (size_t i = 0; i < order.size(); ++i) logical[static_cast<size_t>(order[i])] = physical[i];
  if (part) *part = physical.back();
  return context.read(0, logical);
}

std::vector<int64_t> physicalSizes(const Shape& shape) {
  std::vector<int64_t> out;
  for (int64_t d : physicalOrder(shape)) out.push_back(shape.dimensions[static_cast<size_t>(d)]);
  return out;
}
std::vector<NodeId> physicalIndices(const ElementContext& context) {
  std::vector<NodeId> out;
  for (int64_t d : physicalOrder(context.shape())) out.push_back(context.indices[static_cast<size_t>(d)]);
  return out;
}

ElementType halfOf(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

// Part `number` of the parts of this type that an element holds.
NodeId partOf(ElementBuilder& b, NodeId value, ElementType type, NodeId number, ElementType to) {
  const int width = info(halfOf(type)).bits, narrow = info(to).bits;
  if (isComplex(type)) {
    const NodeId perHalf = b.index(width / narrow);
    const NodeId upper = b.compare(CompareDirection::Ge, number, perHalf);
    value = b.select(upper, b.unary(NodeOp::Imag, value), b.unary(NodeOp::Real, value));
    number = b.select(upper, b.subtract(number, perHalf), number);
  }
  const ElementType wide = unsignedOfWidth(width);
  const NodeId amount = b.convert(wide, b.multiply(number, b.index(narrow)));
  const NodeId shifted = b.binary(NodeOp::ShiftRightLogical, b.bitcastConvert(wide, value), amount);
  return b.bitcastConvert(to, b.convert(unsignedOfWidth(narrow), shifted));
}

Result<NodeId> splitElement(ElementContext& context, int64_t parts) {
  std::vector<int64_t> in = physicalSizes(context.operandShape(0));
  in.push_back(parts);
  NodeId part;
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, readAt(context, physicalSizes(context.shape()), physicalIndices(context),
                                                      std::move(in), &part));
  return partOf(context.builder, value, context.operandShape(0).type, part, context.shape().type);
}

Result<NodeId> joinElements(ElementContext& context, int64_t parts) {
  ElementBuilder& b = context.builder;
  const ElementType from = context.operandShape(0).type, to = context.shape().type;
  const int narrow = info(from).bits, width = info(halfOf(to)).bits;
  const ElementType wide = unsignedOfWidth(width);
  std::vector<int64_t> out = physicalSizes(context.shape());
  std::vector<NodeId> at = physicalIndices(context), halves;
  out.push_back(parts);
  at.emplace_back();
  for (int64_t part = 0; part < parts; ++part) {
    at.back() = b.index(part);
    TESSERA_ASSIGN_OR_RETURN(const NodeId value,
                             readAt(context, out, at, physicalSizes(context.operandShape(0)), nullptr));
    const int64_t place = part % (width / narrow);
    const NodeId bits = b.convert(wide, b.bitcastConvert(unsignedOfWidth(narrow), value));
    const NodeId moved = b.binary(NodeOp::ShiftLeft, bits, b.constant(wide, static_cast<double>(place * narrow)));
    if (place == 0)
      halves.push_back(moved);
    else
      halves.back() = b.binary(NodeOp::Or, halves.back(), moved);
  }
  for (NodeId& half : halves) half = b.bitcastConvert(halfOf(to), half);
  return isComplex(to) ? b.makeComplex(halves[0], halves[1]) : halves[0];
}

Status elementOfOtherWidth(ElementContext& context) {
  const Shape &from = context.operandShape(0), &to = context.shape();
  const int fromBits = info(from.type).bits, toBits = info(to.type).bits;
  const int narrow = std::min(fromBits, toBits), wider = std::max(fromBits, toBits);
  const bool whole = wider % narrow == 0 && info(unsignedOfWidth(narrow)).bits == narrow &&
                     !(isComplex(from.type) && isComplex(to.type));
  const bool isPart = whole && narrow <= std::min(info(halfOf(from.type)).bits, info(halfOf(to.type)).bits);
  if (!isPart || !isTight(from) || !isTight(to))
    return failUnsupported(fmt::format("bitcast from {} to {} has no index map", toString(from), toString(to)));
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, fromBits > toBits ? splitElement(context, wider / narrow)
                                                                 : joinElements(context, wider / narrow));
  context.results = {value};
  return {};
}

Status bitcastElement(ElementContext& context) {
  const Shape &from = context.operandShape(0), &to = context.shape();
  if (info(from.type).bits != info(to.type).bits) return elementOfOtherWidth(context);
  const bool sameMemory = from.dimensions == to.dimensions && from.layout == to.layout;
  if (!sameMemory && !(isDense(from) && isDense(to))) return elementUnderTiles(context);
  TESSERA_ASSIGN_OR_RETURN(const NodeId value,
                           readAt(context, physicalSizes(to), physicalIndices(context), physicalSizes(from), nullptr));
  context.results = {retyped(context, value)};
  return {};
}

constexpr OperandDoc kBitcastOperands[] = {{"operand", "The array whose buffer is seen anew."}};
constexpr Constraint kBitcastConstraints[] = {
    {"C1",
     "Operand and result take the same number of bytes in plain layouts; narrow "
     "elements share bytes where E(…) says so."}};

// A reshape, where nothing but dimensions changes.
DimensionRelations bitcastDimensions(const InferContext& context) {
  DimensionRelations out;
  const auto isRowMajor = [](const Shape& shape) { return !shape.layout || shape.layout->isRowMajor(); };
  const Shape &from = context.operand(0), &to = *context.written;
  out.opaque = !from.isArray() || !to.isArray() || byteWidth(from.type) != byteWidth(to.type) || !isRowMajor(from) ||
               !isRowMajor(to);
  if (!out.opaque) out.groups = reshapeGroups(from, to, -1);
  return out;
}

}  // namespace

const OpDef kBitcast = {
    .opcode = Opcode::Bitcast,
    .kind = ExecutionKind::Structure,
    .category = {OpCategory::DataMovement, kMovesData | kPassesOn | kWrittenShape},
    .summary = "The same buffer under another shape",
    .doc =
        "The bytes in memory stay where they are; shape and layout say how they are read. A transpose is a bitcast "
        "when the layouts are permuted alike, a reshape when both are row-major.",
    .operands = kBitcastOperands,
    .attributes = {},
    .constraints = kBitcastConstraints,
    .inferShape = inferBitcast,
    .cost = noCost,
    .evaluate = evaluateBitcast,
    .element = bitcastElement,
    .dimensions = bitcastDimensions,
};

}  // namespace tessera
