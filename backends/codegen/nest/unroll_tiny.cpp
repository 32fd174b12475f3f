// See unroll_tiny.h. The program is copied once for each element or row; loops are rounds within rounds.
#include "backends/codegen/nest/unroll_tiny.h"

#include <algorithm>
#include <map>
#include <optional>

#include "backends/codegen/nest/flatten_axis.h"
#include "backends/codegen/nest/program_analysis.h"
#include "backends/codegen/nest/unroll_short.h"
#include "core/base/tuning.h"
#include "core/element/copy_node.h"
#include "core/element/scalar_functions.h"

namespace tessera::codegen {

namespace {

int64_t productOf(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (size < 1 || __builtin_mul_overflow(product, size, &product)) return INT64_MAX;
  return product;
}

std::vector<int64_t> without(std::vector<int64_t> dims, size_t first, size_t last) {
  dims.erase(dims.begin() + static_cast<ptrdiff_t>(first), dims.begin() + static_cast<ptrdiff_t>(last));
  return dims;
}

class TinyUnrolling {
 public:
  // Dimensions [first, last) of the iteration space are unrolled, the others stay.
  TinyUnrolling(const LoopProgram& program, const ProgramAnalysis& analysis, size_t first, size_t last)
      : program_(program),
        body_(program.body),
        analysis_(analysis),
        first_(first),
        unrolled_(body_.outputDims.begin() + static_cast<ptrdiff_t>(first),
                  body_.outputDims.begin() + static_cast<ptrdiff_t>(last)),
        b_(body_.operands, without(body_.outputDims, first, last)) {}
  std::optional<LoopProgram> run();

 private:
  // One round of a loop, or one element where loop is -1; with what is known in it.
  struct Round {
    int32_t loop = -1;
    std::vector<int64_t> indices;
    std::vector<NodeId> accumulators;
    Round* outer = nullptr;
    std::map<uint32_t, NodeId> done;
    std::map<uint64_t, std::vector<NodeId>> results;  // by loop
  };
  void addElement(Round& element);
  NodeId copy(NodeId id, Round& round);
  NodeId make(const Node& node, NodeId id, Round& round);
  const std::vector<NodeId>& resultsOf(uint64_t loop, Round& round);
  bool isTooLarge() const { return b_.program().nodes.size() > tuning().codegen.maxTinyNodes; }

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  const size_t first_;  // of the unrolled dimensions
  const std::vector<int64_t> unrolled_;
  ElementBuilder b_;
  std::vector<NodeId> kept_;   // of all stores: indices, value and guard
  std::vector<Store> stores_;  // in numbers of kept_
};

void advance(std::vector<int64_t>& indices, const std::vector<int64_t>& sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++indices[d] < sizes[d]) return;
    indices[d] = 0;
  }
}

NodeId TinyUnrolling::copy(NodeId id, Round& round) {
  Round* home = &round;
  while (home->outer && home->loop != analysis_.homeLoop[id.value]) home = home->outer;
  if (auto found = home->done.find(id.value); found != home->done.end()) return found->second;
  const NodeId made = make(body_.at(id), id, *home);
  return home->done[id.value] = made;
}

NodeId TinyUnrolling::make(const Node& node, NodeId id, Round& round) {
  const auto roundOf = [&](int64_t loop) {
    Round* each = &round;
    while (each && each->loop != loop) each = each->outer;
    return each;
  };
  switch (node.op) {
    case NodeOp::OutputIndex: {
      const size_t d = node.bits0, last = first_ + unrolled_.size();
      if (d >= first_ && d < last) return b_.index(roundOf(-1)->indices[d - first_]);
      return b_.outputIndex(static_cast<int64_t>(d < first_ ? d : d - unrolled_.size()));
    }
    case NodeOp::LoopIndex: {
      // Nothing that sees no round of the loop depends on its index.
      const Round* own = roundOf(static_cast<int64_t>(node.bits0));
      return b_.index(own ? own->indices[node.bits1] : 0);
    }
    case NodeOp::Accumulator: return roundOf(static_cast<int64_t>(node.bits0))->accumulators[node.bits1];
    case NodeOp::LoopResult: return resultsOf(node.bits0, round)[node.bits1];
    default: break;
  }
  std::vector<NodeId> in;
  for (NodeId input : body_.inputsOf(id)) in.push_back(copy(input, round));
  if (node.op == NodeOp::ReadOutput) return b_.readOutput(node.bits0, node.type, in);
  return copyNode(b_, node, in);
}

const std::vector<NodeId>& TinyUnrolling::resultsOf(uint64_t number, Round& outer) {
  auto [known, isNew] = outer.results.try_emplace(number);
  if (!isNew) return known->second;
  const Loop& loop = body_.loops[number];
  std::vector<NodeId> values;
  for (NodeId init : loop.inits) values.push_back(copy(init, outer));
  std::vector<int64_t> indices(loop.ranges.size());
  for (int64_t rounds = productOf(loop.ranges); rounds > 0 && !isTooLarge(); --rounds) {
    Round round{static_cast<int32_t>(number), indices, values, &outer, {}, {}};
    for (size_t k = 0; k < values.size(); ++k) values[k] = copy(loop.next[k], round);
    advance(indices, loop.ranges);
  }
  return outer.results[number] = std::move(values);
}

void TinyUnrolling::addElement(Round& element) {
  const auto keep = [&](NodeId id) {
    if (!id.valid()) return NodeId{};
    kept_.push_back(copy(id, element));
    return NodeId{static_cast<uint32_t>(kept_.size()) - 1};
  };
  for (const Store& store : program_.stores) {
    Store made{store.output, {}, keep(store.guard), keep(store.value)};
    for (NodeId index : store.indices) made.indices.push_back(keep(index));
    stores_.push_back(std::move(made));
  }
}

std::optional<LoopProgram> TinyUnrolling::run() {
  std::vector<int64_t> indices(unrolled_.size());
  for (int64_t elements = productOf(unrolled_); elements > 0; --elements) {
    Round element{-1, indices, {}, nullptr, {}, {}};
    addElement(element);
    if (isTooLarge()) return std::nullopt;
    advance(indices, unrolled_);
  }
  LoopProgram out;
  out.body = b_.finish(std::move(kept_));
  const std::vector<NodeId> made = std::exchange(out.body.results, {});
  const auto number = [&](NodeId& kept) {
    if (kept.valid()) kept = made[kept.value];
  };
  for (Store& store : stores_) {
    number(store.guard);
    number(store.value);
    for (NodeId& index : store.indices) number(index);
  }
  out.outputs = program_.outputs;
  out.initialOperand = program_.initialOperand;
  out.stores = std::move(stores_);
  out.parallelDims = static_cast<int64_t>(out.body.outputDims.size());
  return out;
}

bool hasFewRounds(const LoopProgram& program, int64_t elements) {
  const ElementProgram& body = program.body;
  if (elements > tuning().codegen.maxTinyElements || body.nodes.size() > tuning().codegen.maxTinyNodes) return false;
  for (const Loop& loop : body.loops)
    if (__builtin_mul_overflow(elements, productOf(loop.ranges), &elements) ||
        elements > tuning().codegen.maxTinyRounds)
      return false;
  return true;
}

bool readsOutputs(const LoopProgram& program) {
  return std::ranges::any_of(program.body.nodes, [](const Node& node) { return node.op == NodeOp::ReadOutput; });
}

// Few elements, of which lanes would be left over; each iteration's reads may precede the stores of all.
bool isTiny(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  const int64_t elements = productOf(program.body.outputDims);
  if (!hasFewRounds(program, elements) || (elements > 1 && readsOutputs(program))) return false;
  if (nest.axis >= 0 && analysis.counters[static_cast<size_t>(nest.axis)].size % nest.lanes == 0) return false;
  return elements > 1 || !program.body.loops.empty();
}

// Few rows of at least half a vector.
bool hasFewRows(const LoopProgram& program, const Target& target) {
  const std::vector<int64_t>& dims = program.body.outputDims;
  if (dims.size() < 2 || program.parallelDims != static_cast<int64_t>(dims.size()) || readsOutputs(program))
    return false;
  const int64_t rows = productOf({dims.begin(), dims.end() - 1});
  return rows > 1 && hasFewRounds(program, rows) && dims.back() * 8 >= static_cast<int64_t>(target.vectorBytes);
}

// Lanes along the axis would gather.
bool gathers(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  if (nest.axis < 0) return false;
  for (size_t n = 0; n < program.body.nodes.size(); ++n)
    if (std::ranges::find(nest.tiles, n, &RowTile::node) == nest.tiles.end() && analysis.needed[n] &&
        analysis.addresses[n] && analysis.addresses[n]->coefficientOf(nest.axis) > 1)
      return true;
  return false;
}

bool isLight(const LoopProgram& program) {
  return std::ranges::none_of(program.body.nodes, [](const Node& node) {
    const ScalarFunctionInfo* function = scalarFunctionOf(node.op);
    return node.op == NodeOp::DimensionSize || (function && function->price.kernel > tuning().codegen.maxTinyWeight);
  });
}

// A maximum of floats heeds NaN and signs of zeros: of scalars it costs what it costs of a whole vector.
bool sumsAlone(const ElementProgram& body) {
  return std::ranges::all_of(body.loops, [&](const Loop& loop) {
    return std::ranges::all_of(loop.next, [&](NodeId next) { return body.at(next).op == NodeOp::Add; });
  });
}

// The first of the minor dimensions that together are few elements.
size_t firstOfMinor(const std::vector<int64_t>& dims) {
  size_t first = dims.size();
  for (int64_t elements = 1; first > 1 && elements * dims[first - 1] <= tuning().codegen.maxTinyElements; --first)
    elements *= dims[first - 1];
  return first;
}

// Dimensions of the iteration space that each node sees.
std::vector<uint64_t> dimensionsSeen(const ElementProgram& body) {
  std::vector<uint64_t> seen(body.nodes.size(), 0);
  for (uint32_t n = 0; n < body.nodes.size(); ++n) {
    const Node& node = body.nodes[n];
    if (node.op == NodeOp::OutputIndex) seen[n] = uint64_t{1} << std::min<uint64_t>(node.bits0, 63);
    for (NodeId input : body.inputsOf(NodeId{n})) seen[n] |= seen[input.value];
  }
  return seen;
}

// The minor one of those that a comparison of indices sees alone. What only moves is better off whole, unless lanes
// would gather it.
std::optional<size_t> stackedDimension(const ElementProgram& body) {
  const std::vector<int64_t>& dims = body.outputDims;
  const std::vector<uint64_t> seen = dimensionsSeen(body);
  const bool computes = std::ranges::any_of(
      body.nodes, [](const Node& node) { return isArithmetic(node.op) && node.type != ElementType::S64; });
  for (size_t d = std::min<size_t>(dims.size(), 63); d-- > 0;) {
    if (dims[d] < 2 || dims[d] > tuning().fusion.maxStackedPieces) continue;
    if (!computes && d + 1 < dims.size()) continue;
    for (uint32_t n = 0; n < body.nodes.size(); ++n)
      if (body.nodes[n].op == NodeOp::Compare && seen[n] == uint64_t{1} << d &&
          body.at(body.inputsOf(NodeId{n})[0]).type == ElementType::S64)
        return d;
  }
  return std::nullopt;
}

std::optional<double> costOf(const LoopProgram& program, const Target& target) {
  const auto analysis = ProgramAnalysis::of(program);
  if (!analysis) return std::nullopt;
  const KernelNest nest = KernelNest::of(program, *analysis, target);
  return nest.costPerItem * static_cast<double>(nest.parallelCount);
}

}  // namespace

LoopProgram unrollTiny(LoopProgram program, const Target& target) {
  const auto analysis = ProgramAnalysis::of(program);
  const bool hasSizes =
      std::ranges::any_of(program.body.nodes, [](const Node& node) { return node.op == NodeOp::DimensionSize; });
  if (!analysis || hasSizes) return program;
  const bool tiny = isTiny(program, *analysis, KernelNest::of(program, *analysis, target));
  if (!tiny && !hasFewRows(program, target)) return program;
  auto unrolled = TinyUnrolling(program, *analysis, 0, program.body.outputDims.size() - (tiny ? 0 : 1)).run();
  const auto before = costOf(program, target), after = unrolled ? costOf(*unrolled, target) : std::nullopt;
  // Rows of the same work are better one array.
  const bool pays = before && after &&
                    (tiny ? *after <= tuning().codegen.scalarWork * *before + tuning().codegen.maskedAccessNs
                          : *after <= tuning().codegen.unrolledRowsWork * *before);
  return pays ? std::move(*unrolled) : std::move(program);
}

LoopProgram unrollStacks(LoopProgram program) {
  const auto isParallel = [&] { return program.parallelDims == static_cast<int64_t>(program.body.outputDims.size()); };
  if (!program.body.loops.empty() || !isParallel() || readsOutputs(program)) return program;
  while (const auto d = stackedDimension(program.body)) {
    const std::vector<int64_t>& dims = program.body.outputDims;
    if (productOf(dims) / dims[*d] < tuning().fusion.fewestStackedRows) break;
    if (program.body.nodes.size() > tuning().codegen.maxTinyNodes) break;
    const auto analysis = ProgramAnalysis::of(program);
    if (!analysis) break;
    auto unrolled = TinyUnrolling(program, *analysis, *d, *d + 1).run();
    if (!unrolled) break;
    program = std::move(*unrolled);
  }
  return program;
}

LoopProgram kernelForm(LoopProgram program, const Target& target) {
  return flattenShortAxis(unrollStacks(unrollShort(std::move(program))), target.vectorBytes / 4);
}

LoopProgram unrollSmallProducts(LoopProgram program, const Target& target) {
  const std::vector<int64_t>& dims = program.body.outputDims;
  const bool isParallel = program.parallelDims == static_cast<int64_t>(dims.size());
  const size_t first = firstOfMinor(dims);
  const int64_t elements = productOf({dims.begin() + static_cast<ptrdiff_t>(first), dims.end()});
  if (!isParallel || elements < 2 || program.body.loops.empty() || readsOutputs(program) || !isLight(program) ||
      !sumsAlone(program.body) || !hasFewRounds(program, elements))
    return program;
  const auto analysis = ProgramAnalysis::of(program);
  if (!analysis || !gathers(program, *analysis, KernelNest::of(program, *analysis, target))) return program;
  auto unrolled = TinyUnrolling(program, *analysis, first, dims.size()).run();
  return unrolled ? std::move(*unrolled) : std::move(program);
}

}  // namespace tessera::codegen
