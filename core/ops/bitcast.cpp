// bitcast: the same buffer under another shape: physical bytes stay, type, dimensions and layout are those of the
// instruction. Optimised modules use it for reshapes and transposes that move nothing. At run time it is no code;
// inside a fusion it is an index map between the two physical orders.
#include <cstring>

#include <fmt/format.h>

#include "core/hlo/index_math.h"
#include "core/ops/element_context.h"
#include "core/ops/evaluate_loops.h"
#include "core/ops/faults.h"
#include "core/ops/infer_checks.h"
#include "core/ops/memory_indices.h"
#include "core/ops/op.h"
#include "core/ops/reshape_indices.h"

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

Result<Inferred> inferShape(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const Shape* written, requireWrittenArray(context));
  const Shape& operand = context.operand(0);
  const auto from = operand.elementCount(), to = written->elementCount();
  const int fromBits = info(operand.type).bits, toBits = info(written->type).bits;
  const bool plain = isDense(operand) && isDense(*written);
  if (from && to && plain && static_cast<double>(*from) * fromBits != static_cast<double>(*to) * toBits) {
    return context.violated("C1", "bitcast must keep the number of bytes", toString(operand), toString(*written));
  }
  Shape shape = arrayOf(written->type, written->dimensions, written->dynamic);
  std::vector<std::string> reasons;
  for (int64_t size : shape.dimensions)
    reasons.push_back(fmt::format("dimension {} = {}, as written", reasons.size(), size));
  return Inferred{shape, reasons};
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

Result<Literal> evaluate(const EvaluateContext& context) {
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
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.readIf(source.holds, 0, source.at, context.builder.zero(from.type)));
  context.results = {retyped(context, value)};
  return {};
}

Status element(ElementContext& context) {
  const Shape &from = context.operandShape(0), &to = context.shape();
  if (info(from.type).bits != info(to.type).bits)
    return failUnsupported(fmt::format("bitcast from {} to {} has no index map", toString(from), toString(to)));
  const bool sameMemory = from.dimensions == to.dimensions && from.layout == to.layout;
  if (!sameMemory && !(isDense(from) && isDense(to))) return elementUnderTiles(context);
  const std::vector<int64_t> outOrder = physicalOrder(to), inOrder = physicalOrder(from);
  std::vector<int64_t> out, in;
  std::vector<NodeId> at, logical(inOrder.size());
  for (int64_t d : outOrder) {
    out.push_back(to.dimensions[static_cast<size_t>(d)]);
    at.push_back(context.indices[static_cast<size_t>(d)]);
  }
  for (int64_t d : inOrder) in.push_back(from.dimensions[static_cast<size_t>(d)]);
  const std::vector<NodeId> physical = reshapeIndices(context.builder, out, at, in);
  for (size_t i = 0; i < inOrder.size(); ++i) logical[static_cast<size_t>(inOrder[i])] = physical[i];
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, logical));
  context.results = {retyped(context, value)};
  return {};
}

constexpr OperandDoc kOperands[] = {{"operand", "The array whose buffer is seen anew."}};
constexpr Constraint kConstraints[] = {{"C1", "Operand and result take the same number of bytes in plain layouts."}};

}  // namespace

const OpDef kBitcast = {
    Opcode::Bitcast,
    ExecutionKind::Structure,
    "Data movement",
    "The same buffer under another shape",
    "The bytes in memory stay where they are; shape and layout say how they are read. A transpose is a bitcast when "
    "the layouts are permuted alike, a reshape when both are row-major.",
    kOperands,
    {},
    kConstraints,
    inferShape,
    nullptr,
    nullptr,
    evaluate,
    element};

}  // namespace tessera
