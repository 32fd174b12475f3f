// See factor_plans.h.
#include "backends/cuda/plan/factor_plans.h"

#include "backends/cuda/plan/factor_programs.h"

namespace tessera::cuda {

namespace {

// The kernel of each block's program is the same; its last operand begins where the block's start stands.
Status planBlock(PlanDraft& draft, const Instruction& instruction, const LoopProgram& program, std::vector<int> from,
                 int work, int64_t block, Steps& out) {
  const size_t before = out.size();
  TESSERA_TRY(draft.kernel(instruction, program, from, {work}, out));
  if (out.size() == before) return {};
  out.back().starts.assign(from.size(), 0);
  out.back().starts.back() = block * static_cast<int64_t>(sizeof(int32_t));
  return {};
}

}  // namespace

Status planCholesky(PlanDraft& draft, const Instruction& instruction, Steps& out) {
  const Shape& a = draft.module().shapeOf(instruction.operands[0]);
  if (a.elementCount().value_or(1) == 0) return {};
  const CholeskyPrograms programs = choleskyProgramsOf(a, instruction.attributes->boolOr(Attr::lower, false));
  const int64_t blocks = factorBlocks(a.dimensions.back());
  const int starts = draft.table(blockStarts(a.dimensions.back()));
  TESSERA_ASSIGN_OR_RETURN(const int work, draft.scratchFor(instruction, programs.begin.outputs[0]));
  TESSERA_TRY(draft.kernel(instruction, programs.begin, draft.operandsOf(instruction), {work}, out));
  for (int64_t block = 0; block < blocks; ++block) {
    TESSERA_TRY(planBlock(draft, instruction, programs.diagonal, {starts}, work, block, out));
    if (block + 1 == blocks) break;
    TESSERA_TRY(planBlock(draft, instruction, programs.panel, {starts}, work, block, out));
    TESSERA_TRY(planBlock(draft, instruction, programs.rest, {starts}, work, block, out));
  }
  return draft.kernel(instruction, programs.finish, {work}, draft.resultsOf(instruction), out);
}

Status planTriangularSolve(PlanDraft& draft, const Instruction& instruction, Steps& out) {
  TriangularForm form{draft.module().shapeOf(instruction.operands[0]), draft.module().shapeOf(instruction.operands[1])};
  if (form.b.elementCount().value_or(1) == 0) return {};
  const AttributeSet& attributes = *instruction.attributes;
  const std::string_view op = attributes.textOr(Attr::transpose_a, "NO_TRANSPOSE");
  form.left = attributes.boolOr(Attr::left_side, false);
  form.lower = attributes.boolOr(Attr::lower, false);
  form.unitDiagonal = attributes.boolOr(Attr::unit_diagonal, false);
  form.transposed = op != "NO_TRANSPOSE";
  form.conjugated = op == "ADJOINT";
  const TriangularPrograms programs = triangularProgramsOf(form);
  const int64_t size = form.a.dimensions.back(), blocks = factorBlocks(size);
  const int a = draft.operandsOf(instruction)[0], starts = draft.table(blockStarts(size));
  TESSERA_ASSIGN_OR_RETURN(const int x, draft.scratchFor(instruction, programs.begin.outputs[0]));
  TESSERA_TRY(draft.kernel(instruction, programs.begin, {draft.operandsOf(instruction)[1]}, {x}, out));
  for (int64_t block = 0; block < blocks; ++block) {
    TESSERA_TRY(planBlock(draft, instruction, programs.diagonal, {a, starts}, x, block, out));
    if (block + 1 < blocks) TESSERA_TRY(planBlock(draft, instruction, programs.rest, {a, starts}, x, block, out));
  }
  return draft.kernel(instruction, programs.finish, {x}, draft.resultsOf(instruction), out);
}

}  // namespace tessera::cuda
