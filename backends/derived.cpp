// Read from the provenance that every pass keeps.
#include "backends/derived.h"

#include <algorithm>

#include "core/passes/rewriter.h"

namespace tessera {

std::vector<InstructionId> derivedOf(const Module& optimized, InstructionId source) {
  std::vector<InstructionId> out;
  for (ComputationId computation : controlComputations(optimized))
    for (InstructionId id : optimized.at(computation).instructions) {
      const auto& provenance = optimized.at(id).provenance;
      if (provenance && std::ranges::binary_search(provenance->sources, source)) out.push_back(id);
    }
  return out;
}

std::vector<std::string> sourcesOf(const Module& source, const Module& optimized, InstructionId derived) {
  std::vector<std::string> out;
  if (const auto& provenance = optimized.at(derived).provenance)
    for (InstructionId each : provenance->sources)
      if (source.contains(each)) out.emplace_back(source.at(each).name);
  return out;
}

}  // namespace tessera
