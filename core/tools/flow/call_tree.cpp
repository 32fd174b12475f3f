// See call_tree.h.
#include "core/tools/flow/call_tree.h"

#include <algorithm>
#include <unordered_map>

namespace tessera {

CallTree::CallTree(const Module& module)
    : callees_(module.computationSlots()), callers_(module.computationSlots()), above_(module.computationSlots()) {
  std::unordered_map<uint32_t, size_t> placeOf;  // in the caller's list
  for (ComputationId caller : module.order()) {
    placeOf.clear();
    std::vector<Call>& calls = callees_[caller.value];
    for (InstructionId id : module.at(caller).instructions)
      for (ComputationId callee : module.callees(module.at(id))) {
        if (!module.contains(callee)) continue;
        const auto [place, isNew] = placeOf.try_emplace(callee.value, calls.size());
        if (isNew)
          calls.push_back({callee, id});
        else
          ++calls[place->second].count;
      }
    for (const Call& call : calls) callers_[call.computation.value].push_back({caller, call.instruction, call.count});
  }
  if (module.contains(module.entry())) roots_.push_back(module.entry());
  for (ComputationId id : module.order())
    if (id != module.entry() && callers_[id.value].empty()) roots_.push_back(id);
  std::vector<ComputationId> open = roots_;
  std::vector<bool> seen(module.computationSlots());
  for (ComputationId root : roots_) seen[root.value] = true;
  for (size_t next = 0; next < open.size(); ++next)
    for (const Call& call : callees_[open[next].value]) {
      if (seen[call.computation.value]) continue;
      seen[call.computation.value] = true;
      above_[call.computation.value] = open[next];
      open.push_back(call.computation);
    }
}

std::vector<ComputationId> CallTree::wayTo(ComputationId id) const {
  std::vector<ComputationId> out;
  for (; id.valid(); id = above_[id.value]) out.push_back(id);
  std::ranges::reverse(out);
  return out;
}

}  // namespace tessera
