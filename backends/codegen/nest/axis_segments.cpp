// See axis_segments.h.
#include "backends/codegen/nest/axis_segments.h"

#include <algorithm>
#include <optional>

#include "core/base/tuning.h"
#include "core/element/element_builder.h"

namespace tessera::codegen {

namespace {

// slope · index of the axis + constant.
struct Line {
  int64_t slope = 0, constant = 0;
};

class Reader {
 public:
  Reader(const ElementProgram& program, const ProgramAnalysis& analysis, int32_t axis)
      : program_(program), analysis_(analysis), axis_(axis) {}

  std::optional<Line> lineOf(NodeId id) const {
    constexpr int64_t kFar = int64_t{1} << 60;
    const Node& node = program_.at(id);
    if (node.type != ElementType::S64) return std::nullopt;
    if (node.op == NodeOp::Constant) {
      const auto constant = static_cast<int64_t>(node.bits0);
      return constant > -kFar && constant < kFar ? std::optional(Line{0, constant}) : std::nullopt;
    }
    if (node.op == NodeOp::OutputIndex) {
      const int32_t counter = analysis_.counterOf(program_, id);
      return counter == axis_ ? std::optional(Line{1, 0}) : std::nullopt;
    }
    if (node.op != NodeOp::Add && node.op != NodeOp::Subtract) return std::nullopt;
    const auto inputs = program_.inputsOf(id);
    const auto a = lineOf(inputs[0]), b = lineOf(inputs[1]);
    if (!a || !b) return std::nullopt;
    const int64_t sign = node.op == NodeOp::Add ? 1 : -1;
    const Line sum{a->slope + sign * b->slope, a->constant + sign * b->constant};
    return sum.constant > -kFar && sum.constant < kFar ? std::optional(sum) : std::nullopt;
  }

  // Left side less right side, of an order of indices that rises or falls by one an element.
  std::optional<Line> differenceOf(const Node& compare, NodeId id) const {
    if (compare.op != NodeOp::Compare) return std::nullopt;
    const auto direction = static_cast<CompareDirection>(compare.bits0);
    if (direction == CompareDirection::Eq || direction == CompareDirection::Ne) return std::nullopt;
    const auto inputs = program_.inputsOf(id);
    const auto a = lineOf(inputs[0]), b = lineOf(inputs[1]);
    if (!a || !b) return std::nullopt;
    const Line difference{a->slope - b->slope, a->constant - b->constant};
    return difference.slope == 1 || difference.slope == -1 ? std::optional(difference) : std::nullopt;
  }

 private:
  const ElementProgram& program_;
  const ProgramAnalysis& analysis_;
  int32_t axis_;
};

bool holdsAt(const Line& difference, CompareDirection direction, int64_t index) {
  const int64_t value = difference.slope * index + difference.constant;
  switch (direction) {
    case CompareDirection::Ge: return value >= 0;
    case CompareDirection::Gt: return value > 0;
    case CompareDirection::Le: return value <= 0;
    default: return value < 0;
  }
}

// The first index that sees another answer than the ones before it.
int64_t changeOf(const Line& difference, CompareDirection direction) {
  const bool zeroIsAsAbove = direction == CompareDirection::Ge || direction == CompareDirection::Lt;
  const int64_t zero = -difference.slope * difference.constant;
  return zero + (zeroIsAsAbove == (difference.slope > 0) ? 0 : 1);
}

int64_t elementsOf(const ProgramAnalysis& analysis) {
  int64_t elements = 1;
  for (const int32_t counter : analysis.spaceCounters[0])
    elements *= analysis.counters[static_cast<size_t>(counter)].size;
  return elements;
}

// Loops of their own, tiles and orders of iterations stay as they are; streams write whole lines.
bool canBeCut(const LoopProgram& program, const KernelNest& nest) {
  return nest.axis >= 0 && nest.inner < 0 && nest.tiles.empty() && nest.sequential.empty() && !nest.streams &&
         program.body.loops.empty();
}

}  // namespace

AxisSegments AxisSegments::of(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  const auto& limits = tuning().codegen;
  if (!canBeCut(program, nest) || elementsOf(analysis) < limits.segmentedElements) return {};
  const ElementProgram& body = program.body;
  const Reader reader(body, analysis, nest.axis);
  const int64_t size = analysis.counters[static_cast<size_t>(nest.axis)].size;
  AxisSegments out;
  out.bounds = {0, size};
  std::vector<Line> differences;
  size_t needed = 0;
  for (uint32_t n = 0; n < body.nodes.size(); ++n) {
    needed += analysis.needed[n];
    const auto difference = analysis.needed[n] ? reader.differenceOf(body.nodes[n], NodeId{n}) : std::nullopt;
    if (!difference) continue;
    out.conditions.push_back({n, {}});
    differences.push_back(*difference);
    const int64_t change = changeOf(*difference, static_cast<CompareDirection>(body.nodes[n].bits0));
    if (change > 0 && change < size) out.bounds.push_back(change);
  }
  std::ranges::sort(out.bounds);
  out.bounds.erase(std::ranges::unique(out.bounds).begin(), out.bounds.end());
  const size_t segments = out.bounds.size() - 1;
  const bool areLong = static_cast<int64_t>(segments) * limits.segmentLength <= size;
  if (segments < 2 || segments > limits.maxSegments || segments * needed > limits.maxSegmentNodes || !areLong)
    return {};
  for (size_t c = 0; c < differences.size(); ++c)
    for (size_t s = 0; s < segments; ++s)
      out.conditions[c].holds.push_back(holdsAt(
          differences[c], static_cast<CompareDirection>(body.nodes[out.conditions[c].node].bits0), out.bounds[s]));
  return out;
}

}  // namespace tessera::codegen
