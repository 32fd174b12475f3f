// An event of a Chrome trace with the fields that a profile is made of, and the walk over all events of a JSON text.
// No tree is made of the text: a file of a million events is read field by field. Used by trace_events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

// Microseconds with decimals, as the format counts; both parts are whole, since a double of a clock that counts from
// 1970 knows a quarter of a microsecond.
struct TraceTime {
  int64_t us = 0, ps = 0;  // 0 <= ps < 1,000,000
};

// Saturates.
int64_t psBetween(const TraceTime& from, const TraceTime& to);

struct TraceEvent {
  // What `args` holds.
  struct Args {
    std::string op, module, name, labels;
    std::optional<int64_t> program, run, step, device;
    double flops = 0, bytes = 0;
    bool hasCorrelation = false;
    void clear();
  };
  std::string phase, name, category, process, thread, flow;  // numbers as text
  TraceTime begin, duration;
  bool hasArgs = false;
  Args args;
  void clear();  // keeps the room of the texts
};

// Calls `take` for each object of the list "traceEvents", or of the list that is the whole text. True: the text is cut
// or damaged, and what stands before that place was told.
bool forEachTraceEvent(std::string_view json, const std::function<void(const TraceEvent&)>& take);

}  // namespace tessera
