// Work that was handed to the simulated device and not done yet: per stream in order, events, graphs. Work is done when
// somebody waits for it, which is when a card's work has been done at the latest; a kernel's errors come then. Used by
// simulated_device.cpp, which does the work.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "backends/cuda/device.h"

namespace tessera::cuda::simulated {

// One task; null flag: it cannot be cancelled.
using Work = std::function<Status(const std::atomic<bool>* cancel)>;

class WorkQueue {
 public:
  Result<StreamId> makeStream();
  Status releaseStream(StreamId stream);
  Result<EventId> makeEvent();
  Status releaseEvent(EventId event);

  // Later, in order; into the graph where the stream is being captured.
  Status add(StreamId stream, Work work);
  bool isIdle(StreamId stream) const;
  bool isCapturing(StreamId stream) const { return capture_ && capture_->streams.contains(stream); }
  Status record(EventId event, StreamId stream);
  Status wait(StreamId stream, EventId event);
  Result<double> milliseconds(EventId begin, EventId end) const;
  Status run(StreamId stream, const std::atomic<bool>* cancel);
  Status runAll();

  Status beginCapture(StreamId stream);
  Result<GraphId> endCapture(StreamId stream);
  Status launchGraph(GraphId graph, StreamId stream);
  Status releaseGraph(GraphId graph);

 private:
  using Clock = std::chrono::steady_clock;
  struct Stream {
    std::deque<Work> work;
    bool isRunning = false;
  };
  struct Event {
    uint64_t recorded = 0, happened = 0;  // numbers of records; equal: it has happened
    StreamId stream = StreamId::Default;
    Clock::time_point time = {};
    bool wasRecorded() const { return recorded > 0; }
  };
  struct Capture {
    StreamId origin;
    std::set<StreamId> streams;
    std::set<EventId> events;  // recorded within it
    std::vector<Work> work;
  };
  Status checkStream(StreamId stream) const;
  Status waitFor(EventId event, uint64_t number, const std::atomic<bool>* cancel);

  std::map<StreamId, Stream> streams_{{StreamId::Default, {}}};
  std::map<EventId, Event> events_;
  std::map<GraphId, std::shared_ptr<const std::vector<Work>>> graphs_;
  std::optional<Capture> capture_;
  uint64_t next_ = 1;
};

}  // namespace tessera::cuda::simulated
