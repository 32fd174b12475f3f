// See program_plans.h.
#include "backends/cuda/plan/program_plans.h"

#include <algorithm>
#include <utility>

#include "backends/cuda/plan/factor_plans.h"
#include "backends/cuda/plan/fourier_programs.h"
#include "backends/cuda/plan/order_programs.h"
#include "backends/cuda/plan/radix_plans.h"
#include "backends/cuda/plan/scan_plans.h"
#include "backends/cuda/plan/store_program.h"
#include "core/compose/compose.h"
#include "core/passes/patterns.h"

namespace tessera::cuda {

namespace {

// The gather reads anywhere, so results that are operands get copies.
Status planGather(PlanDraft& draft, const Instruction& instruction, LoopProgram gather, std::vector<int> from,
                  std::span<const int> operands, Steps& out) {
  const std::vector<int> results = draft.resultsOf(instruction);
  std::vector<int> to = results;
  for (size_t k = 0; k < to.size(); ++k)
    if (std::ranges::find(operands, to[k]) != operands.end()) {
      TESSERA_ASSIGN_OR_RETURN(to[k], draft.scratchFor(instruction, gather.outputs[k]));
    }
  const std::vector<Shape> shapes = gather.outputs;
  TESSERA_TRY(draft.kernel(instruction, std::move(gather), std::move(from), to, out));
  for (size_t k = 0; k < to.size(); ++k)
    draft.copy(instruction, to[k], results[k], shapes[k].denseBytes().value_or(0), out);
  return {};
}

Status planOrder(PlanDraft& draft, const Instruction& instruction, const OrderRequest& request, Steps& out) {
  if (request.operands[0].elementCount().value_or(1) == 0) return {};
  if (auto keys = radixKeysOf(request)) {
    std::vector<int> from = draft.operandsOf(instruction);
    TESSERA_ASSIGN_OR_RETURN(const int order, planRadixOrder(draft, instruction, request, *std::move(keys), out));
    from.push_back(order);
    return planGather(draft, instruction, gatherProgramOf(request), std::move(from), draft.operandsOf(instruction),
                      out);
  }
  TESSERA_ASSIGN_OR_RETURN(OrderPrograms programs, orderProgramsOf(request));
  const std::vector<int> operands = draft.operandsOf(instruction);
  const Shape order = Shape::arrayRowMajor(ElementType::U32, request.operands[0].dimensions);
  TESSERA_ASSIGN_OR_RETURN(int now, draft.scratchFor(instruction, order));
  TESSERA_TRY(draft.kernel(instruction, std::move(programs.runs), operands, {now}, out));
  int next = -1;
  if (!programs.merges.empty()) {
    TESSERA_ASSIGN_OR_RETURN(next, draft.scratchFor(instruction, order));
  }
  const auto withOrder = [&] {
    std::vector<int> from = operands;
    from.push_back(now);
    return from;
  };
  for (LoopProgram& merge : programs.merges) {
    TESSERA_TRY(draft.kernel(instruction, std::move(merge), withOrder(), {next}, out));
    std::swap(now, next);
  }
  return planGather(draft, instruction, std::move(programs.gather), withOrder(), operands, out);
}

Status planSort(PlanDraft& draft, const Instruction& instruction, Steps& out) {
  const std::vector<ComputationId> callees = draft.module().callees(instruction);
  if (callees.size() != 1) return failUnsupported("it has no comparator");
  TESSERA_ASSIGN_OR_RETURN(const ElementProgram comparator, composeScalar(draft.module(), callees[0]));
  OrderRequest request;
  for (InstructionId operand : instruction.operands) request.operands.push_back(draft.module().shapeOf(operand));
  request.dimension = instruction.attributes->ints(Attr::dimensions).at(0);
  request.kept = request.operands[0].dimensions[static_cast<size_t>(request.dimension)];
  request.before = [&](ElementBuilder& builder, std::span<const NodeId> first, std::span<const NodeId> second) {
    std::vector<NodeId> values;
    for (size_t k = 0; k < first.size(); ++k) values.insert(values.end(), {first[k], second[k]});
    return applyScalarProgram(builder, comparator, values);
  };
  request.key = [&](ElementBuilder& builder, std::span<const NodeId> element) {
    return keyOfComparator(builder, comparator, element);
  };
  return planOrder(draft, instruction, request, out);
}

Status planTopK(PlanDraft& draft, const Instruction& instruction, Steps& out) {
  OrderRequest request;
  request.operands = {draft.module().shapeOf(instruction.operands[0])};
  if (isComplex(request.operands[0].type)) return failUnsupported("complex numbers have no order");
  request.dimension = request.operands[0].rank() - 1;
  request.kept = instruction.attributes->intOr(Attr::k, 0);
  request.givesPlaces = true;
  const bool largest = instruction.attributes->boolOr(Attr::largest, true);
  request.before = [&](ElementBuilder& builder, std::span<const NodeId> first,
                       std::span<const NodeId> second) -> Result<NodeId> {
    const auto direction = largest ? CompareDirection::Gt : CompareDirection::Lt;
    return builder.compare(direction, first[0], second[0], isFloat(request.operands[0].type));
  };
  request.key = [&](ElementBuilder&, std::span<const NodeId> element) {
    return std::optional(OrderKey{element[0], largest});
  };
  return planOrder(draft, instruction, request, out);
}

// Pass by pass, through two arrays in turns.
Status planFourier(PlanDraft& draft, const Instruction& instruction, Steps& out) {
  const FourierRequest request{draft.module().shapeOf(instruction.operands[0]), *instruction.shape,
                               std::string(instruction.attributes->textOr(Attr::fft_type, "")),
                               instruction.attributes->ints(Attr::fft_length)};
  if (request.result.elementCount().value_or(1) == 0) return {};
  TESSERA_ASSIGN_OR_RETURN(std::vector<FourierPass> passes, fourierPassesOf(request));
  int from = draft.operandsOf(instruction)[0];
  for (size_t k = 0; k < passes.size(); ++k) {
    int to = draft.resultsOf(instruction)[0];
    if (k + 1 < passes.size()) {
      TESSERA_ASSIGN_OR_RETURN(to, draft.scratchFor(instruction, passes[k].program.outputs[0]));
    }
    const int roots = draft.table(std::move(passes[k].roots));
    TESSERA_TRY(draft.kernel(instruction, std::move(passes[k].program), {from, roots}, {to}, out));
    from = to;
  }
  return {};
}

using Planner = Status (*)(PlanDraft& draft, const Instruction& instruction, Steps& out);

// Null where no program of ours computes the instruction.
Planner plannerOf(const Module& module, const Instruction& instruction) {
  static constexpr std::pair<Opcode, Planner> kPlanners[] = {{Opcode::Sort, planSort},
                                                             {Opcode::Topk, planTopK},
                                                             {Opcode::Fft, planFourier},
                                                             {Opcode::Cholesky, planCholesky},
                                                             {Opcode::TriangularSolve, planTriangularSolve}};
  for (const auto& [opcode, planner] : kPlanners)
    if (instruction.opcode == opcode) return planner;
  return runningTotal(module, instruction) ? planPrefixSum : nullptr;
}

}  // namespace

bool isPlannedByProgram(const Module& module, const Instruction& instruction) {
  return plannerOf(module, instruction) != nullptr;
}

Status planByProgram(PlanDraft& draft, const Instruction& instruction, Steps& out) {
  return plannerOf(draft.module(), instruction)(draft, instruction, out);
}

}  // namespace tessera::cuda
