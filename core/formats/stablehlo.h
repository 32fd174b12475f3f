// StableHLO text, as JAX prints it and in MLIR's generic form, read into a Module. Functions become computations,
// regions too; chlo operations that HLO lacks are expanded. Writing is not offered.
#pragma once

#include <string>
#include <string_view>

#include "core/formats/hlo_text.h"

namespace tessera {

// Does the text start as MLIR does (module @…, func.func, #alias = …, "builtin.module")?
bool looksLikeStableHlo(std::string_view content);
ReadResult readStableHlo(std::string_view text, const std::string& fileName = {});

}  // namespace tessera
