// The memory of the open graph, measured by a worker for MemoryPanel, and an edit for memory checked by running.
#pragma once

#include <QString>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/memory/memory_edits.h"
#include "core/memory/memory_report.h"

namespace tessera {

enum class MemorySource : uint8_t { AsWritten, AsCompiled, Xla };

struct MeasuredMemory {
  std::shared_ptr<const MemoryReport> report;
  std::vector<std::vector<InstructionId>> sources;  // of the open graph, by buffer
  QString error;                                    // then there is no report
};
// assignment: the text of XLA's, and its path.
MeasuredMemory measuredMemory(const Module& module, MemorySource source, const std::string& assignment,
                              const std::string& path);

// The peak that was predicted for an edit and the one that it reached; whether both graphs give the same values on the
// CPU with arguments by rule, as an edit for memory changes none. In words.
QString checkedForMemory(const Module& before, const Module& after, int64_t predictedPeak,
                         const std::atomic<bool>* cancel);

}  // namespace tessera
