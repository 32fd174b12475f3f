// The table of contents of optimisation, and the two ends of provenance: derive and mergeProvenance.
#include "core/passes/pipeline.h"

#include <algorithm>

#include "core/base/result.h"
#include "core/ops/inference/mixed_precision.h"
#include "core/ops/inference/unfinished.h"
#include "core/passes/buffers/copy_insertion.h"
#include "core/passes/buffers/schedule.h"
#include "core/passes/combine_collectives.h"
#include "core/passes/common_subexpressions.h"
#include "core/passes/control/call_inliner.h"
#include "core/passes/control/flatten_control.h"
#include "core/passes/control/hoist_invariants.h"
#include "core/passes/control/move_out_of_branches.h"
#include "core/passes/control/simplify_conditionals.h"
#include "core/passes/control/simplify_loops.h"
#include "core/passes/control/unroll_loops.h"
#include "core/passes/dead_code.h"
#include "core/passes/dynamic/dynamic_padding.h"
#include "core/passes/expand/expand_batch_norm.h"
#include "core/passes/expand/expand_random_bits.h"
#include "core/passes/expand/expand_scan.h"
#include "core/passes/expand/unpack_reducers.h"
#include "core/passes/expand/widen_products.h"
#include "core/passes/fusion/attention.h"
#include "core/passes/fusion/attention_gradient.h"
#include "core/passes/fusion/convolution_epilogue.h"
#include "core/passes/fusion/gemm_chain.h"
#include "core/passes/fusion/instruction_fusion.h"
#include "core/passes/fusion/multi_output_fusion.h"
#include "core/passes/fusion/product_end.h"
#include "core/passes/layout/assign_layouts.h"
#include "core/passes/layout/bitcast_reshapes.h"
#include "core/passes/partition/partition.h"
#include "core/passes/result_cut.h"
#include "core/passes/rewriter.h"
#include "core/passes/simplify/fold_constants.h"
#include "core/passes/simplify/simplify.h"
#include "core/passes/simplify/simplify_sorts.h"
#include "core/passes/simplify/sorts_to_top_k.h"

namespace tessera {
namespace {

constexpr Pass kPasses[] = {
    {kPartitionPass, "Cuts a program with sharding annotations into that of one of its partitions.", partitionProgram},
    {"normalize-precision", "Inserts converts where an instruction mixes floats of different widths.",
     normalizePrecision},
    {"unpack-reducers", "Replaces reducers that return a 1-tuple by reducers of its element.", unpackReducers},
    {"expand-scans", "Expands scans into loops over their steps.", expandScans},
    {"expand-batch-norms", "Expands batch norms into sums, products and broadcasts.", expandBatchNorms},
    {"expand-random-bits", "Expands random bits into the integer arithmetic of their generator.", expandRandomBits},
    {"inline-calls", "Inlines all calls.", inlineCalls},
    {"assign-layouts",
     "Makes inner values row-major, with copies where the entry or a custom call needs another layout.", assignLayouts},
    {"pad-dynamic-dimensions", "Makes all shapes static; sizes become values of the program.", padDynamicDimensions},
    {"remove-dead-code", "Removes instructions without users and side effects.", removeDeadCode},
    {"simplify", "Algebraic simplification.", simplify},
    {"simplify-loops", "Removes loops that run never or once, and constant or unused elements of a loop's state.",
     simplifyLoops},
    {"simplify-conditionals", "Resolves known branches, replaces small ones by selects, removes unused results.",
     simplifyConditionals},
    {"unroll-loops", "Unrolls short loops of few operations.", unrollLoops},
    {"common-subexpressions", "Merges equal instructions.", mergeCommonSubexpressions},
    {"move-out-of-branches", "Moves code that all branches of a conditional begin or end with out of it.",
     moveOutOfBranches},
    {"simplify-again", "Simplifies what the passes before have made.", simplify},
    {"widen-products", "Computes products of floats that processors cannot multiply in f32.", widenProducts,
     PassTarget::Processor},
    {"widen-products-for-device", "Computes products of floats that tensor cores cannot multiply in f32.",
     widenProductsForDevice, PassTarget::Device},
    {"fold-constants", "Evaluates instructions with constant operands and small results.", foldConstants},
    {"hoist-invariants", "Moves loop-invariant instructions out of loops.", hoistInvariants},
    {"simplify-sorts", "Removes unused operands of sorts.", simplifySorts},
    {"sorts-to-top-k", "Replaces a sort whose first elements alone are read by top-k.", makeTopKOfSorts},
    {"common-subexpressions-again", "Merges equal instructions that the passes before have made.",
     mergeCommonSubexpressions},
    {"remove-dead-code-again", "Removes what the passes before have left unused.", removeDeadCode},
    {"combine-collectives",
     "Combines all-reduces, all-gathers and reduce-scatters that do not depend on each other into one of each.",
     combineCollectives},
    {"fuse-attention", "Fuses attention, from the dot of queries and keys to the one with the values, into one kernel.",
     nullptr, PassTarget::Device, fuseAttention},
    {"fuse-attention-gradient",
     "Computes the scores of attention again in each product and sum of its gradient, instead of storing them.",
     nullptr, PassTarget::Device, fuseAttentionGradient},
    {"fuse-product-ends", "Fuses dots and convolutions with a scale, a bias, and max(x, 0) or gelu(x) behind them.",
     fuseProductEnds, PassTarget::Device},
    {"fuse", "Fuses elementwise, data movement and reduction chains into loop nests.", fuseInstructions},
    {"bitcast-reshapes", "Replaces reshapes that move no bytes by bitcasts.", bitcastReshapes},
    {"fuse-gemm-chains", "Fuses dots with the operations on their rows into kernels that run by tiles.", fuseGemmChains,
     PassTarget::Processor},
    {"fuse-convolution-epilogues", "Fuses convolutions with the operations on their elements.",
     fuseConvolutionEpilogues, PassTarget::Processor},
    {"fuse-siblings", "Multi-output fusion: loop nests that read the same array become one with several results.",
     fuseMultiOutput},
    {"flatten-control", "Gives each loop and branch computations of its own.", flattenControl},
    {"schedule", "Chooses the order of execution with the lowest peak of memory.", scheduleModule},
    {"insert-copies", "Inserts copies where values that must share memory cannot.", insertCopies},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

Result<bool> Pass::apply(Module& module, DeviceFusions& device) const {
  const ResultCut cut(module);
  TESSERA_ASSIGN_OR_RETURN(const bool changed, runForDevice ? runForDevice(module, device) : run(module));
  if (changed) cut.keep(module);
  return changed;
}

Module derive(const Module& source) {
  Module out = source;
  for (ComputationId computation : source.order())
    for (InstructionId id : source.at(computation).instructions) {
      out.edit(id).provenance = std::make_shared<const Provenance>(Provenance{{id}, "source"});
      Shape shape = source.shapeOf(id);
      fillDefaultLayouts(shape);
      if (shape != source.shapeOf(id)) out.setShape(id, shape);
    }
  return out;
}

namespace {

// Passes read operands and attributes without asking whether they are there.
Status checkNothingIsOpen(const Module& source) {
  for (ComputationId computation : source.order())
    for (InstructionId id : source.at(computation).instructions)
      if (auto open = openPlaces(source, source.at(id)); !open.empty()) return std::unexpected(std::move(open.front()));
  return {};
}

}  // namespace

Result<Module> deriveInOrder(const Module& source) {
  if (!source.entry().valid() || !source.contains(source.entryComputation().root))
    return fail("the module has no entry computation with a root");
  TESSERA_TRY(checkNothingIsOpen(source));
  Module module = derive(source);
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> order, topologicalOrder(module, computation));
    if (order != module.at(computation).instructions) module.edit(computation).instructions = std::move(order);
  }
  TESSERA_TRY(restoreComputationOrder(module));
  return module;
}

Result<Module> optimize(const Module& source, const std::function<void(const Pass&, const Module&)>& observe,
                        const std::atomic<bool>* cancel, DeviceFusions* device) {
  TESSERA_ASSIGN_OR_RETURN(Module module, deriveInOrder(source));
  DeviceFusions none;
  for (const Pass& pass : passes()) {
    if (cancel && cancel->load()) return failCancelled();
    if (!pass.isFor(device ? PassTarget::Device : PassTarget::Processor)) continue;
    TESSERA_TRY(pass.apply(module, device ? *device : none));
    if (observe) observe(pass, module);
  }
  return module;
}

ProvenancePtr mergeProvenance(const Module& module, std::span<const InstructionId> ids, std::string_view pass) {
  Provenance merged;
  merged.pass = pass;
  for (InstructionId id : ids)
    if (const ProvenancePtr& one = module.at(id).provenance)
      merged.sources.insert(merged.sources.end(), one->sources.begin(), one->sources.end());
  std::ranges::sort(merged.sources);
  auto tail = std::ranges::unique(merged.sources);
  merged.sources.erase(tail.begin(), tail.end());
  return std::make_shared<const Provenance>(std::move(merged));
}

}  // namespace tessera
