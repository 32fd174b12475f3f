// Any text as a Chrome trace: reading and matching end without a crash, the promises of profiles hold, and the timeline
// that is written reads again with as many spans.
#include "core/profile/sources/recorded_timeline.h"
#include "core/profile/sources/trace_events.h"
#include "tests/fuzz/profile_promises.h"

using namespace tessera;

static void expectWritten(const Recorded& recorded) {
  const auto timeline = recordedTimeline({recorded});
  if (!timeline || timeline->spanCount() == 0) return;
  const std::string text = toChromeTrace(*timeline);
  const auto again = readTraceEvents(text, {}, true);
  expect(again.has_value(), "what was written reads again", text);
  expect(recordedTimeline({*again})->spanCount() == timeline->spanCount(), "no span is lost", text);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto recorded = readTraceEvents({reinterpret_cast<const char*>(data), size}, {}, true);
  if (!recorded) return expect(!recorded.error().message.empty(), "what is no trace says why"), 0;
  expectWritten(*recorded);
  expectPromises(*std::move(recorded));
  return 0;
}
