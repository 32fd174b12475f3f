// See device_fusions.h.
#include "core/passes/device_fusions.h"

namespace tessera {

void DeviceFusions::refuse(const Instruction& computed, const std::string& why) {
  if (!computed.provenance) return;
  for (const InstructionId source : computed.provenance->sources) refused_.emplace(source, why);
}

void DeviceFusions::accept(const Instruction& computed) {
  if (!computed.provenance) return;
  for (const InstructionId source : computed.provenance->sources) refused_.erase(source);
}

const std::string* DeviceFusions::refusalOf(const Instruction& computed) const {
  if (refused_.empty() || !computed.provenance) return nullptr;
  for (const InstructionId source : computed.provenance->sources)
    if (const auto found = refused_.find(source); found != refused_.end()) return &found->second;
  return nullptr;
}

}  // namespace tessera
