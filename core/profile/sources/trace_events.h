// Chrome's trace events as JSON: of XLA (whose events name hlo_op and hlo_module), of PyTorch, and of any other
// program. Used by profile_source.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/profile/sources/recorded.h"

namespace tessera {

// Of a file that ends too early, the events before, with a warning. Where no event is known to be an instruction or a
// device's work, all are taken for work: their names may be those of instructions.
Result<Recorded> readTraceEvents(const std::string& content, const std::string& fileName = {}, bool keepsLines = false);

}  // namespace tessera
