// Faults that evaluation and description of ops share.
#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace tessera {

inline std::unexpected<Diagnostic> failAs(ErrorKind kind, std::string message) {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = std::move(message);
  return std::unexpected(std::move(diagnostic));
}
inline std::unexpected<Diagnostic> failUnsupported(std::string message) {
  return failAs(ErrorKind::Unsupported, std::move(message));
}
inline std::unexpected<Diagnostic> failCancelled() { return failAs(ErrorKind::Runtime, "cancelled"); }

}  // namespace tessera
