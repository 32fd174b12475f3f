// See split_reduction.h. What is left over when the range does not divide into blocks is reduced by `join`, in order.
#include "backends/codegen/nest/split_reduction.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "core/base/tuning.h"
#include "core/element/copy_node.h"
#include "core/element/loop_nest.h"
#include "core/element/scalar_functions.h"

namespace tessera::codegen {

namespace {

// How the loops are cut: `dimension` of their equal ranges into `blocks` of `size`, `rest` remaining.
struct Cut {
  std::vector<bool> loops;  // by loop: cut
  size_t dimension = 0;
  int64_t blocks = 1, size = 1, rest = 0;
};

// Rewrites a program; a derived class says what becomes of indices, loops and their results.
class Copy {
 public:
  Copy(const ElementProgram& program, std::vector<Shape> operands, std::vector<int64_t> outputDims)
      : program_(program),
        nest_(loopNest(program)),
        b_(std::move(operands), std::move(outputDims)),
        renamed_(program.nodes.size()),
        loopResults_(program.loops.size()) {}
  virtual ~Copy() = default;

 protected:
  using Results = Result<std::vector<NodeId>>;
  virtual NodeId outputIndex(int64_t dimension) = 0;
  virtual Results emitLoop(size_t loop) {
    return copyLoop(loop, program_.loops[loop].ranges, at(program_.loops[loop].inits), 0, NodeId{});
  }

  std::vector<NodeId> at(std::span<const NodeId> ids) {
    std::vector<NodeId> out;
    for (NodeId id : ids) out.push_back(valueOf(id));
    return out;
  }
  NodeId valueOf(NodeId id) {
    NodeId& renamed = renamed_[id.value];
    if (!renamed.valid()) {
      NodeId made = emit(id);
      renamed_[id.value] = made;
    }
    return renamed_[id.value];
  }
  // The loop over `ranges`; index `dimension` gets `offset` added when that is valid.
  Results copyLoop(size_t loop, std::vector<int64_t> ranges, std::vector<NodeId> inits, size_t dimension,
                   NodeId offset);

  const ElementProgram& program_;
  LoopNest nest_;
  ElementBuilder b_;
  std::vector<NodeId> renamed_;
  std::vector<std::vector<NodeId>> loopResults_;
  std::optional<Diagnostic> failure_;

 private:
  NodeId emit(NodeId id);
  NodeId loopResult(const Node& node);
};

Copy::Results Copy::copyLoop(size_t loop, std::vector<int64_t> ranges, std::vector<NodeId> inits, size_t dimension,
                             NodeId offset) {
  const auto& body = nest_.bodyOf(static_cast<int32_t>(loop));
  for (NodeId id : body)  // what the body takes from outside is described outside
    for (NodeId input : program_.inputsOf(id))
      if (nest_.home[input.value] != static_cast<int32_t>(loop)) valueOf(input);
  auto describe = [&](std::span<const NodeId> indices, std::span<const NodeId> accumulators) -> Results {
    for (NodeId id : body) renamed_[id.value] = NodeId{};
    for (NodeId id : body) {
      const Node& node = program_.at(id);
      if (node.op == NodeOp::Accumulator && node.bits0 == loop) renamed_[id.value] = accumulators[node.bits1];
      if (node.op != NodeOp::LoopIndex || node.bits0 != loop) continue;
      bool moved = offset.valid() && node.bits1 == dimension;
      renamed_[id.value] = moved ? b_.add(offset, indices[node.bits1]) : indices[node.bits1];
    }
    for (NodeId id : body) valueOf(id);
    return at(program_.loops[loop].next);
  };
  return b_.loop(std::move(ranges), std::move(inits), describe, program_.loops[loop].associative);
}

NodeId Copy::loopResult(const Node& node) {
  auto& results = loopResults_[node.bits0];
  if (results.empty()) {
    auto made = emitLoop(node.bits0);
    if (made)
      results = std::move(*made);
    else
      failure_ = std::move(made).error();
    if (results.empty()) results.resize(program_.loops[node.bits0].inits.size(), b_.index(0));
  }
  return results[node.bits1];
}

NodeId Copy::emit(NodeId id) {
  const Node& node = program_.at(id);
  if (node.op == NodeOp::LoopResult) return loopResult(node);
  const std::vector<NodeId> in = at(program_.inputsOf(id));
  return node.op == NodeOp::OutputIndex ? outputIndex(static_cast<int64_t>(node.bits0)) : copyNode(b_, node, in);
}

std::vector<int64_t> blockDims(const ElementProgram& program, const Cut& cut) {
  std::vector<int64_t> dims{cut.blocks};
  dims.insert(dims.end(), program.outputDims.begin(), program.outputDims.end());
  return dims;
}

// One block of each cut loop; the block is the new leading output dimension.
class Blocks final : public Copy {
 public:
  Blocks(const ElementProgram& program, const Cut& cut)
      : Copy(program, program.operands, blockDims(program, cut)), cut_(cut) {}

  std::optional<ElementProgram> run() {
    NodeId first = b_.multiply(b_.outputIndex(0), b_.index(cut_.size));
    std::vector<NodeId> results;
    for (size_t l = 0; l < program_.loops.size(); ++l) {
      if (!cut_.loops[l]) continue;
      const Loop& loop = program_.loops[l];
      std::vector<int64_t> ranges = loop.ranges;
      ranges[cut_.dimension] = cut_.size;
      std::vector<NodeId> inits;
      for (NodeId next : loop.next) {
        const Node& combined = program_.at(next);
        inits.push_back(b_.constantBits(combined.type, neutralOf(combined.op, combined.type)->low));
      }
      auto made = copyLoop(l, std::move(ranges), std::move(inits), cut_.dimension, first);
      if (!made || failure_) return std::nullopt;
      results.insert(results.end(), made->begin(), made->end());
    }
    return b_.finish(std::move(results));
  }

 private:
  NodeId outputIndex(int64_t dimension) override { return b_.outputIndex(dimension + 1); }
  const Cut& cut_;
};

std::vector<Shape> withPartials(const ElementProgram& program, const Cut& cut) {
  std::vector<Shape> operands = program.operands;
  for (size_t l = 0; l < program.loops.size(); ++l)
    if (cut.loops[l])
      for (NodeId next : program.loops[l].next)
        operands.push_back(Shape::array(program.at(next).type, blockDims(program, cut)));
  return operands;
}

// The program with each cut loop replaced by one over the blocks' results, and one over the rest of its range.
class Join final : public Copy {
 public:
  Join(const ElementProgram& program, const Cut& cut)
      : Copy(program, withPartials(program, cut), program.outputDims), cut_(cut) {
    size_t operand = program.operands.size();
    for (size_t l = 0; l < program.loops.size(); ++l) {
      firstPartial_.push_back(operand);
      if (cut.loops[l]) operand += program.loops[l].next.size();
    }
  }

  std::optional<ElementProgram> run() {
    std::vector<NodeId> results = at(program_.results);
    if (failure_) return std::nullopt;
    return b_.finish(std::move(results));
  }

 private:
  NodeId outputIndex(int64_t dimension) override { return b_.outputIndex(dimension); }

  Results emitLoop(size_t l) override {
    if (!cut_.loops[l]) return Copy::emitLoop(l);
    const Loop& loop = program_.loops[l];
    auto describe = [&](std::span<const NodeId> indices, std::span<const NodeId> accumulators) -> Results {
      std::vector<NodeId> place{indices[0]}, next;
      for (size_t d = 0; d < program_.outputDims.size(); ++d) place.push_back(b_.outputIndex(static_cast<int64_t>(d)));
      for (size_t k = 0; k < loop.next.size(); ++k)
        next.push_back(b_.binary(program_.at(loop.next[k]).op, accumulators[k], b_.read(firstPartial_[l] + k, place)));
      return next;
    };
    TESSERA_ASSIGN_OR_RETURN(std::vector<NodeId> joined, b_.loop({cut_.blocks}, at(loop.inits), describe));
    if (cut_.rest == 0) return joined;
    std::vector<int64_t> ranges = loop.ranges;
    ranges[cut_.dimension] = cut_.rest;
    return copyLoop(l, std::move(ranges), std::move(joined), cut_.dimension, b_.index(cut_.blocks * cut_.size));
  }

  const Cut& cut_;
  std::vector<size_t> firstPartial_;  // by loop: operand of its first block results
};

// Nodes whose value needs that of a loop.
std::vector<bool> seesLoops(const ElementProgram& program) {
  std::vector<bool> sees(program.nodes.size(), false);
  for (uint32_t n = 0; n < program.nodes.size(); ++n) {
    sees[n] = program.nodes[n].op == NodeOp::LoopResult;
    for (NodeId input : program.inputsOf(NodeId{n})) sees[n] = sees[n] || sees[input.value];
  }
  return sees;
}

bool canCut(const ElementProgram& program, const ProgramAnalysis& analysis, const std::vector<bool>& sees, size_t l) {
  const Loop& loop = program.loops[l];
  if (!analysis.reducible[l]) return false;
  for (size_t k = 0; k < loop.next.size(); ++k) {
    const Node& next = program.at(loop.next[k]);
    if (sees[loop.next[k].value] || next.type != program.at(loop.inits[k]).type || !neutralOf(next.op, next.type))
      return false;
  }
  for (size_t n = 0; n < program.nodes.size(); ++n)
    if (program.nodes[n].op == NodeOp::LoopResult && program.nodes[n].bits0 == l && analysis.homeLoop[n] >= 0)
      return false;
  return true;
}

// wantedOf: how many blocks a range of so many rounds gives.
std::optional<Cut> chooseCut(const ElementProgram& program, const ProgramAnalysis& analysis,
                             const std::function<int64_t(double rounds)>& wantedOf) {
  Cut cut;
  cut.loops.assign(program.loops.size(), false);
  const std::vector<bool> sees = seesLoops(program);
  const std::vector<int64_t>* ranges = nullptr;
  auto length = [](const std::vector<int64_t>& dims) {
    double all = 1;
    for (int64_t d : dims) all *= static_cast<double>(d);
    return all;
  };
  for (size_t l = 0; l < program.loops.size(); ++l)
    if (canCut(program, analysis, sees, l) && (!ranges || length(program.loops[l].ranges) > length(*ranges)))
      ranges = &program.loops[l].ranges;
  if (!ranges || ranges->empty()) return std::nullopt;
  for (size_t l = 0; l < program.loops.size(); ++l)
    cut.loops[l] = program.loops[l].ranges == *ranges && canCut(program, analysis, sees, l);
  const int64_t wanted = wantedOf(length(*ranges));
  auto first = std::ranges::find_if(*ranges, [&](int64_t d) { return d >= wanted; });
  if (first == ranges->end()) first = std::ranges::max_element(*ranges);
  cut.dimension = static_cast<size_t>(first - ranges->begin());
  cut.blocks = std::min(wanted, *first);
  if (cut.blocks < 2) return std::nullopt;
  cut.size = *first / cut.blocks;
  cut.rest = *first - cut.size * cut.blocks;
  return cut;
}

}  // namespace

std::optional<ScalarBits> neutralOf(NodeOp op, ElementType type) {
  const bool ordinaryFloat =
      type == ElementType::F32 || type == ElementType::F64 || type == ElementType::F16 || type == ElementType::BF16;
  const bool wholeInteger = isInteger(type) && info(type).bits >= 8;
  if (!ordinaryFloat && !wholeInteger && type != ElementType::Pred) return std::nullopt;
  const ScalarFunctionInfo* function = scalarFunctionOf(op);
  return function ? neutralElement(*function, type) : std::nullopt;
}

namespace {

std::optional<SplitReduction> splitBy(const ElementProgram& program, const std::optional<Cut>& cut) {
  if (!cut) return std::nullopt;
  auto blocks = Blocks(program, *cut).run();
  auto join = Join(program, *cut).run();
  if (!blocks || !join) return std::nullopt;
  return SplitReduction{std::move(*blocks), std::move(*join)};
}

}  // namespace

std::optional<SplitReduction> splitReduction(const ElementProgram& program, const Target& target) {
  const auto& limits = tuning().codegen;
  if (program.loops.empty()) return std::nullopt;
  LoopProgram whole = asLoopProgram(program);
  auto analysis = ProgramAnalysis::of(whole);
  if (!analysis) return std::nullopt;
  KernelNest nest = KernelNest::of(whole, *analysis, target);
  double total = nest.costPerItem * static_cast<double>(nest.parallelCount);
  if (nest.parallelCount == 0 || nest.parallelCount >= limits.manyItems || total < limits.splitReductionNs)
    return std::nullopt;
  return splitBy(program, chooseCut(program, *analysis, [&](double rounds) {
                   const auto wanted = std::clamp<int64_t>(static_cast<int64_t>(total / limits.reductionBlockNs), 2,
                                                           limits.maxReductionBlocks);
                   return std::min(wanted, static_cast<int64_t>(rounds / limits.fewestBlockRounds));
                 }));
}

std::optional<SplitReduction> splitGridReduction(const ElementProgram& program) {
  constexpr double kFewestRounds = 4096, kEnoughItems = 2048;  // 16 a thread; items of a block of threads each
  if (program.loops.empty()) return std::nullopt;
  const auto analysis = ProgramAnalysis::of(asLoopProgram(program));
  double results = 1;
  for (const int64_t d : program.outputDims) results *= static_cast<double>(d);
  if (!analysis || results == 0) return std::nullopt;
  return splitBy(program, chooseCut(program, *analysis, [&](double rounds) {
                   return static_cast<int64_t>(std::min(rounds / kFewestRounds, kEnoughItems / results));
                 }));
}

}  // namespace tessera::codegen
