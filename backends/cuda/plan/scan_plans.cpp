// See scan_plans.h.
#include "backends/cuda/plan/scan_plans.h"

#include <algorithm>
#include <utility>

#include "backends/codegen/grid/grid_scan.h"
#include "backends/cuda/plan/store_program.h"
#include "core/compose/compose.h"
#include "core/passes/patterns.h"

namespace tessera::cuda {

namespace {

// The one operation on both parameters that the combiner is.
Result<NodeOp> operationOf(const Module& module, const Instruction& instruction) {
  const std::vector<ComputationId> callees = module.callees(instruction);
  if (callees.size() != 1) return failUnsupported("it has no combiner");
  TESSERA_ASSIGN_OR_RETURN(const ElementProgram combiner, composeScalar(module, callees[0]));
  const NodeId root = combiner.results.at(0);
  const auto inputs = combiner.inputsOf(root);
  const bool isPlain = inputs.size() == 2 && combiner.at(inputs[0]).op == NodeOp::Read &&
                       combiner.at(inputs[1]).op == NodeOp::Read &&
                       combiner.at(inputs[0]).bits0 != combiner.at(inputs[1]).bits0;
  if (!isPlain) return failUnsupported("a prefix sum of another operation");
  return combiner.at(root).op;
}

bool isAlongMemory(const ScanRequest& request) {
  const std::vector<int64_t>& dims = request.array.dimensions;
  return std::all_of(dims.begin() + static_cast<ptrdiff_t>(request.dimension) + 1, dims.end(),
                     [](int64_t d) { return d == 1; });
}

// Words through which the blocks of a kernel speak, zero at its beginning.
Result<int> planState(PlanDraft& draft, const Instruction& instruction, int64_t words, Steps& out) {
  const Shape shape = Shape::arrayRowMajor(ElementType::U64, {words});
  TESSERA_ASSIGN_OR_RETURN(const int state, draft.scratchFor(instruction, shape));
  ElementBuilder b(std::vector<Shape>{}, {words});
  LoopProgram zeros = storeProgram(b, {shape}, {{0, {b.outputIndex(0)}, {}, b.zero(ElementType::U64)}}, 1);
  TESSERA_TRY(draft.kernel(instruction, std::move(zeros), {}, {state}, out));
  return state;
}

}  // namespace

Status planScanOfLines(PlanDraft& draft, const Instruction& instruction, const ScanRequest& request,
                       std::vector<int> from, int result, Steps& out) {
  codegen::ScanMap map;
  map.operation = request.operation, map.type = request.array.type;
  map.length = request.array.dimensions[request.dimension];
  map.lines = request.array.elementCount().value_or(0) / std::max<int64_t>(map.length, 1);
  map.isReversed = request.reversed;
  map.threads = codegen::ScanMap::threadsFor(map.length);
  std::vector<int> to{result};
  if (map.hasState()) {
    TESSERA_ASSIGN_OR_RETURN(const int state, planState(draft, instruction, map.stateWords(), out));
    to.push_back(state);
  }
  const KernelTemplate kernel{
      map.key(),
      {.blocks = map.blocks(), .blockThreads = map.threads, .text = map.text()},
      [map](llvm::Module& module, const std::string& name) { return codegen::emitScanKernel(module, name, map); }};
  return draft.kernel(instruction, kernel, std::move(from), to, out);
}

Status planPrefixSum(PlanDraft& draft, const Instruction& instruction, Steps& out) {
  const PrefixSum form = *runningTotal(draft.module(), instruction);
  ScanRequest request;
  request.array = draft.module().shapeOf(instruction.operands[0]);
  request.dimension = form.dimension;
  request.reversed = form.reversed;
  if (request.array.elementCount().value_or(1) == 0) return {};
  if (draft.module().shapeOf(instruction.operands[1]).type != request.array.type)
    return failUnsupported("a prefix sum of another type than its first value");
  TESSERA_ASSIGN_OR_RETURN(request.operation, operationOf(draft.module(), instruction));
  if (isAlongMemory(request) && codegen::ScanMap::fits(request.array.type, request.array.dimensions[request.dimension]))
    return planScanOfLines(draft, instruction, request, draft.operandsOf(instruction), draft.resultsOf(instruction)[0],
                           out);
  TESSERA_ASSIGN_OR_RETURN(ScanPrograms programs, scanProgramsOf(request));
  std::vector<int> from = draft.operandsOf(instruction);
  TESSERA_ASSIGN_OR_RETURN(const int totals, draft.scratchFor(instruction, programs.totals.outputs[0]));
  TESSERA_ASSIGN_OR_RETURN(const int before, draft.scratchFor(instruction, programs.before.outputs[0]));
  TESSERA_TRY(draft.kernel(instruction, std::move(programs.totals), from, {totals}, out));
  from.push_back(totals);
  TESSERA_TRY(draft.kernel(instruction, std::move(programs.before), from, {before}, out));
  from.back() = before;
  return draft.kernel(instruction, std::move(programs.within), std::move(from), draft.resultsOf(instruction), out);
}

}  // namespace tessera::cuda
