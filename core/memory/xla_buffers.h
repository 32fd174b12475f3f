// XLA's buffer assignment, as --xla_dump_to writes it (…-buffer-assignment.txt): allocations with the values in them,
// at which offsets. Used by `tessera memory --buffer-assignment`.
#pragma once

#include <string_view>

#include "core/memory/memory_report.h"

namespace tessera {

struct XlaValue {
  std::string instruction;     // its name
  std::vector<int64_t> index;  // of the leaf in its shape
  int64_t bytes = 0, offset = 0;
  std::string shape;
};
struct XlaAllocation {
  int64_t number = 0, bytes = 0;
  std::vector<std::string> facts;  // "parameter 0", "maybe-live-out", "preallocated-temp", "thread-local" …
  std::vector<XlaValue> values;
};

// Fails with the line that is none of the form, or whose size makes the sum of all sizes overflow.
Result<std::vector<XlaAllocation>> readXlaBuffers(std::string_view text, const std::string& fileName);

// The report of a module, which should be the scheduled one that the assignment is of, in XLA's allocations: a value
// lives from its instruction to its last use.
Result<MemoryReport> memoryReport(const Module& module, const std::vector<XlaAllocation>& allocations);

}  // namespace tessera
