// See convolution_epilogue.h.
#include "core/passes/fusion/convolution_epilogue.h"

#include <algorithm>

#include "core/base/tuning.h"
#include "core/passes/dead_code.h"
#include "core/passes/fusion/gemm_chain.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

// `epilogue` reads exactly one convolution, as one of its operands, and has an element for each of its elements.
std::optional<ConvolutionEpilogue> epilogueOf(const Module& module, InstructionId epilogue) {
  const Instruction& in = module.at(epilogue);
  if (!isOneKernel(module, in)) return std::nullopt;
  std::optional<ConvolutionEpilogue> found;
  for (size_t k = 0; k < in.operands.size(); ++k) {
    const InstructionId from = behindBitcasts(module, in.operands[k]);
    if (module.at(from).opcode != Opcode::Convolution ||
        module.at(from).shape->elementCount() != in.shape->elementCount())
      continue;
    if (found) return std::nullopt;
    found = ConvolutionEpilogue{from, epilogue, k};
  }
  return found;
}

bool isWorthIt(const Module& module, const ConvolutionEpilogue& found) {
  const Shape& shape = module.shapeOf(found.convolution);
  return isFloat(shape.type) && shape.elementCount().value_or(0) >= tuning().epilogues.convolutionElements;
}

}  // namespace

std::optional<ConvolutionEpilogue> convolutionEpilogueOf(const Module& module, ComputationId computation) {
  const auto found = epilogueOf(module, module.at(computation).root);
  if (!found) return std::nullopt;
  auto isMember = [&](InstructionId id) {
    return module.at(id).opcode == Opcode::Parameter || behindBitcasts(module, id) != id || id == found->epilogue ||
           id == found->convolution;
  };
  return std::ranges::all_of(module.at(computation).instructions, isMember) ? found : std::nullopt;
}

Result<bool> fuseConvolutionEpilogues(Module& module) {
  bool changed = false;
  Rewriter rewriter(module, "fuse-convolution-epilogues");
  const UserTable users(module);
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      const auto found = epilogueOf(module, id);
      if (!found || !isWorthIt(module, *found) || onlyReaderOf(module, users, computation, found->convolution) != id)
        continue;
      std::vector<InstructionId> members;
      addPathFrom(module, module.at(id).operands[found->operand], members);
      members.push_back(id);
      rewriter.fuse(members, "kOutput");
      changed = true;
    }
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(removeDeadCode(module));
  return changed;
}

}  // namespace tessera
