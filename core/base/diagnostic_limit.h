// How many diagnostics a list for people has, and the note that ends a longer one. Used by the readers, which may find
// an error in every line of a hostile file, and by the command line.
#pragma once

#include <string>

#include "core/base/diagnostics.h"

namespace tessera {

inline constexpr size_t kMaxDiagnostics = 100;

// "and N more"
inline Diagnostic andMore(size_t count) {
  Diagnostic out;
  out.severity = Severity::Note;
  out.message = "and " + std::to_string(count) + " more";
  return out;
}

}  // namespace tessera
