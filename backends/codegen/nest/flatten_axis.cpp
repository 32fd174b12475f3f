// See flatten_axis.h.
#include "backends/codegen/nest/flatten_axis.h"

#include <algorithm>
#include <limits>

namespace tessera::codegen {

namespace {

// The program's iteration space and which accesses follow it element by element.
class Flattening {
 public:
  explicit Flattening(const LoopProgram& program) : program_(program), body_(program.body) {}
  bool pays(unsigned lanes) const;
  LoopProgram run();

 private:
  bool isIdentityIndex(std::span<const NodeId> indices, const Shape& shape) const;
  bool isFlatOperand(size_t operand) const;
  int64_t count() const;
  NodeId append(NodeOp op, ElementType type, std::vector<NodeId> inputs, uint64_t bits0 = 0);
  NodeId index(int64_t value) { return append(NodeOp::Constant, ElementType::S64, {}, static_cast<uint64_t>(value)); }
  void splitIndices();
  void copyNode(uint32_t n);

  const LoopProgram& program_;
  const ElementProgram& body_;
  ElementProgram out_;
  NodeId linear_;
  std::vector<NodeId> digits_;  // by dimension
  std::vector<NodeId> map_;     // by old node
  std::vector<bool> flat_;      // by operand
};

int64_t Flattening::count() const {
  int64_t total = 1;
  for (int64_t d : body_.outputDims)
    if (__builtin_mul_overflow(total, d, &total)) return std::numeric_limits<int64_t>::max();
  return total;
}

// Indexed by the iteration space's own indices, in an array of the same dimensions.
bool Flattening::isIdentityIndex(std::span<const NodeId> indices, const Shape& shape) const {
  if (shape.dimensions != body_.outputDims || indices.size() != body_.outputDims.size()) return false;
  for (size_t d = 0; d < indices.size(); ++d) {
    const Node& node = body_.at(indices[d]);
    bool zero = node.op == NodeOp::Constant && node.bits0 == 0 && body_.outputDims[d] == 1;
    if (!zero && (node.op != NodeOp::OutputIndex || node.bits0 != d)) return false;
  }
  return true;
}

bool Flattening::isFlatOperand(size_t operand) const {
  bool read = false;
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
    const Node& node = body_.nodes[n];
    if ((node.op == NodeOp::DimensionSize || node.op == NodeOp::ReadIf) && node.bits0 == operand) return false;
    if (node.op != NodeOp::Read || node.bits0 != operand) continue;
    if (!isIdentityIndex(body_.inputsOf(NodeId{n}), body_.operands[operand])) return false;
    read = true;
  }
  return read;
}

bool Flattening::pays(unsigned lanes) const {
  const std::vector<int64_t>& dims = body_.outputDims;
  if (dims.size() < 2 || !body_.loops.empty() || program_.parallelDims != static_cast<int64_t>(dims.size()))
    return false;
  bool isShort = dims.back() > 1 && dims.back() * 4 < static_cast<int64_t>(lanes) * 3;
  if (!isShort || count() < 4 * static_cast<int64_t>(lanes) || count() > std::numeric_limits<int32_t>::max() / 4)
    return false;
  for (const Store& store : program_.stores)
    if (store.guard.valid() || !isIdentityIndex(store.indices, program_.outputs[store.output])) return false;
  for (const Node& node : body_.nodes)
    if (node.op == NodeOp::ReadOutput) return false;
  for (size_t operand = 0; operand < body_.operands.size(); ++operand)
    if (isFlatOperand(operand)) return true;
  return false;
}

NodeId Flattening::append(NodeOp op, ElementType type, std::vector<NodeId> inputs, uint64_t bits0) {
  Node node{op, type, static_cast<uint32_t>(out_.inputs.size()), static_cast<uint32_t>(inputs.size()), bits0, 0};
  out_.inputs.insert(out_.inputs.end(), inputs.begin(), inputs.end());
  out_.nodes.push_back(node);
  return NodeId{static_cast<uint32_t>(out_.nodes.size()) - 1};
}

void Flattening::splitIndices() {
  linear_ = append(NodeOp::OutputIndex, ElementType::S64, {});
  const std::vector<int64_t>& dims = body_.outputDims;
  digits_.resize(dims.size());
  NodeId rest = linear_;
  for (size_t d = dims.size(); d-- > 0;) {
    bool last = std::all_of(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(d),
                            [](int64_t size) { return size == 1; });
    if (dims[d] == 1)
      digits_[d] = index(0);
    else if (last)
      digits_[d] = rest;
    else {
      digits_[d] = append(NodeOp::Remainder, ElementType::S64, {rest, index(dims[d])});
      rest = append(NodeOp::Divide, ElementType::S64, {rest, index(dims[d])});
    }
  }
}

void Flattening::copyNode(uint32_t n) {
  const Node& node = body_.nodes[n];
  if (node.op == NodeOp::OutputIndex) {
    map_[n] = digits_[node.bits0];
    return;
  }
  std::vector<NodeId> inputs;
  bool flat = node.op == NodeOp::Read && flat_[node.bits0];
  if (flat)
    inputs.push_back(linear_);
  else
    for (NodeId input : body_.inputsOf(NodeId{n})) inputs.push_back(map_[input.value]);
  map_[n] = append(node.op, node.type, std::move(inputs), node.bits0);
  out_.nodes.back().bits1 = node.bits1;
}

LoopProgram Flattening::run() {
  for (size_t operand = 0; operand < body_.operands.size(); ++operand) flat_.push_back(isFlatOperand(operand));
  splitIndices();
  map_.resize(body_.nodes.size());
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) copyNode(n);
  LoopProgram flat = program_;
  out_.operands = body_.operands;
  out_.outputDims = {count()};
  for (size_t operand = 0; operand < flat_.size(); ++operand)
    if (flat_[operand]) out_.operands[operand] = Shape::array(out_.operands[operand].type, out_.outputDims);
  flat.body = std::move(out_);
  for (Shape& output : flat.outputs) output = Shape::array(output.type, flat.body.outputDims);
  for (Store& store : flat.stores) {
    store.indices = {linear_};
    store.value = map_[store.value.value];
  }
  flat.parallelDims = 1;
  return flat;
}

}  // namespace

LoopProgram flattenShortAxis(LoopProgram program, unsigned lanes) {
  Flattening flattening(program);
  return flattening.pays(lanes) ? flattening.run() : program;
}

}  // namespace tessera::codegen
