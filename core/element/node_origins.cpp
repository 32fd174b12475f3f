// See node_origins.h. A node's hash is that of the expression below it, so it survives renumbering.
#include "core/element/node_origins.h"

#include "core/base/hash.h"

namespace tessera {
namespace {

thread_local NodeOrigins* recording = nullptr;
constexpr size_t kMaxNodes = 4000;  // each note hashes the program so far

// Loops are known by their ranges and what they gather, not by their numbers.
class Hashes {
 public:
  Hashes(const ElementProgram& program, bool isLoose) : program_(program), isLoose_(isLoose) {
    for (uint32_t n = 0; n < program.nodes.size(); ++n) all_.push_back(hashOf(NodeId{n}));
  }
  size_t at(NodeId id) const { return id.value < all_.size() ? all_[id.value] : 0; }

 private:
  size_t hashOf(NodeId id) const {
    const Node& node = program_.at(id);
    size_t seed = mixedHash(static_cast<size_t>(node.op), static_cast<uint64_t>(node.type));
    const bool isIndex = node.op == NodeOp::OutputIndex || node.op == NodeOp::LoopIndex;
    if (isIndex && isLoose_) return seed;
    if (node.op == NodeOp::LoopIndex)
      return mixedHash(mixedHash(seed, static_cast<uint64_t>(program_.loops[node.bits0].ranges[node.bits1])),
                       node.bits1);
    if (node.op == NodeOp::Accumulator) return mixedHash(seed, node.bits1);
    if (node.op == NodeOp::LoopResult) return loopHash(mixedHash(seed, node.bits1), program_.loops[node.bits0]);
    seed = mixedHash(mixedHash(seed, node.bits0), node.bits1);
    const bool isRead = node.op == NodeOp::Read || node.op == NodeOp::ReadOutput;
    if (isRead && isLoose_) return seed;
    for (NodeId input : program_.inputsOf(id))
      if (!isLoose_ || program_.at(input).type != ElementType::S64) seed = mixedHash(seed, at(input));
    return seed;
  }
  size_t loopHash(size_t seed, const Loop& loop) const {
    if (!isLoose_)
      for (int64_t range : loop.ranges) seed = mixedHash(seed, static_cast<uint64_t>(range));
    for (NodeId init : loop.inits) seed = mixedHash(seed, at(init));
    for (NodeId next : loop.next) seed = mixedHash(seed, at(next));
    return seed;
  }

  const ElementProgram& program_;
  bool isLoose_;
  std::vector<size_t> all_;
};

// Nodes that any instruction may have belong to none.
bool isAnonymous(const Node& node) {
  return node.op == NodeOp::Constant || node.op == NodeOp::OutputIndex || node.op == NodeOp::LoopIndex ||
         node.op == NodeOp::Accumulator;
}

}  // namespace

NodeOrigins::Recording::Recording(NodeOrigins& into) : before_(recording) { recording = &into; }
NodeOrigins::Recording::~Recording() { recording = before_; }

void NodeOrigins::note(const ElementProgram& program, std::span<const NodeId> results, InstructionId instruction) {
  if (!recording || program.nodes.size() > kMaxNodes) return;
  const Hashes exact(program, false), loose(program, true);
  for (NodeId id : results) {
    if (isAnonymous(program.at(id))) continue;
    recording->exact_.emplace(exact.at(id), instruction);  // the first that computes it
    const auto [at, isNew] = recording->loose_.emplace(loose.at(id), instruction);
    if (!isNew && at->second != instruction) at->second = {};
  }
}

void NodeOrigins::carry(const ElementProgram& from, NodeId node, const ElementProgram& to, NodeId now) {
  if (!recording || !now.valid() || from.nodes.size() > kMaxNodes) return;
  const auto known = recording->exact_.find(Hashes(from, false).at(node));
  if (known == recording->exact_.end()) return;
  const InstructionId instruction = known->second;
  note(to, std::span(&now, 1), instruction);
}

std::vector<InstructionId> NodeOrigins::of(const ElementProgram& program) const {
  std::vector<InstructionId> out(program.nodes.size());
  const Hashes exact(program, false), loose(program, true);
  for (uint32_t n = 0; n < out.size(); ++n) {
    if (isAnonymous(program.nodes[n])) continue;
    const auto found = exact_.find(exact.at(NodeId{n}));
    if (found != exact_.end())
      out[n] = found->second;
    else if (const auto like = loose_.find(loose.at(NodeId{n})); like != loose_.end())
      out[n] = like->second;
  }
  const auto give = [&](std::span<const NodeId> to, InstructionId instruction) {
    for (NodeId id : to)
      if (!out[id.value].valid()) out[id.value] = instruction;
  };
  for (uint32_t n = static_cast<uint32_t>(out.size()); n-- > 0;) {
    if (!out[n].valid()) continue;
    give(program.inputsOf(NodeId{n}), out[n]);
    if (program.nodes[n].op != NodeOp::LoopResult) continue;
    const Loop& loop = program.loops[program.nodes[n].bits0];
    give(loop.next, out[n]);
    give(loop.inits, out[n]);
  }
  return out;
}

}  // namespace tessera
