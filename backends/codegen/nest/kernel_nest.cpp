// See kernel_nest.h.
#include "backends/codegen/nest/kernel_nest.h"

#include <algorithm>
#include <numeric>

#include "backends/codegen/nest/interleaved_stores.h"
#include "core/base/tuning.h"
#include "core/element/scalar_functions.h"

namespace tessera::codegen {

namespace {

bool sees(const ProgramAnalysis& analysis, const RowTile& tile, int32_t counter) {
  return analysis.addresses[tile.node]->coefficientOf(counter) != 0;
}

// The longest counter that none of the tiles sees.
int32_t innerOf(const ProgramAnalysis& analysis, std::span<const RowTile> tiles, int32_t axis) {
  auto size = [&](int32_t c) { return analysis.counters[static_cast<size_t>(c)].size; };
  int32_t inner = -1;
  for (int32_t c : analysis.spaceCounters[0]) {
    if (c == axis || size(c) < tuning().codegen.tileRounds ||
        std::ranges::any_of(tiles, [&](const RowTile& tile) { return sees(analysis, tile, c); }))
      continue;
    if (inner < 0 || size(c) > size(inner)) inner = c;
  }
  return inner;
}

// Whether a loop with its lanes along the axis would read this row transposed. Several whole vectors, of which nothing
// is masked, are summed by lanes in the same time, with a fraction of the code.
bool isTransposed(const LoopProgram& program, const ProgramAnalysis& analysis, size_t node, int32_t axis,
                  unsigned lanes) {
  const auto tile = rowTileOf(program, analysis, node, axis, lanes);
  if (!tile) return false;
  const bool isShort = tile->length <= tuning().codegen.shortTileRow &&
                       (tile->length <= static_cast<int64_t>(lanes) || tile->length % lanes != 0);
  return isShort || innerOf(analysis, {&*tile, 1}, axis) >= 0;
}

// Votes of the accesses inside reducible loops: is memory contiguous along the axis or along the loop?
bool prefersReductionLanes(const LoopProgram& program, const ProgramAnalysis& analysis, int32_t axis, unsigned lanes) {
  int along = 0, across = 0;
  for (size_t l = 0; l < program.body.loops.size(); ++l) {
    if (!analysis.reducible[l] || analysis.spaceCounters[1 + l].empty()) continue;
    int32_t inner = analysis.spaceCounters[1 + l].back();
    if (analysis.counters[static_cast<size_t>(inner)].size < lanes / 2) continue;
    for (size_t n = 0; n < program.body.nodes.size(); ++n) {
      if (!analysis.needed[n] || !analysis.addresses[n] || !analysis.dependence[n].loops.test(l)) continue;
      int64_t onAxis = analysis.addresses[n]->coefficientOf(axis), onLoop = analysis.addresses[n]->coefficientOf(inner);
      if (onAxis == 1 || isTransposed(program, analysis, n, axis, lanes))
        ++along;
      else if (onAxis != 0 && onLoop == 1)
        ++across;
    }
  }
  return across > along;
}

// Lanes take such columns with whole vectors and shuffles.
bool isNarrowColumn(ElementType type, int64_t step) {
  return step <= 4 && !isComplex(type) && (info(type).bits == 32 || info(type).bits == 64);
}

// Straight code of several elements an iteration (unroll_tiny), all of which lanes would gather and scatter: but for
// narrow columns on both sides of an axis most of whose vectors are whole.
bool isStridedThroughout(const LoopProgram& program, const ProgramAnalysis& analysis, int32_t axis, unsigned lanes) {
  if (program.stores.size() < 2 || program.stores[0].output != program.stores[1].output || !program.body.loops.empty())
    return false;
  const auto isStrided = [&](const Address& address) { return address.coefficientOf(axis) > 1; };
  const int64_t size = analysis.counters[static_cast<size_t>(axis)].size;
  bool areNarrow = size % lanes == 0 || size >= 4 * static_cast<int64_t>(lanes);
  for (size_t n = 0; n < program.body.nodes.size(); ++n) {
    const int64_t step = analysis.needed[n] && analysis.addresses[n] ? analysis.addresses[n]->coefficientOf(axis) : 0;
    if (step == 0) continue;
    if (!isStrided(*analysis.addresses[n])) return false;
    areNarrow = areNarrow && analysis.addresses[n]->others.empty() && isNarrowColumn(program.body.nodes[n].type, step);
  }
  if (!std::ranges::all_of(analysis.storeAddresses, isStrided)) return false;
  size_t interleaved = 0;
  for (const auto& group : interleavedStores(program, analysis, axis)) interleaved += group.size();
  return !areNarrow || interleaved < program.stores.size();
}

int32_t chooseAxis(const LoopProgram& program, const ProgramAnalysis& analysis, unsigned lanes) {
  const auto& space = analysis.spaceCounters[0];
  if (space.empty()) return -1;
  auto size = [&](int32_t c) { return analysis.counters[static_cast<size_t>(c)].size; };
  int32_t axis = space.back();
  int32_t longest =
      *std::max_element(space.begin(), space.end(), [&](int32_t a, int32_t b) { return size(a) < size(b); });
  if (size(axis) < lanes / 2 && size(longest) >= 2 * size(axis)) axis = longest;
  if (prefersReductionLanes(program, analysis, axis, lanes) || isStridedThroughout(program, analysis, axis, lanes))
    return -1;
  return axis;
}

unsigned chooseLanes(const LoopProgram& program, const ProgramAnalysis& analysis, const Target& target) {
  for (size_t n = 0; n < program.body.nodes.size(); ++n) {
    ElementType type = program.body.nodes[n].type;
    if (analysis.needed[n] && info(type).bits >= 64 && !analysis.narrow[n]) return target.vectorBytes / 8;
  }
  return target.vectorBytes / 4;
}

// Whether the value gains from wide groups: not when gathered or called lane by lane, of 64-bit lanes or a complex
// pair.
bool widens(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest, size_t n) {
  const int32_t axis = nest.axis;
  const Node& node = program.body.nodes[n];
  if (isComplex(node.type) || node.op == NodeOp::ReadIf) return false;
  if (info(node.type).bits >= 64 && !analysis.narrow[n]) return false;
  if (const ScalarFunctionInfo* function = scalarFunctionOf(node.op); function && function->called) return false;
  if (!analysis.addresses[n]) return true;
  if (std::ranges::find(nest.tiles, n, &RowTile::node) != nest.tiles.end()) return true;
  int64_t step = axis < 0 ? 0 : analysis.addresses[n]->coefficientOf(axis);
  return analysis.addresses[n]->others.empty() && (step == 0 || step == 1);
}

// How many vectors run side by side. A loop's accumulator is one chain of dependent operations: a core has room for
// several of those at once. Only where the counter over lanes is long enough to fill them, and the body is small.
unsigned chooseVectors(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  int64_t length = nest.axis >= 0 ? std::min(nest.block, analysis.counters[static_cast<size_t>(nest.axis)].size) : 0;
  size_t body = 0;
  bool chains = false;
  for (size_t n = 0; n < program.body.nodes.size(); ++n) {
    if (!analysis.needed[n]) continue;
    if (!widens(program, analysis, nest, n)) return 1;
    if (analysis.homeLoop[n] < 0) continue;
    ++body;
    if (program.body.nodes[n].op != NodeOp::Accumulator) continue;
    auto loop = static_cast<size_t>(analysis.homeLoop[n]);
    const auto& counters = analysis.spaceCounters[1 + loop];
    chains = chains || !counters.empty();
    if (nest.axis < 0 && !runsOverLanes(program, analysis, loop, nest.lanes)) return 1;
    if (nest.axis < 0) {
      int64_t inner = analysis.counters[static_cast<size_t>(counters.back())].size;
      length = length == 0 ? inner : std::min(length, inner);
    }
  }
  if (!chains || body > tuning().codegen.smallBody) return 1;
  for (unsigned vectors : {4u, 2u}) {
    int64_t step = static_cast<int64_t>(vectors) * nest.lanes;
    const bool fits = std::ranges::all_of(nest.tiles, [&](const RowTile& tile) {
      return rowTileOf(program, analysis, tile.node, nest.axis, vectors * nest.lanes).has_value();
    });
    if (fits && (length >= 4 * step || (length >= step && length % step == 0))) return vectors;
  }
  return 1;
}

bool seesCounter(const ProgramAnalysis& analysis, NodeId node, int32_t counter) {
  return (analysis.dependence[node.value].counters >> counter & 1) != 0;
}

// In a program whose iterations run in order: may the last counter run over lanes? All stores then go to neighbours,
// each lane reads from the outputs only what it stores itself, and whether it stores is the same for all lanes.
bool lanesNeverMeet(const LoopProgram& program, const ProgramAnalysis& analysis, int32_t axis) {
  auto isIdentityIndex = [&](const Address& address) {
    return address.coefficientOf(axis) == 1 && std::ranges::none_of(address.others, [&](const auto& other) {
             return seesCounter(analysis, other.first, axis);
           });
  };
  for (size_t s = 0; s < program.stores.size(); ++s) {
    const Store& store = program.stores[s];
    if (!isIdentityIndex(analysis.storeAddresses[s]) ||
        (store.guard.valid() && seesCounter(analysis, store.guard, axis)))
      return false;
    for (size_t other = 0; other < s; ++other)
      if (program.stores[other].output == store.output) return false;
  }
  auto isStoreAddress = [&](const Node& node, const Address& address) {
    for (size_t s = 0; s < program.stores.size(); ++s) {
      const Address& store = analysis.storeAddresses[s];
      if (program.stores[s].output != node.bits0 || store.constant != address.constant ||
          store.others != address.others)
        continue;
      if (std::ranges::all_of(analysis.counters, [&, c = int32_t{0}](const Counter&) mutable {
            const int32_t each = c++;
            return store.coefficientOf(each) == address.coefficientOf(each);
          }))
        return true;
    }
    return false;
  };
  for (size_t n = 0; n < program.body.nodes.size(); ++n) {
    const Node& node = program.body.nodes[n];
    if (node.op == NodeOp::ReadOutput && analysis.needed[n] &&
        !(analysis.addresses[n] && isStoreAddress(node, *analysis.addresses[n])))
      return false;
  }
  return true;
}

// Different values of the axis never store to the same place, whatever the other counters and indices are: every other
// step is a multiple of some pitch that the axis does not fill.
bool isSplitByPitch(const LoopProgram& program, const ProgramAnalysis& analysis, int32_t axis) {
  const int64_t size = analysis.counters[static_cast<size_t>(axis)].size;
  for (size_t s = 0; s < program.stores.size(); ++s) {
    const Address& address = analysis.storeAddresses[s];
    int64_t pitch = 0;
    for (const CounterTerm& term : address.terms)
      if (term.counter != axis) pitch = std::gcd(pitch, term.coefficient);
    for (const auto& [node, stride] : address.others) pitch = std::gcd(pitch, stride);
    if (pitch != 0 && (pitch < size || address.constant % pitch + size > pitch || address.constant < 0)) return false;
  }
  return true;
}

double weightOf(const Node& node) {
  if (node.op == NodeOp::Constant) return 0;
  const ScalarFunctionInfo* function = scalarFunctionOf(node.op);
  return function ? function->price.kernel : 1;
}

bool hasUniformLoop(const LoopProgram& program, const ProgramAnalysis& analysis, int32_t axis) {
  for (size_t n = 0; n < program.body.nodes.size(); ++n)
    if (program.body.nodes[n].op == NodeOp::LoopResult && analysis.needed[n] && analysis.homeLoop[n] < 0 &&
        !(analysis.dependence[n].counters >> axis & 1))
      return true;
  return false;
}

double costOfItem(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  double axisVectors = nest.axis < 0 ? 1 : static_cast<double>((nest.block + nest.lanes - 1) / nest.lanes);
  double sequential = static_cast<double>(nest.innerBlock);
  for (int32_t c : nest.sequential) sequential *= static_cast<double>(analysis.counters[static_cast<size_t>(c)].size);
  double total = 2;
  for (size_t n = 0; n < program.body.nodes.size(); ++n) {
    if (!analysis.needed[n]) continue;
    const Dependence& dep = analysis.dependence[n];
    double trips = sequential;
    bool onAxis = nest.axis >= 0 && (dep.counters >> nest.axis & 1);
    if (onAxis) trips *= axisVectors;
    for (size_t l = 0; l < program.body.loops.size(); ++l) {
      if (!dep.loops.test(l)) continue;
      for (int64_t r : program.body.loops[l].ranges) trips *= static_cast<double>(r);
      if (!onAxis && runsOverLanes(program, analysis, l, nest.lanes)) trips /= nest.lanes;
    }
    total += trips * weightOf(program.body.nodes[n]);
  }
  return total * 0.5;
}

void findTiles(const LoopProgram& program, const ProgramAnalysis& analysis, KernelNest& nest) {
  for (size_t n = 0; n < program.body.nodes.size() && nest.tiles.size() < tuning().codegen.maxRowTiles; ++n)
    if (auto tile = rowTileOf(program, analysis, n, nest.axis, nest.lanes)) nest.tiles.push_back(*tile);
  if (!nest.tiles.empty() && nest.sequential.empty() && !hasUniformLoop(program, analysis, nest.axis))
    nest.inner = innerOf(analysis, nest.tiles, nest.axis);
}

// Items enough for all threads, whose tiles yet serve for many rounds of `inner`.
void cutInner(const ProgramAnalysis& analysis, KernelNest& nest) {
  auto size = [&](int32_t c) { return analysis.counters[static_cast<size_t>(c)].size; };
  int64_t others = 1;
  for (int32_t c : nest.outer) others *= size(c);
  const int64_t lanes = static_cast<int64_t>(nest.lanes) * nest.vectors,
                vectors = (size(nest.axis) + lanes - 1) / lanes;
  const int64_t wanted = (tuning().codegen.tileItems + others - 1) / others;
  nest.block = std::max<int64_t>(1, vectors / wanted) * lanes;
  nest.blocks = (size(nest.axis) + nest.block - 1) / nest.block;
  const int64_t pieces =
      std::clamp<int64_t>((wanted + nest.blocks - 1) / nest.blocks, 1, size(nest.inner) / tuning().codegen.tileRounds);
  nest.innerBlock = (size(nest.inner) + pieces - 1) / pieces;
  nest.innerBlocks = (size(nest.inner) + nest.innerBlock - 1) / nest.innerBlock;
  nest.parallelCount = others * nest.innerBlocks * nest.blocks;
}

}  // namespace

bool columnsNeverMeet(const LoopProgram& program, const ProgramAnalysis& analysis, int32_t counter) {
  return analysis.storeAddresses.size() == program.stores.size() && lanesNeverMeet(program, analysis, counter) &&
         isSplitByPitch(program, analysis, counter);
}

bool runsOverLanes(const LoopProgram& program, const ProgramAnalysis& analysis, size_t loop, unsigned lanes) {
  if (lanes < 2 || !analysis.reducible[loop] || analysis.spaceCounters[1 + loop].empty()) return false;
  int32_t inner = analysis.spaceCounters[1 + loop].back();
  if (analysis.counters[static_cast<size_t>(inner)].size < lanes / 2) return false;
  int smooth = 0, strided = 0;
  for (size_t n = 0; n < program.body.nodes.size(); ++n) {
    if (!analysis.needed[n] || !analysis.addresses[n] || !analysis.dependence[n].loops.test(loop)) continue;
    int64_t step = analysis.addresses[n]->coefficientOf(inner);
    (step == 0 || step == 1 ? smooth : strided)++;
  }
  return smooth >= strided;
}

bool storesLines(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest, size_t store) {
  const Store& each = program.stores[store];
  const Address& address = analysis.storeAddresses[store];
  const ElementType type = program.outputs[each.output].type;
  const int64_t vectorBytes = nest.lanes * byteWidth(type);
  if (nest.axis < 0 || address.coefficientOf(nest.axis) != 1 || !address.others.empty() || each.guard.valid())
    return false;
  if (isComplex(type) || vectorBytes < 16 || (nest.blocks > 1 && nest.block * byteWidth(type) % kLineBytes != 0))
    return false;
  auto isWhole = [&](int64_t elements) { return elements * byteWidth(type) % kLineBytes == 0; };
  return isWhole(address.constant) && std::ranges::all_of(address.terms, [&](const CounterTerm& term) {
           return term.counter == nest.axis || isWhole(term.coefficient);
         });
}

bool isShortAxis(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  const auto& limits = tuning().codegen;
  if (nest.axis < 0 || !nest.outer.empty() || !nest.sequential.empty() || nest.inner >= 0 || nest.blocks != 1)
    return false;
  return program.body.loops.empty() && nest.tiles.empty() && program.body.nodes.size() <= limits.shortAxisNodes &&
         analysis.counters[static_cast<size_t>(nest.axis)].size <= limits.shortAxisVectors * nest.lanes;
}

KernelNest KernelNest::of(const LoopProgram& program, const ProgramAnalysis& analysis, const Target& target) {
  KernelNest nest;
  nest.lanes = chooseLanes(program, analysis, target);
  const auto& space = analysis.spaceCounters[0];
  bool allParallel = program.parallelDims == static_cast<int64_t>(program.body.outputDims.size());
  if (allParallel) nest.axis = chooseAxis(program, analysis, nest.lanes);
  const bool inOrder = !allParallel && program.parallelDims == 0 && !space.empty() &&
                       analysis.storeAddresses.size() == program.stores.size();
  if (inOrder && analysis.counters[static_cast<size_t>(space.back())].size >= nest.lanes / 2 &&
      lanesNeverMeet(program, analysis, space.back()))
    nest.axis = space.back();
  if (allParallel && nest.axis >= 0) findTiles(program, analysis, nest);
  for (size_t i = 0; i < space.size(); ++i) {
    if (space[i] == nest.axis || space[i] == nest.inner) continue;
    bool parallel = allParallel || static_cast<int64_t>(i) < program.parallelDims;
    (parallel ? nest.outer : nest.sequential).push_back(space[i]);
  }
  for (int32_t c : nest.outer) nest.parallelCount *= analysis.counters[static_cast<size_t>(c)].size;
  if (nest.axis >= 0) {
    const int64_t block = tuning().codegen.axisBlockElements / 256 * 256;  // whole vectors and lines
    int64_t size = analysis.counters[static_cast<size_t>(nest.axis)].size;
    nest.block = size;
    if (allParallel && size > block && !hasUniformLoop(program, analysis, nest.axis)) nest.block = block;
    // Threads take columns of what runs in order.
    if (!allParallel && isSplitByPitch(program, analysis, nest.axis))
      nest.block = (size + 4 * nest.lanes - 1) / (4 * nest.lanes) * nest.lanes;
    nest.blocks = nest.block == 0 ? 0 : (size + nest.block - 1) / nest.block;
    nest.parallelCount *= nest.blocks;
  }
  nest.masks = target.vectorBytes >= 64;
  nest.vectors = chooseVectors(program, analysis, nest);
  if (nest.inner >= 0) cutInner(analysis, nest);
  nest.costPerItem = costOfItem(program, analysis, nest);
  nest.lanes *= nest.vectors;
  return nest;
}

}  // namespace tessera::codegen
