// Read from the provenance that every pass keeps.
#include "backends/derived.h"

#include <algorithm>

#include <fmt/format.h>

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

std::string insertionText(const Module& optimized, InstructionId derived) {
  const auto& provenance = optimized.at(derived).provenance;
  if (!provenance || !provenance->insertion) return {};
  const Insertion& insertion = *provenance->insertion;
  return fmt::format("inserted for %{}: {}", optimized.at(insertion.user).name, insertion.reason);
}

}  // namespace tessera
