// See unroll_short.h. Both steps copy the program node by node; equal nodes become one.
#include "backends/codegen/nest/unroll_short.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "backends/codegen/nest/program_analysis.h"
#include "core/base/tuning.h"

namespace tessera::codegen {

namespace {

// Appends nodes to a program.
class Writer {
 public:
  explicit Writer(ElementProgram& out) : out_(out) {}
  NodeId append(const Node& like, const std::vector<NodeId>& inputs) {
    std::vector<uint32_t> numbers;
    for (NodeId input : inputs) numbers.push_back(input.value);
    auto [known, isNew] = known_.try_emplace({like.op, like.type, like.bits0, like.bits1, std::move(numbers)});
    if (!isNew) return known->second;
    Node node = like;
    node.firstInput = static_cast<uint32_t>(out_.inputs.size());
    node.inputCount = static_cast<uint32_t>(inputs.size());
    out_.inputs.insert(out_.inputs.end(), inputs.begin(), inputs.end());
    out_.nodes.push_back(node);
    return known->second = NodeId{static_cast<uint32_t>(out_.nodes.size()) - 1};
  }
  NodeId index(int64_t value) {
    return append({NodeOp::Constant, ElementType::S64, 0, 0, static_cast<uint64_t>(value), 0}, {});
  }

 private:
  ElementProgram& out_;
  std::map<std::tuple<NodeOp, ElementType, uint64_t, uint64_t, std::vector<uint32_t>>, NodeId> known_;
};

int64_t roundsOf(const Loop& loop) {
  int64_t rounds = 1;
  for (int64_t range : loop.ranges) {
    if (range == 0 || range > tuning().fusion.maxUnrolledRounds) return 0;
    rounds *= range;
  }
  return rounds;
}

// Loops of few rounds that are in the body of another and hold none themselves.
class LoopUnrolling {
 public:
  LoopUnrolling(const LoopProgram& program, const ProgramAnalysis& analysis)
      : program_(program), body_(program.body), analysis_(analysis), writer_(out_) {}
  bool pays();
  LoopProgram run();

 private:
  // What stands for the index and the accumulators of a loop in one of its rounds.
  struct Round {
    int32_t loop = -1;
    std::vector<int64_t> indices;
    std::vector<NodeId> accumulators;
    std::map<uint32_t, NodeId> done;
  };
  NodeId copy(NodeId id, Round* round);
  NodeId make(NodeId id, Round* round);
  NodeId result(uint32_t loop, size_t k, Round* round);

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  ElementProgram out_;
  Writer writer_;
  std::vector<bool> unrolled_;                       // by loop
  std::map<uint32_t, NodeId> done_;                  // by node outside of unrolled loops
  std::map<uint32_t, std::vector<NodeId>> results_;  // by unrolled loop
};

bool LoopUnrolling::pays() {
  unrolled_.assign(body_.loops.size(), false);
  size_t added = 0;
  for (size_t n = 0; n < body_.nodes.size(); ++n) {
    const Node& node = body_.nodes[n];
    if (node.op != NodeOp::LoopResult || analysis_.homeLoop[n] < 0) continue;
    const int64_t rounds = roundsOf(body_.loops[node.bits0]);
    if (rounds >= 1 && rounds <= tuning().fusion.maxUnrolledRounds) unrolled_[node.bits0] = true;
  }
  for (size_t l = 0; l < unrolled_.size(); ++l) {
    if (!unrolled_[l]) continue;
    for (size_t n = 0; n < body_.nodes.size(); ++n) {
      if (!analysis_.dependence[n].loops.test(l)) continue;
      if (body_.nodes[n].op == NodeOp::LoopResult && body_.nodes[n].bits0 != l) unrolled_[l] = false;
      added += static_cast<size_t>(tuning().fusion.maxUnrolledRounds);
    }
  }
  return std::ranges::find(unrolled_, true) != unrolled_.end() &&
         body_.nodes.size() + added <= tuning().codegen.maxUnrolledNodes;
}

NodeId LoopUnrolling::copy(NodeId id, Round* round) {
  const bool inRound = round && analysis_.dependence[id.value].loops.test(static_cast<size_t>(round->loop));
  auto& done = inRound ? round->done : done_;
  if (auto found = done.find(id.value); found != done.end()) return found->second;
  const NodeId made = make(id, inRound ? round : nullptr);
  return done[id.value] = made;
}

NodeId LoopUnrolling::make(NodeId id, Round* round) {
  const Node& node = body_.at(id);
  const bool own = round && node.bits0 == static_cast<uint64_t>(round->loop);
  if (own && node.op == NodeOp::LoopIndex) return writer_.index(round->indices[node.bits1]);
  if (own && node.op == NodeOp::Accumulator) return round->accumulators[node.bits1];
  if (node.op == NodeOp::LoopResult) {
    if (unrolled_[node.bits0]) return result(static_cast<uint32_t>(node.bits0), node.bits1, round);
    Loop& loop = out_.loops[node.bits0];
    const Loop& from = body_.loops[node.bits0];
    if (loop.next.empty()) {
      std::vector<NodeId> inits, next;
      for (NodeId init : from.inits) inits.push_back(copy(init, round));
      for (NodeId each : from.next) next.push_back(copy(each, round));
      loop.inits = std::move(inits);
      loop.next = std::move(next);
    }
  }
  std::vector<NodeId> inputs;
  for (NodeId input : body_.inputsOf(id)) inputs.push_back(copy(input, round));
  return writer_.append(node, inputs);
}

// The rounds in row-major order, each with the accumulators of the one before.
NodeId LoopUnrolling::result(uint32_t number, size_t k, Round* outer) {
  auto [known, isNew] = results_.try_emplace(number);
  if (!isNew) return known->second[k];
  const Loop& loop = body_.loops[number];
  std::vector<NodeId> values;
  for (NodeId init : loop.inits) values.push_back(copy(init, outer));
  const int64_t rounds = roundsOf(loop);
  for (int64_t r = 0; r < rounds; ++r) {
    Round round{static_cast<int32_t>(number), std::vector<int64_t>(loop.ranges.size()), values, {}};
    int64_t rest = r;
    for (size_t d = loop.ranges.size(); d-- > 0; rest /= loop.ranges[d]) round.indices[d] = rest % loop.ranges[d];
    for (size_t a = 0; a < values.size(); ++a) values[a] = copy(loop.next[a], &round);
  }
  return (results_[number] = values)[k];
}

LoopProgram LoopUnrolling::run() {
  LoopProgram out = program_;
  out_.operands = body_.operands;
  out_.outputDims = body_.outputDims;
  for (const Loop& loop : body_.loops) out_.loops.push_back({loop.ranges, {}, {}, loop.associative});
  for (Store& store : out.stores) {
    for (NodeId& index : store.indices) index = copy(index, nullptr);
    if (store.guard.valid()) store.guard = copy(store.guard, nullptr);
    store.value = copy(store.value, nullptr);
  }
  // Loops that nothing reads any more go; the others keep their order.
  std::vector<uint64_t> number(out_.loops.size());
  std::vector<Loop> loops;
  for (size_t l = 0; l < out_.loops.size(); ++l) {
    number[l] = loops.size();
    if (!out_.loops[l].next.empty()) loops.push_back(std::move(out_.loops[l]));
  }
  out_.loops = std::move(loops);
  for (Node& node : out_.nodes)
    if (node.op == NodeOp::LoopIndex || node.op == NodeOp::Accumulator || node.op == NodeOp::LoopResult)
      node.bits0 = number[node.bits0];
  out.body = std::move(out_);
  return out;
}

// The last dimension of the iteration space.
class AxisUnrolling {
 public:
  explicit AxisUnrolling(const LoopProgram& program) : program_(program), body_(program.body), writer_(out_) {}
  bool pays();
  LoopProgram run();

 private:
  int64_t size() const { return body_.outputDims.back(); }
  bool isIdentityIndex(const Store& store) const;
  void findVarying();
  bool sharesWork() const;
  void copyNode(uint32_t n);

  const LoopProgram& program_;
  const ElementProgram& body_;
  ElementProgram out_;
  Writer writer_;
  std::vector<bool> varies_, loopVaries_;    // by node, by loop: sees the dimension
  std::vector<std::vector<NodeId>> copies_;  // by node: one, or one for each index
};

bool AxisUnrolling::isIdentityIndex(const Store& store) const {
  if (store.guard.valid() || program_.outputs[store.output].dimensions != body_.outputDims) return false;
  for (size_t d = 0; d < store.indices.size(); ++d) {
    const Node& node = body_.at(store.indices[d]);
    if (node.op != NodeOp::OutputIndex || node.bits0 != d) return false;
  }
  return true;
}

void AxisUnrolling::findVarying() {
  varies_.assign(body_.nodes.size(), false);
  loopVaries_.assign(body_.loops.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
      const Node& node = body_.nodes[n];
      bool varies = node.op == NodeOp::OutputIndex && node.bits0 + 1 == body_.outputDims.size();
      if (node.op == NodeOp::Accumulator || node.op == NodeOp::LoopResult) varies = loopVaries_[node.bits0];
      for (NodeId input : body_.inputsOf(NodeId{n})) varies = varies || varies_[input.value];
      varies_[n] = varies;
    }
    for (size_t l = 0; l < body_.loops.size(); ++l) {
      auto sees = [&](NodeId id) { return varies_[id.value]; };
      if (loopVaries_[l] ||
          !(std::ranges::any_of(body_.loops[l].next, sees) || std::ranges::any_of(body_.loops[l].inits, sees)))
        continue;
      loopVaries_[l] = changed = true;
    }
  }
}

// Arithmetic in a loop that varies, on what does not.
bool AxisUnrolling::sharesWork() const {
  std::vector<bool> inLoop(body_.nodes.size(), false), works(body_.nodes.size(), false);
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
    const Node& node = body_.nodes[n];
    inLoop[n] = node.op == NodeOp::LoopIndex && loopVaries_[node.bits0];
    for (NodeId input : body_.inputsOf(NodeId{n})) inLoop[n] = inLoop[n] || inLoop[input.value];
    works[n] = inLoop[n] && !varies_[n] && isArithmetic(node.op) && node.type != ElementType::S64;
  }
  return std::ranges::find(works, true) != works.end();
}

bool AxisUnrolling::pays() {
  const auto rank = static_cast<int64_t>(body_.outputDims.size());
  if (rank < 2 || body_.loops.empty() || program_.parallelDims != rank || size() < 2 ||
      size() > tuning().fusion.maxUnrolledRounds)
    return false;
  if (body_.nodes.size() * static_cast<size_t>(size()) > tuning().codegen.maxUnrolledNodes) return false;
  if (!std::ranges::all_of(program_.stores, [&](const Store& store) { return isIdentityIndex(store); })) return false;
  if (std::ranges::any_of(body_.nodes, [](const Node& node) { return node.op == NodeOp::ReadOutput; })) return false;
  findVarying();
  return sharesWork();
}

void AxisUnrolling::copyNode(uint32_t n) {
  const Node& node = body_.nodes[n];
  const int64_t copies = varies_[n] ? size() : 1;
  for (int64_t d = 0; d < copies; ++d) {
    if (node.op == NodeOp::OutputIndex && varies_[n]) {
      copies_[n].push_back(writer_.index(d));
      continue;
    }
    Node like = node;
    const bool ofLoop = node.op == NodeOp::Accumulator || node.op == NodeOp::LoopResult;
    if (ofLoop && varies_[n]) like.bits1 += static_cast<uint64_t>(d) * body_.loops[node.bits0].next.size();
    std::vector<NodeId> inputs;
    for (NodeId input : body_.inputsOf(NodeId{n})) {
      const auto& of = copies_[input.value];
      inputs.push_back(of[of.size() == 1 ? 0 : static_cast<size_t>(d)]);
    }
    copies_[n].push_back(writer_.append(like, inputs));
  }
}

LoopProgram AxisUnrolling::run() {
  LoopProgram out = program_;
  out_.operands = body_.operands;
  out_.outputDims = body_.outputDims;
  out_.outputDims.pop_back();
  copies_.resize(body_.nodes.size());
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) copyNode(n);
  auto copyOf = [&](NodeId id, int64_t d) {
    return copies_[id.value][copies_[id.value].size() == 1 ? 0 : static_cast<size_t>(d)];
  };
  for (size_t l = 0; l < body_.loops.size(); ++l) {
    Loop loop{body_.loops[l].ranges, {}, {}, body_.loops[l].associative};
    for (int64_t d = 0; d < (loopVaries_[l] ? size() : 1); ++d) {
      for (NodeId init : body_.loops[l].inits) loop.inits.push_back(copyOf(init, d));
      for (NodeId next : body_.loops[l].next) loop.next.push_back(copyOf(next, d));
    }
    out_.loops.push_back(std::move(loop));
  }
  out.stores.clear();
  for (const Store& store : program_.stores)
    for (int64_t d = 0; d < size(); ++d) {
      std::vector<NodeId> indices;
      for (NodeId index : store.indices) indices.push_back(copyOf(index, d));
      out.stores.push_back({store.output, std::move(indices), NodeId{}, copyOf(store.value, d)});
    }
  out.body = std::move(out_);
  out.parallelDims = static_cast<int64_t>(out.body.outputDims.size());
  return out;
}

}  // namespace

LoopProgram unrollShort(LoopProgram program) {
  if (program.body.loops.empty() || program.body.nodes.size() > tuning().codegen.maxUnrolledNodes) return program;
  if (auto analysis =
          program.body.loops.size() > 1 ? ProgramAnalysis::of(program) : Result<ProgramAnalysis>(fail("one loop"))) {
    LoopUnrolling loops(program, *analysis);
    if (loops.pays()) program = loops.run();
  }
  AxisUnrolling axis(program);
  return axis.pays() ? axis.run() : program;
}

}  // namespace tessera::codegen
