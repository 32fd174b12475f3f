// Faults that evaluation and description of ops share.
#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace tessera {

inline std::unexpected<Diagnostic> failAs(Fault fault, std::string message) {
  Diagnostic diagnostic;
  diagnostic.fault = fault;
  diagnostic.message = std::move(message);
  return std::unexpected(std::move(diagnostic));
}
inline std::unexpected<Diagnostic> failUnsupported(std::string message) {
  return failAs(Fault::Unsupported, std::move(message));
}
inline std::unexpected<Diagnostic> failCancelled() { return failAs(Fault::Runtime, "cancelled"); }

}  // namespace tessera
