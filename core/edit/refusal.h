// A diagnostic that refuses an action, at the instruction it is about.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

inline std::unexpected<Diagnostic> refuse(const Module& module, InstructionId id, std::string message) {
  Diagnostic d{.message = std::move(message)};
  return fail(module.contains(id) ? placedAt(module.at(id), std::move(d)) : std::move(d));
}

}  // namespace tessera
