// The instructions of an overlay from the hottest on, and the critical path. See measure.h.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/measure.h"

namespace tessera {
namespace {

// Of an instruction with all that is inside it.
std::unordered_map<InstructionId, double> numbersOf(const Overlay& overlay) {
  std::unordered_map<InstructionId, Overlay::Entry> sums;
  for (const auto& [id, entry] : overlay.entries)
    overlay.add(sums.try_emplace(id, Overlay::Entry{}).first->second, entry);
  for (const Overlay::Whole& whole : overlay.wholes)
    overlay.add(sums.try_emplace(whole.instruction, Overlay::Entry{}).first->second, whole.entry);
  std::unordered_map<InstructionId, double> out;
  for (const auto& [id, entry] : sums)
    if (overlay.shows(entry)) out[id] = overlay.numberOf(entry);
  return out;
}

}  // namespace

std::vector<InstructionId> hottestFirst(const Overlay& overlay, const Module& module) {
  std::unordered_map<InstructionId, double> numbers = numbersOf(overlay);
  // A fusion represents its members.
  std::unordered_set<ComputationId> inFusions;
  for (const Overlay::Whole& whole : overlay.wholes)
    if (whole.only && module.contains(whole.inside) && numbers.contains(whole.instruction))
      inFusions.insert(module.at(whole.inside).computation);
  std::vector<std::pair<double, InstructionId>> sorted;
  for (const auto& [id, number] : numbers)
    if (module.contains(id) && !inFusions.contains(module.at(id).computation))
      sorted.emplace_back(overlay.hot < overlay.cold ? -number : number, id);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<InstructionId> out;
  for (const auto& [number, id] : sorted) out.push_back(id);
  return out;
}

CriticalPath criticalPathOf(const Module& module, ComputationId computation, const Overlay& times) {
  CriticalPath out;
  const auto order = topologicalOrder(module, computation);
  if (!order) return out;
  const std::unordered_map<InstructionId, double> numbers = numbersOf(times);
  std::unordered_map<InstructionId, std::pair<double, InstructionId>> best;  // when it ends, after which operand
  InstructionId last;
  for (InstructionId id : *order) {
    std::pair<double, InstructionId> mine{0, {}};
    for (InstructionId operand : module.at(id).operands)
      if (const auto found = best.find(operand); found != best.end() && found->second.first > mine.first)
        mine = {found->second.first, operand};
    if (const auto own = numbers.find(id); own != numbers.end()) mine.first += own->second;
    best[id] = mine;
    if (mine.first > out.ns) out.ns = mine.first, last = id;
  }
  for (InstructionId id = last; id.valid(); id = best.at(id).second) out.instructions.push_back(id);
  std::ranges::reverse(out.instructions);
  return out;
}

}  // namespace tessera
