// See kernel_names.h.
#include "core/tools/passes/kernel_names.h"

#include <algorithm>
#include <set>

#include "core/ops/inference/callgraph.h"
#include "core/passes/rewriter.h"
#include "core/tools/diff/labelled_graph.h"

namespace tessera {
namespace {

bool contains(const std::vector<InstructionId>& list, InstructionId id) {
  return std::ranges::find(list, id) != list.end();
}

// The instruction and what runs it as a part: callers, up to computations whose instructions run one by one.
std::vector<InstructionId> withWholes(const Module& module, InstructionId instruction) {
  const CallGraph calls(module);
  const std::vector<ComputationId> stepwise = controlComputations(module);
  std::vector<InstructionId> out = {instruction};
  for (size_t i = 0; i < out.size(); ++i) {
    const ComputationId inside = module.at(out[i]).computation;
    if (std::ranges::find(stepwise, inside) != stepwise.end()) continue;
    for (InstructionId caller : calls.callersOf(inside))
      if (!contains(out, caller)) out.push_back(caller);
  }
  return out;
}

void addEqualFusions(const Module& module, std::vector<InstructionId>& wholes) {
  const auto isFusion = [&](InstructionId id) { return module.at(id).opcode == Opcode::Fusion; };
  if (std::ranges::none_of(wholes, isFusion)) return;
  const LabelledGraph graph(module);
  std::set<uint64_t> labels;
  for (InstructionId id : wholes)
    if (isFusion(id)) labels.insert(graph.label(id));
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (isFusion(id) && labels.contains(graph.label(id)) && !contains(wholes, id)) wholes.push_back(id);
}

}  // namespace

std::vector<std::string> kernelNames(const Module& module, InstructionId instruction) {
  std::vector<InstructionId> found = withWholes(module, instruction);
  addEqualFusions(module, found);
  std::vector<std::string> out;
  for (InstructionId id : found) out.emplace_back(module.at(id).name);
  return out;
}

}  // namespace tessera
