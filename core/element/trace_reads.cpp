// Tracing: "this output cell reads those input cells". Indices that depend on data (gather) cannot be known here; such
// reads are left out, the reads that compute those indices are listed.
#include "core/element/trace_reads.h"

#include <algorithm>
#include <set>

#include "core/element/program_runner.h"

namespace tessera {
namespace {

bool inBounds(const Shape& shape, std::span<const int64_t> indices) {
  for (size_t d = 0; d < indices.size(); ++d)
    if (indices[d] < 0 || indices[d] >= shape.dimensions[d]) return false;
  return true;
}

}  // namespace

std::vector<TracedRead> traceReads(const ElementProgram& program, std::span<const int64_t> outputIndex, size_t limit) {
  std::vector<TracedRead> out;
  std::set<std::pair<uint64_t, std::vector<int64_t>>> seen;
  ProgramRunner* running = nullptr;
  const auto read = [&](const Node& node, std::span<const int64_t> indices, bool) -> ProgramRunner::Value {
    if (node.op == NodeOp::ReadOutput || !inBounds(program.operands[node.bits0], indices)) return std::nullopt;
    if (out.size() >= limit) {
      running->stop();
      return std::nullopt;
    }
    std::vector<int64_t> index(indices.begin(), indices.end());
    if (seen.emplace(node.bits0, index).second) out.push_back({node.bits0, std::move(index)});
    return std::nullopt;
  };
  const auto size = [&](const Node& node) -> ProgramRunner::Value {  // the bound stands for the run-time size
    return ScalarBits{static_cast<uint64_t>(program.operands[node.bits0].dimensions[node.bits1]), 0};
  };
  ProgramRunner runner(program, read, size);
  running = &runner;
  runner.run(outputIndex);
  return out;
}

}  // namespace tessera
