// Any text as a file of a dump beside its module: a buffer assignment of XLA, and code or a listing that names
// instructions. Memory reports stay within the module and their allocations, ranges of lines within the text.
#include <algorithm>

#include "core/formats/dump_code.h"
#include "core/memory/xla_buffers.h"
#include "tests/fuzz/dumped_module.h"

using namespace tessera;

static void expectPromises(const MemoryReport& report) {
  expect(report.live.size() == report.moments.size(), "each moment has its live bytes");
  for (const MemoryBuffer& buffer : report.buffers) {
    expect(report.module.contains(buffer.instruction), "a buffer is of an instruction");
    expect(buffer.begin <= buffer.end && buffer.end < report.moments.size(), "a buffer lives within the run");
    expect(buffer.padding >= 0 && buffer.padding <= buffer.bytes, "padding is part of the bytes");
    const MemoryAllocation& allocation = report.allocations.at(buffer.allocation);
    expect(buffer.offset >= 0 && buffer.offset <= allocation.bytes - buffer.bytes, "a buffer is in its allocation");
  }
  for (const int64_t bytes : report.live) expect(bytes >= 0 && bytes <= report.peakBytes(), "the peak is the most");
  expect(report.allocatedBytes() >= 0 && report.fragmentationBytes() >= 0, "sums stay in range");
  for (const size_t buffer : report.liveAt(report.peakMoment))
    expect(buffer < report.buffers.size(), "what is live is a buffer");
}

static void expectLines(std::string_view text) {
  const auto lineCount = static_cast<size_t>(std::ranges::count(text, '\n')) + 1;
  const Module& module = *dumpedModule();
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const std::string names[] = {std::string(module.at(id).name)};
      for (const LineRange& range : linesAbout(text, names).lines) {
        expect(range.first <= range.last && range.last < lineCount, "lines are of the text");
        const InstructionId back = instructionAt(text, range.first, module);
        expect(!back.valid() || module.contains(back), "a line leads to an instruction");
      }
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  expectLines(text);
  const auto allocations = readXlaBuffers(text, {});
  if (!allocations) return expect(!allocations.error().message.empty(), "what is no assignment says why"), 0;
  const auto report = memoryReport(*dumpedModule(), *allocations);
  expect(report.has_value(), "every assignment that reads gives a report");
  expectPromises(*report);
  return 0;
}
