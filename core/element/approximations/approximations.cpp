// expandApproximations: rewrites a program node by node into a new builder, giving transcendental nodes to
// RealApproximations (f32 and, through f32, everything narrower) and ComplexApproximations. What stays: f64 functions,
// but for the logistic function, which is built from the exponential, and powers and angles of complex numbers.
#include "core/element/approximations/approximations.h"

#include "core/element/approximations/complex_approximations.h"
#include "core/element/approximations/real_approximations.h"
#include "core/element/approximations/wide_approximations.h"
#include "core/element/element_builder.h"
#include "core/element/loop_nest.h"
#include "core/element/node_origins.h"
#include "core/element/scalar_functions.h"

namespace tessera {
namespace {

bool hasRealForm(NodeOp op) {
  const ScalarFunctionInfo* function = scalarFunctionOf(op);
  return function && function->approximated;
}

bool hasComplexForm(NodeOp op) {
  const ScalarFunctionInfo* function = scalarFunctionOf(op);
  return function && function->complexApproximated;
}

class Expansion {
 public:
  Expansion(const ElementProgram& program, WideFunctions wide)
      : expandsWide_(wide == WideFunctions::Expanded),
        program_(program),
        nest_(loopNest(program)),
        builder_(program.operands, program.outputDims),
        real_(builder_),
        wide_(builder_),
        complex_(
            builder_, [this](NodeOp op, NodeId x) { return unary(op, x); },
            [this](NodeOp op, NodeId x, NodeId y) { return binary(op, x, y); }),
        renamed_(program.nodes.size()),
        loopResults_(program.loops.size()) {}

  void run() { emitBody(-1); }
  NodeId at(NodeId id) const { return renamed_[id.value]; }
  ElementProgram finish(std::vector<NodeId> results) { return builder_.finish(std::move(results)); }

 private:
  void emitBody(int32_t loop) {
    for (NodeId id : nest_.bodyOf(loop)) {
      if (renamed_[id.value].valid()) continue;
      renamed_[id.value] = emit(id);
      NodeOrigins::carry(program_, id, builder_.program(), renamed_[id.value]);
    }
  }

  std::vector<NodeId> at(std::span<const NodeId> ids) const {
    std::vector<NodeId> out;
    for (NodeId id : ids) out.push_back(at(id));
    return out;
  }

  NodeId emit(NodeId id) {
    const Node& node = program_.at(id);
    const std::vector<NodeId> in = at(program_.inputsOf(id));
    const std::span<const NodeId> all(in);
    switch (node.op) {
      case NodeOp::Constant: return builder_.constantBits(node.type, node.bits0, node.bits1);
      case NodeOp::OutputIndex: return builder_.outputIndex(static_cast<int64_t>(node.bits0));
      case NodeOp::DimensionSize: return builder_.dimensionSize(node.bits0, static_cast<int64_t>(node.bits1));
      case NodeOp::Read: return builder_.read(node.bits0, all);
      case NodeOp::ReadIf: return builder_.readIf(in[0], node.bits0, all.subspan(2), in[1]);
      case NodeOp::ReadOutput: return builder_.readOutput(node.bits0, node.type, all);
      case NodeOp::LoopIndex:
      case NodeOp::Accumulator: return {};  // set by their loop before its body
      case NodeOp::LoopResult: return loopResult(node);
      case NodeOp::Select: return builder_.select(in[0], in[1], in[2]);
      case NodeOp::Convert: return builder_.convert(node.type, in[0]);
      case NodeOp::BitcastConvert: return builder_.bitcastConvert(node.type, in[0]);
      case NodeOp::Compare:
        return builder_.compare(static_cast<CompareDirection>(node.bits0), in[0], in[1], node.bits1 != 0);
      case NodeOp::ReducePrecision:
        return builder_.reducePrecision(in[0], static_cast<int>(node.bits0), static_cast<int>(node.bits1));
      case NodeOp::MakeComplex: return builder_.makeComplex(in[0], in[1]);
      case NodeOp::Fma: return builder_.fma(in[0], in[1], in[2]);
      default: return in.size() == 2 ? binary(node.op, in[0], in[1]) : unary(node.op, in[0]);
    }
  }

  NodeId loopResult(const Node& node) {
    auto& results = loopResults_[node.bits0];
    if (results.empty()) results = emitLoop(node.bits0);
    return results[node.bits1];
  }

  std::vector<NodeId> emitLoop(size_t number) {
    const Loop& loop = program_.loops[number];
    const auto body = [&](std::span<const NodeId> indices,
                          std::span<const NodeId> accumulators) -> Result<std::vector<NodeId>> {
      for (NodeId id : nest_.bodyOf(static_cast<int32_t>(number))) {
        const Node& node = program_.at(id);
        if (node.op == NodeOp::LoopIndex) renamed_[id.value] = indices[node.bits1];
        if (node.op == NodeOp::Accumulator) renamed_[id.value] = accumulators[node.bits1];
      }
      emitBody(static_cast<int32_t>(number));
      return at(loop.next);
    };
    return builder_.loop(loop.ranges, at(loop.inits), body, loop.associative)
        .value_or(std::vector<NodeId>(loop.inits.size()));
  }

  NodeId unary(NodeOp op, NodeId x) {
    const ElementType type = builder_.typeOf(x);
    if (isComplex(type)) {
      return hasComplexForm(op) ? complex_.unary(op, x) : builder_.unary(op, x);
    }
    if (!hasRealForm(op) || !isFloat(type)) return builder_.unary(op, x);
    if (type == ElementType::F64) return op == NodeOp::Logistic ? logistic64(x) : unary64(op, x);
    return builder_.convert(type, real_.unary(op, builder_.convert(ElementType::F32, x)));
  }

  NodeId binary(NodeOp op, NodeId x, NodeId y) {
    const ElementType type = builder_.typeOf(x);
    if (isComplex(type)) return builder_.binary(op, x, y);
    if (expandsWide_ && type == ElementType::F64)
      if (const NodeId made = wide_.binary(op, x, y); made.valid()) return made;
    if (!hasRealForm(op) || !isFloat(type) || type == ElementType::F64) return builder_.binary(op, x, y);
    const auto wide = [&](NodeId v) { return builder_.convert(ElementType::F32, v); };
    return builder_.convert(type, real_.binary(op, wide(x), wide(y)));
  }

  NodeId unary64(NodeOp op, NodeId x) {
    const NodeId made = expandsWide_ ? wide_.unary(op, x) : NodeId{};
    return made.valid() ? made : builder_.unary(op, x);
  }

  NodeId logistic64(NodeId x) {
    NodeId one = builder_.constant(ElementType::F64, 1), zero = builder_.zero(ElementType::F64);
    NodeId e = unary64(NodeOp::Exp, builder_.unary(NodeOp::Negate, builder_.unary(NodeOp::Abs, x)));
    NodeId above = builder_.select(builder_.compare(CompareDirection::Lt, x, zero), e, one);
    return builder_.divide(above, builder_.add(one, e));
  }

  const bool expandsWide_;
  const ElementProgram& program_;
  LoopNest nest_;
  ElementBuilder builder_;
  RealApproximations real_;
  WideApproximations wide_;
  ComplexApproximations complex_;
  std::vector<NodeId> renamed_;
  std::vector<std::vector<NodeId>> loopResults_;
};

}  // namespace

ElementProgram expandApproximations(const ElementProgram& program, WideFunctions wide) {
  Expansion expansion(program, wide);
  expansion.run();
  std::vector<NodeId> results;
  for (NodeId id : program.results) results.push_back(expansion.at(id));
  return expansion.finish(std::move(results));
}

LoopProgram expandApproximations(const LoopProgram& program, WideFunctions wide) {
  Expansion expansion(program.body, wide);
  expansion.run();
  std::vector<NodeId> kept;
  for (const Store& store : program.stores) {
    for (NodeId id : store.indices) kept.push_back(expansion.at(id));
    if (store.guard.valid()) kept.push_back(expansion.at(store.guard));
    kept.push_back(expansion.at(store.value));
  }
  LoopProgram out = program;
  out.body = expansion.finish(std::move(kept));
  size_t next = 0;
  for (Store& store : out.stores) {
    for (NodeId& index : store.indices) index = out.body.results[next++];
    if (store.guard.valid()) store.guard = out.body.results[next++];
    store.value = out.body.results[next++];
  }
  out.body.results.clear();
  return out;
}

}  // namespace tessera
