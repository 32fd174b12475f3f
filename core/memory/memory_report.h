// The memory of a module over its schedule: live ranges and offsets of buffers, and what is live at the peak. Used by
// `tessera memory`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

enum class MemoryKind : uint8_t { Parameter, Output, Constant, Temporary, ThreadLocal };
std::string_view nameOf(MemoryKind kind);

// Bytes that hold one value, or several values in turn.
struct MemoryBuffer {
  MemoryKind kind = MemoryKind::Temporary;
  InstructionId instruction;         // the first that is computed into it; of `module`
  uint32_t leaf = 0;                 // of its shape
  std::vector<InstructionId> later;  // others that are computed into it
  int64_t bytes = 0, padding = 0;    // padding: of the bytes, what is no element
  size_t begin = 0, end = 0;         // moments; it lives in both
  size_t allocation = 0;
  int64_t offset = 0;  // in the allocation
};

struct MemoryAllocation {
  MemoryKind kind = MemoryKind::Temporary;
  std::string name;  // "parameter 0", "output 1", "temporaries"
  int64_t bytes = 0;
  std::vector<size_t> buffers;
};

struct MemoryReport {
  explicit MemoryReport(Module measured) : module(std::move(measured)) {}

  Module module;  // with the copies that buffer sharing requires; sources of instructions by provenance
  std::vector<InstructionId> moments;  // all scheduled instructions in order of execution; what loops run once
  std::vector<MemoryBuffer> buffers;
  std::vector<MemoryAllocation> allocations;
  std::vector<int64_t> live;  // bytes, by moment
  size_t peakMoment = 0;
  std::vector<AliasEntry> donations;  // of input_output_alias, those where both share memory
  bool mayOverlap = false;            // buffers of one allocation that are live at once may overlap
  int64_t unplaced = 0;               // values of a foreign assignment whose instruction the module does not hold

  int64_t peakBytes() const { return live.empty() ? 0 : live[peakMoment]; }
  int64_t allocatedBytes() const;
  // Of the allocation that temporaries share: bytes that are never in use at once, at its fullest moment.
  int64_t fragmentationBytes() const;
  // Indices of buffers, largest first.
  std::vector<size_t> liveAt(size_t moment) const;
};

// Of a module in its own order, by our buffer assignment: arguments and constants live all the time, a result from its
// definition on, a temporary to its last use. A donated argument (input_output_alias) and its result share memory where
// the argument's last use allows it. Fails where sizes overflow or the module cannot be assigned.
Result<MemoryReport> memoryReport(const Module& module);

// Fills `live` and `peakMoment` from the buffers. Bytes that several share at once count once.
void sumLiveBytes(MemoryReport& report);

// The value that an instruction's leaf passes on: through tuples, their elements and bitcasts.
struct MemoryValue {
  InstructionId instruction;
  uint32_t leaf = 0;
  bool operator==(const MemoryValue&) const = default;
};
MemoryValue definitionOf(const Module& module, MemoryValue value);

}  // namespace tessera
