// See split_scatter.h.
#include "backends/codegen/nest/split_scatter.h"

#include <algorithm>

#include "backends/codegen/nest/split_reduction.h"
#include "core/base/tuning.h"
#include "core/element/copy_node.h"

namespace tessera::codegen {

namespace {

int64_t piecesOfScatter() { return tuning().codegen.scatterPieces; }

int64_t countOf(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t d : dims)
    if (__builtin_mul_overflow(count, d, &count)) return INT64_MAX;
  return count;
}

// The one store as out[indices] = out[indices] op update.
struct Update {
  NodeOp op = NodeOp::Add;
  ElementType type = ElementType::F32;
  NodeId value;
  ScalarBits neutral;
};

std::optional<Update> updateOf(const LoopProgram& program) {
  const ElementProgram& body = program.body;
  if (program.outputs.size() != 1 || program.stores.size() != 1 || program.initialOperand[0] < 0 || !body.loops.empty())
    return std::nullopt;
  const Store& store = program.stores[0];
  const Node& combined = body.at(store.value);
  auto inputs = body.inputsOf(store.value);
  if (inputs.size() != 2 || combined.type != program.outputs[0].type) return std::nullopt;
  const auto neutral = neutralOf(combined.op, combined.type);
  auto isStored = [&](NodeId id) {
    return body.at(id).op == NodeOp::ReadOutput && std::ranges::equal(body.inputsOf(id), store.indices);
  };
  const size_t side = isStored(inputs[0]) ? 1 : 0;
  if (!neutral || !isStored(inputs[1 - side])) return std::nullopt;
  if (std::ranges::count(body.nodes, NodeOp::ReadOutput, &Node::op) != 1 || isStored(inputs[side])) return std::nullopt;
  std::vector<bool> seesOutput(body.nodes.size(), false);
  for (uint32_t n = 0; n < body.nodes.size(); ++n) {
    seesOutput[n] = body.nodes[n].op == NodeOp::ReadOutput;
    for (NodeId input : body.inputsOf(NodeId{n})) seesOutput[n] = seesOutput[n] || seesOutput[input.value];
  }
  const bool guardSees = store.guard.valid() && seesOutput[store.guard.value];
  if (seesOutput[inputs[side].value] || guardSees) return std::nullopt;
  return Update{combined.op, combined.type, inputs[side], *neutral};
}

std::vector<int64_t> behind(std::initializer_list<int64_t> front, const std::vector<int64_t>& dims) {
  std::vector<int64_t> out(front);
  out.insert(out.end(), dims.begin(), dims.end());
  return out;
}

// The updates of one piece: the iteration space gets a leading dimension, the old first one is cut.
class Pieces {
 public:
  Pieces(const LoopProgram& program, const Update& update)
      : program_(program),
        body_(program.body),
        update_(update),
        size_((body_.outputDims[0] + piecesOfScatter() - 1) / piecesOfScatter()),
        b_(body_.operands, behind({piecesOfScatter(), size_}, {body_.outputDims.begin() + 1, body_.outputDims.end()})),
        copies_(body_.nodes.size()) {}

  LoopProgram run() {
    const Store& store = program_.stores[0];
    NodeId place = b_.add(b_.multiply(b_.outputIndex(0), b_.index(size_)), b_.outputIndex(1));
    first_ = b_.clampIndex(place, 0, body_.outputDims[0] - 1);
    NodeId guard = b_.inRange(place, 0, body_.outputDims[0]);
    if (store.guard.valid()) guard = b_.logicalAnd(guard, copy(store.guard));
    std::vector<NodeId> kept{b_.outputIndex(0)};
    for (NodeId index : store.indices) kept.push_back(copy(index));
    const size_t indices = kept.size();
    NodeId before = b_.readOutput(0, update_.type, kept);
    kept.push_back(b_.binary(update_.op, before, copy(update_.value)));
    kept.push_back(guard);
    LoopProgram out;
    out.body = b_.finish(std::move(kept));
    const std::vector<NodeId> made = std::exchange(out.body.results, {});
    out.outputs = {Shape::array(update_.type, behind({piecesOfScatter()}, program_.outputs[0].dimensions))};
    out.initialOperand = {-1};
    out.stores = {Store{
        0, {made.begin(), made.begin() + static_cast<std::ptrdiff_t>(indices)}, made[indices + 1], made[indices]}};
    out.parallelDims = 1;
    return out;
  }

 private:
  NodeId copy(NodeId id) {
    NodeId& made = copies_[id.value];
    if (!made.valid()) {
      std::vector<NodeId> in;
      for (NodeId input : body_.inputsOf(id)) in.push_back(copy(input));
      made = emit(body_.at(id), in);
    }
    return made;
  }

  NodeId emit(const Node& node, const std::vector<NodeId>& in) {
    if (node.op != NodeOp::OutputIndex) return copyNode(b_, node, in);
    return node.bits0 == 0 ? first_ : b_.outputIndex(static_cast<int64_t>(node.bits0) + 1);
  }

  const LoopProgram& program_;
  const ElementProgram& body_;
  const Update& update_;
  int64_t size_;
  ElementBuilder b_;
  std::vector<NodeId> copies_;  // by node
  NodeId first_;                // the old first index
};

ElementProgram fillOf(const Update& update, const std::vector<int64_t>& dims) {
  ElementBuilder b({}, behind({piecesOfScatter()}, dims));
  return b.finish({b.constantBits(update.type, update.neutral.low)});
}

std::optional<ElementProgram> joinOf(const LoopProgram& program, const Update& update) {
  const std::vector<int64_t>& dims = program.outputs[0].dimensions;
  std::vector<Shape> operands = program.body.operands;
  operands.push_back(Shape::array(update.type, behind({piecesOfScatter()}, dims)));
  ElementBuilder b(operands, dims);
  std::vector<NodeId> place;
  for (size_t d = 0; d < dims.size(); ++d) place.push_back(b.outputIndex(static_cast<int64_t>(d)));
  auto describe = [&](std::span<const NodeId> indices,
                      std::span<const NodeId> accumulators) -> Result<std::vector<NodeId>> {
    std::vector<NodeId> at{indices[0]};
    at.insert(at.end(), place.begin(), place.end());
    return std::vector<NodeId>{b.binary(update.op, accumulators[0], b.read(operands.size() - 1, at))};
  };
  auto joined = b.loop({piecesOfScatter()}, {b.read(static_cast<size_t>(program.initialOperand[0]), place)}, describe);
  if (!joined) return std::nullopt;
  return b.finish(std::move(*joined));
}

}  // namespace

std::optional<SplitScatter> splitScatter(const LoopProgram& program, const Target& target) {
  const auto& limits = tuning().codegen;
  const std::vector<int64_t>& space = program.body.outputDims;
  if (program.parallelDims != 0 || space.empty() || space[0] < 4 * piecesOfScatter()) return std::nullopt;
  const auto update = updateOf(program);
  if (!update) return std::nullopt;
  const int64_t updates = countOf(space), elements = countOf(program.outputs[0].dimensions);
  const bool few = elements > 0 && elements <= limits.scatterPieceBytes / byteWidth(update->type) &&
                   elements <= updates / (2 * piecesOfScatter());
  if (!few || updates < limits.splitUpdates) return std::nullopt;
  auto analysis = ProgramAnalysis::of(program);
  if (!analysis || KernelNest::of(program, *analysis, target).parallelCount > 1) return std::nullopt;
  auto join = joinOf(program, *update);
  if (!join) return std::nullopt;
  return SplitScatter{fillOf(*update, program.outputs[0].dimensions), Pieces(program, *update).run(), std::move(*join)};
}

}  // namespace tessera::codegen
