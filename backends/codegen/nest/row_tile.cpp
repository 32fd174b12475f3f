// See row_tile.h.
#include "backends/codegen/nest/row_tile.h"

#include "core/base/tuning.h"

namespace tessera::codegen {

namespace {

bool isWholeLane(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 || type == ElementType::S32 || type == ElementType::U32 ||
         type == ElementType::S64 || type == ElementType::U64;
}

}  // namespace

std::optional<RowTile> rowTileOf(const LoopProgram& program, const ProgramAnalysis& analysis, size_t node, int32_t axis,
                                 unsigned lanes) {
  const auto& limits = tuning().codegen;
  const Node& read = program.body.nodes[node];
  if (read.op != NodeOp::Read || !analysis.needed[node] || axis < 0 || !isWholeLane(read.type) || analysis.narrow[node])
    return std::nullopt;
  const Address& address = *analysis.addresses[node];
  const int32_t loop = analysis.homeLoop[node];
  if (loop < 0 || !address.others.empty() || analysis.dependence[node].loops.count() != 1) return std::nullopt;
  const auto& counters = analysis.spaceCounters[1 + static_cast<size_t>(loop)];
  if (counters.size() != 1 || address.coefficientOf(counters[0]) != 1 || address.coefficientOf(axis) < 2)
    return std::nullopt;
  auto size = [&](int32_t c) { return analysis.counters[static_cast<size_t>(c)].size; };
  const RowTile tile{static_cast<uint32_t>(node), counters[0], size(counters[0]), address.coefficientOf(axis)};
  if (tile.length < limits.shortestTileRow ||
      tile.length > limits.rowTileBytes / (byteWidth(read.type) * static_cast<int64_t>(lanes)))
    return std::nullopt;
  if (2 * size(axis) < lanes) return std::nullopt;
  return tile;
}

}  // namespace tessera::codegen
