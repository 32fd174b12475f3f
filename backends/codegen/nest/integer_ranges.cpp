// See integer_ranges.h. One pass over the nodes: interval arithmetic, given up where an operand may leave 32 bits.
#include "backends/codegen/nest/integer_ranges.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tessera::codegen {

namespace {

struct Range {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  bool fits32() const { return low >= INT32_MIN && high <= INT32_MAX; }
};

Range rangeOf(const ElementProgram& body, const Node& node, const std::vector<Range>& ranges) {
  auto in = [&](size_t i) { return ranges[body.inputs[node.firstInput + i].value]; };
  auto span = [](int64_t a, int64_t b) { return Range{std::min(a, b), std::max(a, b)}; };
  switch (node.op) {
    case NodeOp::Constant: return span(static_cast<int64_t>(node.bits0), static_cast<int64_t>(node.bits0));
    case NodeOp::OutputIndex: return span(0, std::max<int64_t>(body.outputDims[node.bits0] - 1, 0));
    case NodeOp::LoopIndex: return span(0, std::max<int64_t>(body.loops[node.bits0].ranges[node.bits1] - 1, 0));
    case NodeOp::Convert: {
      const Node& from = body.at(body.inputs[node.firstInput]);
      if (from.type == ElementType::S64) return in(0);
      if (isInteger(from.type) && info(from.type).bits < 32) return span(-32768, 65535);
      if (from.type == ElementType::S32) return span(INT32_MIN, INT32_MAX);
      if (from.type == ElementType::Pred) return span(0, 1);
      return {};
    }
    default: break;
  }
  if (node.inputCount < 2) return {};
  Range a = in(node.op == NodeOp::Select ? 1 : 0), b = in(node.op == NodeOp::Select ? 2 : 1);
  if (!a.fits32() || !b.fits32()) return {};
  switch (node.op) {
    case NodeOp::Add: return {a.low + b.low, a.high + b.high};
    case NodeOp::Subtract: return {a.low - b.high, a.high - b.low};
    case NodeOp::Multiply: {
      auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      return {low, high};
    }
    case NodeOp::Divide: return b.low > 0 ? span(std::min<int64_t>(a.low, 0), std::max<int64_t>(a.high, 0)) : Range{};
    case NodeOp::Remainder: return b.low > 0 ? span(a.low < 0 ? -(b.high - 1) : 0, b.high - 1) : Range{};
    case NodeOp::Minimum: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case NodeOp::Maximum: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case NodeOp::Select: return {std::min(a.low, b.low), std::max(a.high, b.high)};
    default: return {};
  }
}

}  // namespace

std::vector<bool> fitsIn32Bits(const ElementProgram& body) {
  std::vector<bool> out(body.nodes.size(), false);
  std::vector<Range> ranges(body.nodes.size());
  for (size_t n = 0; n < body.nodes.size(); ++n) {
    const Node& node = body.nodes[n];
    if (node.type != ElementType::S64) continue;
    ranges[n] = rangeOf(body, node, ranges);
    out[n] = ranges[n].fits32();
  }
  return out;
}

}  // namespace tessera::codegen
