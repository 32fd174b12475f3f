// Edits of a module that need less memory, each measured on a copy: another schedule, an argument whose memory a result
// takes, a value that is computed again instead of kept. Used by `tessera memory`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/memory/memory_report.h"

namespace tessera {

struct MemoryEdit {
  std::string words;   // "schedule", "donate:0", "donate:all", "rematerialise:NAME"
  std::string reason;  // one sentence without its full stop
  int64_t peakBytes = 0;
  double flops = 0, bytesAccessed = 0;  // more than before, of one execution
};

// The module after the edit. ErrorKind::Usage for an unknown edit or an instruction that the module lacks.
Result<Module> editedForMemory(const Module& module, std::string_view words);

// Those that lower the peak, the best first. The larger the module the fewer are tried.
std::vector<MemoryEdit> memoryEdits(const Module& module, const MemoryReport& now);

}  // namespace tessera
