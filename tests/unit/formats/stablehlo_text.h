// Modules from StableHLO text for its tests, and what is wrong with such text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/formats/hlo_text.h"
#include "core/formats/stablehlo.h"
#include "core/ops/inference/infer.h"

namespace tessera::test {

// A verified module; an empty one after a failure, which is reported.
inline Module readGood(std::string_view text) {
  ReadResult read = readStableHlo(text, "f.mlir");
  for (const Diagnostic& d : read.diagnostics.items()) ADD_FAILURE() << d.toString();
  if (!read.module) return Module();
  Diagnostics found = inferModule(*read.module);
  found.addAll(verify(*read.module).items());
  for (const Diagnostic& d : found.items()) ADD_FAILURE() << d.toString() << "\n" << printHloText(*read.module);
  return std::move(*read.module);
}

// Empty: there is none.
inline std::string firstError(std::string_view text) {
  ReadResult read = readStableHlo(text, "f.mlir");
  return read.diagnostics.empty() ? "" : read.diagnostics.items()[0].toString();
}

}  // namespace tessera::test
