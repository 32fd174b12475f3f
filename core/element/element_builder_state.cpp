// See element_builder_state.h: interning, and folding of nodes whose inputs are all constants by scalar_math.
#include "core/element/element_builder_state.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

size_t hashNode(const Node& node, std::span<const NodeId> inputs) {
  size_t seed = mixedHash(static_cast<size_t>(node.op), static_cast<uint64_t>(node.type));
  seed = mixedHash(mixedHash(seed, node.bits0), node.bits1);
  for (NodeId id : inputs) seed = mixedHash(seed, id.value);
  return seed;
}

}  // namespace

NodeId ElementBuilder::State::append(NodeOp op, ElementType type, std::span<const NodeId> inputs, uint64_t bits0,
                                     uint64_t bits1) {
  NodeId id{static_cast<uint32_t>(program.nodes.size())};
  Node node{op, type, static_cast<uint32_t>(program.inputs.size()), static_cast<uint32_t>(inputs.size()), bits0, bits1};
  program.nodes.push_back(node);
  program.inputs.insert(program.inputs.end(), inputs.begin(), inputs.end());
  return id;
}

NodeId ElementBuilder::State::intern(NodeOp op, ElementType type, std::span<const NodeId> inputs, uint64_t bits0,
                                     uint64_t bits1) {
  const Node wanted{op, type, 0, 0, bits0, bits1};
  const size_t hash = hashNode(wanted, inputs);
  auto [begin, end] = interned.equal_range(hash);
  for (; begin != end; ++begin) {
    const Node& node = program.at(begin->second);
    const auto has = program.inputsOf(begin->second);
    if (node.op == op && node.type == type && node.bits0 == bits0 && node.bits1 == bits1 &&
        std::equal(has.begin(), has.end(), inputs.begin(), inputs.end()))
      return begin->second;
  }
  const std::vector<NodeId> kept(inputs.begin(), inputs.end());  // inputs may point into the pool
  NodeId id = append(op, type, kept, bits0, bits1);
  interned.emplace(hash, id);
  return id;
}

std::optional<ScalarBits> ElementBuilder::State::valueOf(NodeId id) const {
  const Node& node = program.at(id);
  if (node.op != NodeOp::Constant) return std::nullopt;
  return ScalarBits{node.bits0, node.bits1};
}

NodeId ElementBuilder::State::scalar(NodeOp op, ElementType type, std::initializer_list<NodeId> inputs, uint64_t bits0,
                                     uint64_t bits1) {
  std::vector<TypedScalar> values;
  for (NodeId id : inputs)
    if (auto value = valueOf(id)) values.push_back({program.at(id).type, *value});
  if (values.size() == inputs.size()) return constant(type, applyScalar({op, type, 0, 0, bits0, bits1}, values));
  return intern(op, type, {inputs.begin(), inputs.size()}, bits0, bits1);
}

bool ElementBuilder::State::isInt(NodeId id, int64_t value) const {
  const Node& node = program.at(id);
  if (node.op != NodeOp::Constant || !isInteger(node.type)) return false;
  return scalarAsInt({node.type, {node.bits0, node.bits1}}) == value;
}

bool ElementBuilder::State::isPred(NodeId id, uint64_t value) const {
  const Node& node = program.at(id);
  return node.op == NodeOp::Constant && node.type == ElementType::Pred && node.bits0 == value;
}

// x op neutral = x and the like; only what holds for every value of the type.
std::optional<NodeId> ElementBuilder::State::identity(NodeOp op, ElementType type, NodeId a, NodeId b) {
  if (type == ElementType::Pred) {
    if (op == NodeOp::And || op == NodeOp::Multiply || op == NodeOp::Minimum) {
      if (isTrue(a) || isFalse(b) || a == b) return b;
      if (isTrue(b) || isFalse(a)) return a;
    }
    if (op == NodeOp::Or || op == NodeOp::Add || op == NodeOp::Maximum) {
      if (isFalse(a) || isTrue(b) || a == b) return b;
      if (isFalse(b) || isTrue(a)) return a;
    }
    return std::nullopt;
  }
  if (isInteger(type)) {
    if ((op == NodeOp::Add || op == NodeOp::Or || op == NodeOp::Xor) && isInt(a, 0)) return b;
    if ((op == NodeOp::Add || op == NodeOp::Or || op == NodeOp::Xor || op == NodeOp::Subtract) && isInt(b, 0)) return a;
    if (op == NodeOp::Multiply && (isInt(b, 1) || isInt(a, 0))) return a;
    if (op == NodeOp::Multiply && (isInt(a, 1) || isInt(b, 0))) return b;
    if (op == NodeOp::Divide && isInt(b, 1)) return a;
  }
  if (isFloat(type) && (op == NodeOp::Multiply || op == NodeOp::Divide)) {
    const ScalarBits one = scalarFromDouble(type, 1);
    if (valueOf(b) == one) return a;
    if (op == NodeOp::Multiply && valueOf(a) == one) return b;
  }
  if ((op == NodeOp::Maximum || op == NodeOp::Minimum) && a == b) return a;
  return std::nullopt;
}

}  // namespace tessera
