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
  bool isCapturing(StreamId stream) const { return captureOf(stream) != nullptr; }
  Status record(EventId event, StreamId stream);
  Status wait(StreamId stream, EventId event);
  Result<double> milliseconds(EventId begin, EventId end) const;
  Status synchronize(EventId event, const std::atomic<bool>* cancel);
  Status run(StreamId stream, const std::atomic<bool>* cancel);
  Status runAll();

  Status beginCapture(StreamId stream);
  Result<GraphId> endCapture(StreamId stream);
  Status launchGraph(GraphId graph, StreamId stream);
  Status releaseGraph(GraphId graph);

  Result<ConditionId> makeCondition(StreamId captured);
  Status checkCondition(ConditionId condition, StreamId captured) const;
  void setCondition(ConditionId condition, bool holds) { (*conditions_)[condition] = holds; }
  Result<StreamId> beginConditional(StreamId captured, ConditionId condition, Conditional kind);
  Status endConditional(StreamId captured, StreamId body);

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
    std::set<StreamId> streams = {};
    std::set<EventId> events = {};  // recorded within it
    std::vector<Work> work = {};
    ConditionId condition = ConditionId::None;  // of the loop or branch whose body it is
    Conditional kind = Conditional::If;
  };
  using Conditions = std::map<ConditionId, bool>;
  Status checkStream(StreamId stream) const;
  const Capture* captureOf(StreamId stream) const;
  Capture* captureOf(StreamId stream) { return const_cast<Capture*>(std::as_const(*this).captureOf(stream)); }
  Status waitFor(EventId event, const Event& at, const std::atomic<bool>* cancel);
  Status runUntil(StreamId stream, const std::atomic<bool>* cancel, const std::function<bool()>& isEnough);

  std::map<StreamId, Stream> streams_{{StreamId::Default, {}}};
  std::map<EventId, Event> events_;
  std::map<GraphId, std::shared_ptr<const std::vector<Work>>> graphs_;
  std::vector<Capture> captures_;  // the innermost last
  std::shared_ptr<Conditions> conditions_ = std::make_shared<Conditions>();
  uint64_t next_ = 1;
};

}  // namespace tessera::cuda::simulated
