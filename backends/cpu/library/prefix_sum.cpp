// scan: reduce-windows of running totals, found by core/passes/patterns, as runtime/prefix_sum_step.
#include <optional>

#include "backends/cpu/library/library_steps.h"
#include "backends/runtime/prefix_sum_step.h"
#include "core/compose/compose.h"
#include "core/passes/patterns.h"

namespace tessera::cpu {

namespace {

// The one operation on both parameters that the combiner is; Constant: another one.
NodeOp operationOf(const ElementProgram& combiner) {
  const Node& root = combiner.at(combiner.results[0]);
  if (root.inputCount != 2) return NodeOp::Constant;
  const auto inputs = combiner.inputsOf(combiner.results[0]);
  const Node &a = combiner.at(inputs[0]), &b = combiner.at(inputs[1]);
  return a.op == NodeOp::Read && b.op == NodeOp::Read && a.bits0 != b.bits0 ? root.op : NodeOp::Constant;
}

std::optional<ScanOp> scanOpOf(const ElementProgram& combiner) {
  switch (operationOf(combiner)) {
    case NodeOp::Add: return ScanOp::Add;
    case NodeOp::Multiply: return ScanOp::Multiply;
    case NodeOp::Maximum: return ScanOp::Maximum;
    case NodeOp::Minimum: return ScanOp::Minimum;
    default: return std::nullopt;
  }
}

}  // namespace

Result<StepPtr> planScan(LibraryContext& context) {
  const auto form = runningTotal(context.module, context.instruction);
  const std::vector<ComputationId> callees = context.module.callees(context.instruction);
  if (!form || callees.size() != 1) return StepPtr{};
  auto combiner = composeScalar(context.module, callees[0]);
  const Shape& input = context.module.shapeOf(context.instruction.operands[0]);
  if (!combiner || context.module.shapeOf(context.instruction.operands[1]).type != input.type) return StepPtr{};
  Scan scan;
  const auto op = scanOpOf(*combiner);
  if (!op) return StepPtr{};
  scan.type = input.type;
  scan.op = *op;
  scan.reversed = form->reversed;
  for (size_t d = 0; d < input.dimensions.size(); ++d)
    (d < form->dimension ? scan.outer : d == form->dimension ? scan.length : scan.inner) *= input.dimensions[d];
  scan.from = context.operands[0];
  scan.initial = context.operands[1];
  scan.to = context.outputs[0];
  if (!makeScanStep(scan)) return StepPtr{};
  TESSERA_ASSIGN_OR_RETURN(scan.totals, context.scratch(scanScratchBytes(scan)));
  context.what = "running totals";
  return makeScanStep(scan);
}

}  // namespace tessera::cpu
