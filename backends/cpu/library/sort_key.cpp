// See sort_key.h.
#include "backends/cpu/library/sort_key.h"

#include <unordered_map>

#include "core/element/element_builder.h"

namespace tessera::cpu {

namespace {

// Copies one side of the comparison into a program over whole arrays.
class SideCopy {
 public:
  SideCopy(const ElementProgram& from, ElementBuilder& to, std::vector<NodeId> indices)
      : from_(from), to_(to), indices_(std::move(indices)) {}

  // Invalid: it has nodes that are not scalar arithmetic on its own operands.
  NodeId copy(NodeId id) {
    if (auto found = done_.find(id.value); found != done_.end()) return found->second;
    std::vector<NodeId> inputs;
    for (NodeId input : from_.inputsOf(id)) {
      inputs.push_back(copy(input));
      if (!inputs.back().valid()) return {};
    }
    return done_[id.value] = make(from_.at(id), inputs);
  }

 private:
  NodeId make(const Node& node, std::span<const NodeId> in) {
    switch (node.op) {
      case NodeOp::Constant: return to_.constantBits(node.type, node.bits0, node.bits1);
      case NodeOp::Read: return node.bits0 % 2 == 0 ? to_.read(node.bits0 / 2, indices_) : NodeId{};
      case NodeOp::Select: return to_.select(in[0], in[1], in[2]);
      case NodeOp::Convert: return to_.convert(node.type, in[0]);
      case NodeOp::BitcastConvert: return to_.bitcastConvert(node.type, in[0]);
      case NodeOp::Compare:
        return to_.compare(static_cast<CompareDirection>(node.bits0), in[0], in[1], node.bits1 != 0);
      default: break;
    }
    if (!isArithmetic(node.op) || node.op == NodeOp::Fma) return {};
    return in.size() == 2 ? to_.binary(node.op, in[0], in[1]) : to_.unary(node.op, in[0]);
  }

  const ElementProgram& from_;
  ElementBuilder& to_;
  std::vector<NodeId> indices_;
  std::unordered_map<uint32_t, NodeId> done_;
};

// The same arithmetic, on the first element here and on the second there.
bool mirrors(const ElementProgram& program, NodeId first, NodeId second, int depth) {
  const Node &a = program.at(first), &b = program.at(second);
  if (depth > 64 || a.op != b.op || a.type != b.type || a.bits1 != b.bits1 || a.inputCount != b.inputCount)
    return false;
  if (a.op == NodeOp::Read) return a.bits0 % 2 == 0 && b.bits0 == a.bits0 + 1;
  if (a.bits0 != b.bits0) return false;
  for (uint32_t i = 0; i < a.inputCount; ++i)
    if (!mirrors(program, program.inputsOf(first)[i], program.inputsOf(second)[i], depth + 1)) return false;
  return true;
}

// An unsigned number of the same width in the same order. Invalid: no such form.
NodeId ordered(ElementBuilder& b, NodeId value, bool totalOrder) {
  const ElementType type = b.typeOf(value);
  if (type == ElementType::Pred) return b.convert(ElementType::U8, value);
  const bool isPlainFloat =
      type == ElementType::F32 || type == ElementType::F64 || type == ElementType::F16 || type == ElementType::BF16;
  if (isSubByte(type) || !(isInteger(type) || isPlainFloat)) return {};
  const ElementType bits = unsignedOfWidth(info(type).bits);
  const uint64_t top = uint64_t{1} << (info(type).bits - 1);
  if (isInteger(type))
    return isSigned(type) ? b.binary(NodeOp::Xor, b.bitcastConvert(bits, value), b.constantBits(bits, top)) : value;
  if (!totalOrder) value = b.select(b.compare(CompareDirection::Eq, value, b.zero(type)), b.zero(type), value);
  NodeId word = b.bitcastConvert(bits, value),
         isNegative = b.compare(CompareDirection::Ge, word, b.constantBits(bits, top));
  return b.select(isNegative, b.unary(NodeOp::Not, word), b.binary(NodeOp::Xor, word, b.constantBits(bits, top)));
}

NodeId payloadOf(ElementBuilder& b, std::span<const Shape> operands, std::span<const NodeId> indices, int64_t dimension,
                 SortPayload payload) {
  if (payload == SortPayload::Index) return b.convert(ElementType::U64, indices[static_cast<size_t>(dimension)]);
  NodeId value = b.read(0, indices);
  if (b.typeOf(value) == ElementType::Pred) return b.convert(ElementType::U64, value);
  return b.convert(ElementType::U64, b.bitcastConvert(unsignedOfWidth(info(operands[0].type).bits), value));
}

}  // namespace

std::optional<RecoverableOperand> operandRecoverableFromKey(const ElementProgram& comparator,
                                                            std::span<const Shape> operands) {
  const NodeId root = comparator.results.at(0);
  const Node& compare = comparator.at(root);
  if (compare.op != NodeOp::Compare) return std::nullopt;
  const Node& read = comparator.at(comparator.inputsOf(root)[0]);
  if (read.op != NodeOp::Read || read.bits0 / 2 >= operands.size()) return std::nullopt;
  const ElementType type = operands[read.bits0 / 2].type;
  const bool isFloat = type == ElementType::F32 && compare.bits1 != 0;
  if (!isFloat && type != ElementType::S32 && type != ElementType::U32) return std::nullopt;
  return RecoverableOperand{
      static_cast<int>(read.bits0 / 2),
      {isFloat, isSigned(type), static_cast<CompareDirection>(compare.bits0) == CompareDirection::Gt}};
}

std::optional<SortKey> sortKeyOf(const ElementProgram& comparator, std::span<const Shape> operands, int64_t dimension,
                                 SortPayload payload) {
  const NodeId root = comparator.results.at(0);
  const Node& compare = comparator.at(root);
  const auto direction = static_cast<CompareDirection>(compare.bits0);
  if (compare.op != NodeOp::Compare || (direction != CompareDirection::Lt && direction != CompareDirection::Gt))
    return std::nullopt;
  const NodeId first = comparator.inputsOf(root)[0], second = comparator.inputsOf(root)[1];
  if (!mirrors(comparator, first, second, 0)) return std::nullopt;
  std::vector<Shape> shapes;
  for (const Shape& operand : operands) shapes.push_back(Shape::arrayRowMajor(operand.type, operand.dimensions));
  ElementBuilder b(shapes, operands[0].dimensions);
  std::vector<NodeId> indices;
  for (size_t d = 0; d < operands[0].dimensions.size(); ++d) indices.push_back(b.outputIndex(static_cast<int64_t>(d)));
  NodeId value = SideCopy(comparator, b, indices).copy(first);
  NodeId key = value.valid() ? ordered(b, value, compare.bits1 != 0) : NodeId{};
  if (!key.valid()) return std::nullopt;
  if (direction == CompareDirection::Gt) key = b.unary(NodeOp::Not, key);
  SortKey out;
  out.isWide = info(b.typeOf(key)).bits == 64;
  if (!out.isWide && payload == SortPayload::None) {
    key = b.convert(ElementType::U32, key);
  } else if (!out.isWide) {
    key = b.binary(NodeOp::ShiftLeft, b.convert(ElementType::U64, key), b.constantBits(ElementType::U64, 32));
    key = b.binary(NodeOp::Or, key, payloadOf(b, operands, indices, dimension, payload));
  }
  out.items = b.finish({key});
  return out;
}

}  // namespace tessera::cpu
