// See region_members.h.
#include "backends/cpu/plan/region_members.h"

#include "backends/codegen/nest/flatten_axis.h"
#include "backends/codegen/nest/split_reduction.h"
#include "backends/codegen/nest/unroll_short.h"
#include "backends/codegen/nest/unroll_tiny.h"
#include "backends/cpu/plan/step_program.h"
#include "core/ops/op.h"

namespace tessera::cpu {

Result<LoopProgram> ProcessorMembers::programOf(const Instruction& instruction, const OpDef& op) const {
  if (op.loops) return storesOf(module_, instruction.id);
  TESSERA_ASSIGN_OR_RETURN(const ElementProgram elements, elementsOf(module_, instruction.id));
  if (codegen::splitReduction(elements, target_)) return failUnsupported("a long reduction is split");
  return codegen::asLoopProgram(elements);
}

std::optional<RegionMember> ProcessorMembers::member(LoopProgram program) const {
  program = codegen::unrollTiny(codegen::unrollShort(std::move(program)), target_);
  program = codegen::flattenShortAxis(std::move(program), target_.vectorBytes / 4);
  const auto analysis = codegen::ProgramAnalysis::of(program);
  if (!analysis) return std::nullopt;
  const codegen::KernelNest nest = codegen::KernelNest::of(program, *analysis, target_);
  const bool isStraight = codegen::isShortAxis(program, *analysis, nest) &&
                          analysis->counters[static_cast<size_t>(nest.axis)].size % nest.lanes == 0;
  std::vector<bool> atConstants = accessedAtConstants(program, *analysis, isStraight ? &nest : nullptr);
  return RegionMember{std::move(program), nest.costPerItem * static_cast<double>(nest.parallelCount),
                      std::move(atConstants)};
}

std::vector<bool> accessedAtConstants(const LoopProgram& program, const codegen::ProgramAnalysis& analysis,
                                      const codegen::KernelNest* straight) {
  const ElementProgram& body = program.body;
  std::vector<bool> out(body.operands.size() + program.outputs.size(), true);
  const auto note = [&](size_t array, const codegen::Address& address) {
    const bool isVector = straight && address.terms.size() == 1 && address.terms[0].counter == straight->axis &&
                          address.terms[0].coefficient == 1;
    if ((!address.terms.empty() && !isVector) || !address.others.empty()) out[array] = false;
  };
  for (size_t n = 0; n < body.nodes.size(); ++n) {
    const Node& node = body.nodes[n];
    const size_t first = node.op == NodeOp::ReadOutput ? body.operands.size() : 0;
    if (analysis.needed[n] && analysis.addresses[n]) note(first + node.bits0, *analysis.addresses[n]);
  }
  for (size_t s = 0; s < program.stores.size(); ++s)
    note(body.operands.size() + program.stores[s].output, analysis.storeAddresses[s]);
  return out;
}

}  // namespace tessera::cpu
