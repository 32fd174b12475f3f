#include "backends/cuda/simulated/work_queue.h"

namespace tessera::cuda::simulated {

namespace {

std::unexpected<Diagnostic> invalidHandle(const char* what) {
  return fail(ErrorKind::Runtime, std::string("CUDA_ERROR_INVALID_HANDLE: there is no such ") + what);
}

}  // namespace

Status WorkQueue::checkStream(StreamId stream) const {
  if (!streams_.contains(stream)) return invalidHandle("stream");
  return {};
}

Result<StreamId> WorkQueue::makeStream() {
  const auto stream = static_cast<StreamId>(next_++);
  streams_[stream];
  return stream;
}

// What the stream still has to do is done first, as by a card.
Status WorkQueue::releaseStream(StreamId stream) {
  if (stream == StreamId::Default) return invalidHandle("stream");
  TESSERA_TRY(checkStream(stream));
  const Status status = run(stream, nullptr);
  streams_.erase(stream);
  return status;
}

Result<EventId> WorkQueue::makeEvent() {
  const auto event = static_cast<EventId>(next_++);
  events_[event];
  return event;
}

Status WorkQueue::releaseEvent(EventId event) {
  if (!events_.erase(event)) return invalidHandle("event");
  return {};
}

bool WorkQueue::isIdle(StreamId stream) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() && found->second.work.empty() && !isCapturing(stream);
}

const WorkQueue::Capture* WorkQueue::captureOf(StreamId stream) const {
  for (const Capture& capture : captures_)
    if (capture.streams.contains(stream)) return &capture;
  return nullptr;
}

Status WorkQueue::add(StreamId stream, Work work) {
  TESSERA_TRY(checkStream(stream));
  if (Capture* capture = captureOf(stream))
    capture->work.push_back(std::move(work));
  else
    streams_[stream].work.push_back(std::move(work));
  return {};
}

Status WorkQueue::record(EventId event, StreamId stream) {
  const auto found = events_.find(event);
  if (found == events_.end()) return invalidHandle("event");
  TESSERA_TRY(checkStream(stream));
  if (Capture* capture = captureOf(stream)) {
    capture->events.insert(event);
    return {};
  }
  const uint64_t number = ++found->second.recorded;
  found->second.stream = stream;
  return add(stream, [this, event, number](const std::atomic<bool>*) -> Status {
    if (const auto at = events_.find(event); at != events_.end()) {
      at->second.happened = number;
      at->second.time = Clock::now();
    }
    return {};
  });
}

// A graph is done in the order in which it was captured, so that waits within it need nothing.
Status WorkQueue::wait(StreamId stream, EventId event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return invalidHandle("event");
  TESSERA_TRY(checkStream(stream));
  for (Capture& capture : captures_)
    if (capture.events.contains(event)) {
      capture.streams.insert(stream);
      return {};
    }
  if (!found->second.wasRecorded()) return {};
  return add(stream,
             [this, event, at = found->second](const std::atomic<bool>* cancel) { return waitFor(event, at, cancel); });
}

// Does what precedes the event in its own stream, and no more: what follows may wait for the stream that waits here.
// at: as it was when somebody asked; it may have been recorded again since, in another stream.
Status WorkQueue::waitFor(EventId event, const Event& at, const std::atomic<bool>* cancel) {
  const auto hasHappened = [&] {
    const auto found = events_.find(event);
    return found == events_.end() || found->second.happened >= at.recorded;
  };
  return hasHappened() ? Status() : runUntil(at.stream, cancel, hasHappened);
}

Result<double> WorkQueue::milliseconds(EventId begin, EventId end) const {
  const auto first = events_.find(begin), last = events_.find(end);
  if (first == events_.end() || last == events_.end()) return invalidHandle("event");
  for (const auto& at : {first, last})
    if (!at->second.wasRecorded() || at->second.happened < at->second.recorded)
      return fail(ErrorKind::Runtime, "CUDA_ERROR_NOT_READY: an event has not happened yet");
  return std::chrono::duration<double, std::milli>(last->second.time - first->second.time).count();
}

Status WorkQueue::synchronize(EventId event, const std::atomic<bool>* cancel) {
  const auto found = events_.find(event);
  if (found == events_.end()) return invalidHandle("event");
  const Event at = found->second;
  return at.wasRecorded() ? waitFor(event, at, cancel) : Status();
}

Status WorkQueue::run(StreamId stream, const std::atomic<bool>* cancel) {
  TESSERA_TRY(checkStream(stream));
  return runUntil(stream, cancel, [] { return false; });
}

// After a failure or a cancel the rest of the stream's work is dropped, and the stream can be used again. A stream that
// waits for another is run by it no further: what the other needs of it was recorded, and so done, before.
Status WorkQueue::runUntil(StreamId stream, const std::atomic<bool>* cancel, const std::function<bool()>& isEnough) {
  Stream& queue = streams_[stream];
  if (queue.isRunning) return {};
  queue.isRunning = true;
  Status status;
  while (status && !queue.work.empty() && !isEnough()) {
    const Work work = std::move(queue.work.front());
    queue.work.pop_front();
    status = cancel && cancel->load(std::memory_order_relaxed) ? Status(failCancelled()) : work(cancel);
  }
  if (!status) queue.work.clear();
  queue.isRunning = false;
  return status;
}

Status WorkQueue::runAll() {
  Status first;
  std::vector<StreamId> all;
  for (const auto& [stream, queue] : streams_) all.push_back(stream);
  for (const StreamId stream : all) {
    Status status = run(stream, nullptr);
    if (first && !status) first = std::move(status);
  }
  return first;
}

Status WorkQueue::beginCapture(StreamId stream) {
  TESSERA_TRY(checkStream(stream));
  if (!captures_.empty())
    return fail(ErrorKind::Runtime, "CUDA_ERROR_ILLEGAL_STATE: a stream is being captured already");
  if (stream == StreamId::Default)
    return fail(ErrorKind::Runtime, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: the default stream cannot be captured");
  captures_.push_back({.origin = stream, .streams = {stream}});
  return {};
}

Result<GraphId> WorkQueue::endCapture(StreamId stream) {
  if (captures_.size() != 1 || captures_[0].origin != stream)
    return fail(ErrorKind::Runtime, "CUDA_ERROR_ILLEGAL_STATE: this stream is not being captured");
  const auto graph = static_cast<GraphId>(next_++);
  graphs_[graph] = std::make_shared<const std::vector<Work>>(std::move(captures_[0].work));
  captures_.clear();
  return graph;
}

Result<ConditionId> WorkQueue::makeCondition(StreamId captured) {
  if (!isCapturing(captured))
    return fail(ErrorKind::Runtime, "CUDA_ERROR_ILLEGAL_STATE: conditions belong to a graph that is being captured");
  const auto condition = static_cast<ConditionId>(next_++);
  (*conditions_)[condition] = false;
  // At the front: each launch begins with it.
  captures_[0].work.insert(captures_[0].work.begin(),
                           [all = conditions_, condition](const std::atomic<bool>*) -> Status {
                             (*all)[condition] = false;
                             return {};
                           });
  return condition;
}

Status WorkQueue::checkCondition(ConditionId condition, StreamId captured) const {
  if (!conditions_->contains(condition)) return invalidHandle("condition");
  if (!isCapturing(captured))
    return fail(ErrorKind::Runtime, "CUDA_ERROR_ILLEGAL_STATE: conditions belong to a graph that is being captured");
  return {};
}

Result<StreamId> WorkQueue::beginConditional(StreamId captured, ConditionId condition, Conditional kind) {
  TESSERA_TRY(checkCondition(condition, captured));
  TESSERA_ASSIGN_OR_RETURN(const StreamId body, makeStream());
  captures_.push_back({.origin = body, .streams = {body}, .condition = condition, .kind = kind});
  return body;
}

Status WorkQueue::endConditional(StreamId captured, StreamId body) {
  if (captures_.size() < 2 || captures_.back().origin != body)
    return fail(ErrorKind::Runtime, "CUDA_ERROR_ILLEGAL_STATE: this stream is no body that is being captured");
  const Capture inner = std::move(captures_.back());
  captures_.pop_back();
  streams_.erase(body);
  return add(captured,
             [all = conditions_, condition = inner.condition, kind = inner.kind,
              work = inner.work](const std::atomic<bool>* cancel) -> Status {
               while ((*all)[condition]) {
                 for (const Work& one : work) TESSERA_TRY(one(cancel));
                 if (kind == Conditional::If) break;
                 if (cancel && cancel->load(std::memory_order_relaxed)) return failCancelled();
               }
               return {};
             });
}

Status WorkQueue::launchGraph(GraphId graph, StreamId stream) {
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return invalidHandle("graph");
  return add(stream, [work = found->second](const std::atomic<bool>* cancel) -> Status {
    for (const Work& one : *work) TESSERA_TRY(one(cancel));
    return {};
  });
}

Status WorkQueue::releaseGraph(GraphId graph) {
  if (!graphs_.erase(graph)) return invalidHandle("graph");
  return {};
}

}  // namespace tessera::cuda::simulated
