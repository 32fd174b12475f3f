// The table of contents of optimisation, and the two ends of provenance: derive and mergeProvenance.
#include "core/passes/pipeline.h"

#include <algorithm>

#include "core/base/result.h"
#include "core/ops/inference/mixed_precision.h"
#include "core/passes/buffers/copy_insertion.h"
#include "core/passes/buffers/schedule.h"
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
#include "core/passes/fusion/convolution_epilogue.h"
#include "core/passes/fusion/gemm_chain.h"
#include "core/passes/fusion/instruction_fusion.h"
#include "core/passes/fusion/multi_output_fusion.h"
#include "core/passes/layout/assign_layouts.h"
#include "core/passes/layout/bitcast_reshapes.h"
#include "core/passes/rewriter.h"
#include "core/passes/simplify/fold_constants.h"
#include "core/passes/simplify/simplify.h"
#include "core/passes/simplify/simplify_sorts.h"
#include "core/passes/simplify/sorts_to_top_k.h"

namespace tessera {
namespace {

constexpr Pass kPasses[] = {
    {"normalize-precision", "Where floats of different widths meet, converts say how.", normalizePrecision},
    {"unpack-reducers", "A reduction that gives a tuple of one value gives the value.", unpackReducers},
    {"expand-scans", "A scan becomes a loop over its steps.", expandScans},
    {"expand-batch-norms", "Batch normalisation becomes sums, products and broadcasts.", expandBatchNorms},
    {"expand-random-bits", "Random bits become the integer arithmetic of their generator.", expandRandomBits},
    {"inline-calls", "Every call becomes the instructions of its computation.", inlineCalls},
    {"assign-layouts", "Values in between are row-major; only who stands outside asks for another layout.",
     assignLayouts},
    {"pad-dynamic-dimensions", "Sizes of the run become numbers of the program, all shapes static.",
     padDynamicDimensions},
    {"remove-dead-code", "What nothing needs is dropped.", removeDeadCode},
    {"simplify", "Algebra: operations that do nothing, or the same as something cheaper.", simplify},
    {"simplify-loops", "Loops that run never or once, elements of the state that are constant or that nobody needs.",
     simplifyLoops},
    {"simplify-conditionals", "Known branches, small ones that a select can choose from, results that nobody reads.",
     simplifyConditionals},
    {"unroll-loops", "Short loops of few operations are unrolled.", unrollLoops},
    {"common-subexpressions", "Equal instructions over equal operands become one.", mergeCommonSubexpressions},
    {"move-out-of-branches",
     "What all branches of a conditional have in common, at their beginnings and ends, is done once outside.",
     moveOutOfBranches},
    {"simplify-again", "What loops, branches and merged operands have made simple.", simplify},
    {"widen-products", "Products of floats that no processor multiplies are those of f32.", widenProducts},
    {"fold-constants", "What depends on constants alone is computed now, where the result is small.", foldConstants},
    {"hoist-invariants", "What is the same in every step of a loop is computed before it.", hoistInvariants},
    {"simplify-sorts", "A sort carries along only what is read.", simplifySorts},
    {"sorts-to-top-k", "A sort of which only the first few are read looks for those alone.", makeTopKOfSorts},
    {"common-subexpressions-again", "Equal instructions that the passes since have made.", mergeCommonSubexpressions},
    {"remove-dead-code-again", "What nothing needs any more is dropped.", removeDeadCode},
    {"fuse", "Elementwise, data movement and reduction chains become one loop nest each.", fuseInstructions},
    {"bitcast-reshapes", "A reshape that moves no byte becomes a bitcast.", bitcastReshapes},
    {"fuse-gemm-chains", "Dots and what is done to their rows become fusions that run by tiles.", fuseGemmChains},
    {"fuse-convolution-epilogues",
     "A convolution and what is done to its elements become a fusion that runs by pieces.", fuseConvolutionEpilogues},
    {"fuse-siblings", "Elementwise loop nests that read the same array become one with several results.",
     fuseMultiOutput},
    {"flatten-control", "Each loop and branch gets computations of its own.", flattenControl},
    {"schedule", "The order of execution: the one that needs less memory.", scheduleModule},
    {"insert-copies", "Copies where values that must share memory may not.", insertCopies},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

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

Result<Module> optimize(const Module& source, const std::function<void(const Pass&, const Module&)>& observe,
                        const std::atomic<bool>* cancel, std::span<const std::string_view> without) {
  if (!source.entry().valid() || !source.contains(source.entryComputation().root))
    return fail("the module has no entry computation with a root");
  Module module = derive(source);
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> order, topologicalOrder(module, computation));
    if (order != module.at(computation).instructions) module.edit(computation).instructions = std::move(order);
  }
  TESSERA_TRY(restoreComputationOrder(module));
  for (const Pass& pass : passes()) {
    if (cancel && cancel->load()) return failCancelled();
    if (std::ranges::find(without, pass.name) != without.end()) continue;
    TESSERA_TRY(pass.run(module));
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
