// See gemm_chain.h. A chain whose kernel cannot run on a tile alone runs as three steps over whole arrays in scratch.
#include "backends/cpu/library/gemm_chain.h"

#include <algorithm>
#include <numeric>

#include "backends/codegen/nest/row_locality.h"
#include "backends/codegen/nest/unroll_tiny.h"
#include "backends/cpu/library/dot_form.h"
#include "backends/cpu/plan/step_program.h"
#include "backends/runtime/gemm/gemm_chain_step.h"
#include "core/base/checked_math.h"
#include "core/base/tuning.h"
#include "core/passes/fusion/gemm_chain.h"

namespace tessera::cpu {

namespace {

class ChainPlanner {
 public:
  ChainPlanner(LibraryContext& context, ComputationId inside, GemmChain chain)
      : context_(context),
        module_(context.module),
        chain_(std::move(chain)),
        outside_(module_, inside, context.operands) {}

  Result<StepPtr> plan() {
    TESSERA_TRY(composeKernel());
    auto step = std::make_unique<GemmChainStep>();
    if (!describe(*step)) return planWhole();
    step->slots = kernelSlots(*step);
    TESSERA_TRY(takeScratch(*step));
    TESSERA_ASSIGN_OR_RETURN(step->kernel,
                             context_.kernels.add(std::move(program_), std::string(context_.instruction.name)));
    step->out = context_.outputs[0];
    step->vectors = gemmVectors(context_.kernels.target());
    TESSERA_ASSIGN_OR_RETURN(step->packed, takeThreadScratch(context_, step->packedBytes()));
    context_.what = consumer() ? "tiles of rows: dots and kernel" : "tiles of rows: dot and kernel";
    return step;
  }

 private:
  const Instruction& kernelInstruction() const { return module_.at(chain_.kernel); }
  const Instruction* consumer() const { return chain_.consumer.valid() ? &module_.at(chain_.consumer) : nullptr; }

  Status composeKernel() {
    TESSERA_ASSIGN_OR_RETURN(const ElementProgram program, elementsOf(module_, chain_.kernel));
    program_ = codegen::kernelForm(codegen::asLoopProgram(program), context_.kernels.target());
    return {};
  }

  // A product's or the consumer's operand from outside.
  std::optional<ChainOperand> whole(InstructionId operand, const Dims& batch, const Dims& rows,
                                    const Dims& columns) const {
    auto view = viewOf(rows, columns);
    const int slot = outside_.of(operand);
    if (!view || slot < 0) return std::nullopt;
    return ChainOperand{slot, *view, allOffsets(batch)};
  }

  // False: not by tiles.
  bool describe(GemmChainStep& step) const {
    for (size_t k = 0; k < chain_.products.size(); ++k)
      if (chain_.products[k].valid() && !describeProduct(step, k)) return false;
    if (consumer() && !describeConsumer(step)) return false;
    return describeTiles(step);
  }

  bool describeProduct(GemmChainStep& step, size_t operand) const {
    const Instruction& dot = module_.at(chain_.products[operand]);
    const DotForm form = dotFormOf(module_, dot);
    auto lhs = whole(dot.operands[0], form.lhsBatch, form.rows, form.lhsInner);
    auto rhs = whole(dot.operands[1], form.rhsBatch, form.rhsInner, form.columns);
    if (!lhs || !rhs || form.k == 0) return false;
    step.form = {form.batches, form.m, form.n};
    step.products.push_back({std::move(*lhs), std::move(*rhs), form.k, operand});
    return true;
  }

  bool describeConsumer(GemmChainStep& step) const {
    const Instruction& dot = *consumer();
    const DotForm form = dotFormOf(module_, dot);
    const bool right = chain_.consumedOnRight;
    auto other = right ? whole(dot.operands[0], form.lhsBatch, form.rows, form.lhsInner)
                       : whole(dot.operands[1], form.rhsBatch, form.rhsInner, form.columns);
    if (!other) return false;
    step.consumer = {true, right, std::move(*other), right ? form.m : form.n};
    return true;
  }

  bool describeTiles(GemmChainStep& step) const {
    const auto& limits = tuning().epilogues;
    auto analysis = codegen::ProgramAnalysis::of(program_);
    if (!analysis || step.form.elements() == 0 || program_.body.operands.size() + 1 > GemmChainStep::kMaxSlots)
      return false;
    std::vector<bool> local(program_.body.operands.size(), false);
    for (const ChainProduct& product : step.products) local[product.operand] = true;
    const auto nest = codegen::KernelNest::of(program_, *analysis, context_.kernels.target());
    const auto locality = codegen::rowLocalityOf(program_, *analysis, nest, local);
    if (!locality) return false;
    step.locality = *locality;
    const int64_t step0 =
        locality->elements / std::gcd(locality->elements, step.form.columns);  // rows of a whole number of pieces
    const int64_t inCache =
        std::max((consumer() ? limits.tileBytes : limits.endTileBytes) / 4 / step.form.columns, limits.fewestRows);
    const int64_t wanted = consumer() ? limits.wantedTasks : limits.wantedEndTasks;
    const int64_t shared = std::max((step.form.batches * step.form.rows + wanted - 1) / wanted, limits.fewestRows);
    step.tileRows = (std::min({inCache, shared, step.form.rows}) + step0 - 1) / step0 * step0;
    if (step.tileRows > step.form.rows) step.tileRows = step.form.rows;
    const bool batchesFit = step.form.batches == 1 || step.form.rows * step.form.columns % locality->elements == 0;
    return batchesFit && step.tileRows * step.form.columns <= 4 * limits.tileBytes;
  }

  std::vector<int> kernelSlots(const GemmChainStep& step) const {
    std::vector<int> slots;
    for (InstructionId operand : kernelInstruction().operands) slots.push_back(outside_.of(operand));
    for (const ChainProduct& product : step.products) slots[product.operand] = -1;
    slots.push_back(consumer() ? -1 : context_.outputs[0]);
    return slots;
  }

  // Whether the first product may be where the end's result will, which is then written over it.
  bool firstLiesInResult(const GemmChainStep& step) const {
    return !consumer() && step.locality.mayOverwrite && byteWidth(program_.outputs[0].type) == 4 &&
           std::ranges::find(context_.operands, context_.outputs[0]) == context_.operands.end();
  }

  Status takeScratch(GemmChainStep& step) const {
    const bool hasOwn = consumer() && !step.locality.mayOverwrite;
    const size_t arrays = step.products.size() + (hasOwn ? 1 : 0);
    step.resultTile = hasOwn ? step.products.size() : 0;
    for (size_t i = 0; i < arrays; ++i) {
      if (i == 0 && firstLiesInResult(step)) {
        step.scratch.push_back(-1);
        continue;
      }
      TESSERA_ASSIGN_OR_RETURN(int slot, context_.scratch(context_.threads * step.tileRows * step.form.columns * 4));
      step.scratch.push_back(slot);
    }
    return {};
  }

  // A dot with its arrays in slots; what no library takes runs by its element program.
  Status planWholeDot(const Instruction& dot, int lhs, int rhs, int out, CompoundStep& steps) {
    LibraryContext context{module_, dot, context_.kernels, {lhs, rhs}, {out}, context_.scratch, {}, context_.threads};
    TESSERA_ASSIGN_OR_RETURN(StepPtr step, planDot(context));
    if (!step) {
      TESSERA_ASSIGN_OR_RETURN(const ElementProgram program, elementsOf(module_, dot.id));
      TESSERA_ASSIGN_OR_RETURN(size_t kernel,
                               context_.kernels.add(codegen::asLoopProgram(program), std::string(dot.name)));
      step = std::make_unique<KernelStep>(kernel, std::vector<int>{lhs, rhs, out});
    }
    steps.steps.push_back(std::move(step));
    return {};
  }

  Result<StepPtr> planWhole() {
    auto steps = std::make_unique<CompoundStep>();
    std::vector<int> slots;
    for (size_t k = 0; k < chain_.products.size(); ++k) {
      slots.push_back(outside_.of(kernelInstruction().operands[k]));
      if (!chain_.products[k].valid()) continue;
      const Instruction& dot = module_.at(chain_.products[k]);
      TESSERA_ASSIGN_OR_RETURN(slots.back(), context_.scratch(dot.shape->denseBytes().value_or(INT64_MAX)));
      TESSERA_TRY(planWholeDot(dot, outside_.of(dot.operands[0]), outside_.of(dot.operands[1]), slots.back(), *steps));
    }
    int result = context_.outputs[0];
    if (consumer()) {
      TESSERA_ASSIGN_OR_RETURN(result, context_.scratch(kernelInstruction().shape->denseBytes().value_or(INT64_MAX)));
    }
    slots.push_back(result);
    TESSERA_ASSIGN_OR_RETURN(size_t kernel,
                             context_.kernels.add(std::move(program_), std::string(context_.instruction.name)));
    steps->steps.push_back(std::make_unique<KernelStep>(kernel, std::move(slots)));
    if (const Instruction* dot = consumer()) {
      const bool right = chain_.consumedOnRight;
      const int other = outside_.of(dot->operands[right ? 0 : 1]);
      TESSERA_TRY(planWholeDot(*dot, right ? other : result, right ? result : other, context_.outputs[0], *steps));
    }
    context_.what = "dots and kernel";
    return steps;
  }

  LibraryContext& context_;
  const Module& module_;
  GemmChain chain_;
  OutsideSlots outside_;
  LoopProgram program_;
};

}  // namespace

Result<StepPtr> planGemmChain(LibraryContext& context) {
  const std::vector<ComputationId> callees = context.module.callees(context.instruction);
  if (callees.size() != 1 || context.outputs.size() != 1) return StepPtr{};
  auto chain = gemmChainOf(context.module, callees[0]);
  if (!chain) return StepPtr{};
  return ChainPlanner(context, callees[0], std::move(*chain)).plan();
}

}  // namespace tessera::cpu
