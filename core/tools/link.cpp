// See link.h.
#include "core/tools/link.h"

#include <filesystem>

namespace tessera {

LinkNames::LinkNames(const Module& module) : module_(module) {
  holders_.reserve(module.instructionCount());
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) ++holders_[module.at(id).name.data()];
}

std::string LinkNames::of(InstructionId id) const {
  const Instruction& instruction = module_.at(id);
  const auto holders = holders_.find(instruction.name.data());
  if (holders != holders_.end() && holders->second == 1) return std::string(instruction.name);
  return module_.at(instruction.computation).name + "/" + std::string(instruction.name);
}

LinkParts splitLink(const std::string& text) {
  std::error_code error;
  const auto isThere = [&](const std::string& path) { return std::filesystem::exists(path, error); };
  const size_t first = text.find('#');
  if (first == std::string::npos || isThere(text)) return {text, {}};
  for (size_t at = text.rfind('#'); at != first; at = text.rfind('#', at - 1))
    if (isThere(text.substr(0, at))) return {text.substr(0, at), text.substr(at + 1)};
  return {text.substr(0, first), text.substr(first + 1)};
}

}  // namespace tessera
