// A diagnostic that refuses an action, at the instruction it is about.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

inline std::unexpected<Diagnostic> refuse(const Module& module, InstructionId id, std::string message) {
  Diagnostic d;
  d.message = std::move(message);
  if (module.contains(id)) {
    d.instruction = id;
    d.instructionName = module.at(id).name;
    d.position = module.at(id).position;
  }
  return std::unexpected(std::move(d));
}

}  // namespace tessera
