// See issuer.h.
#include "backends/cuda/program/issuer.h"

#include <algorithm>
#include <cmath>

namespace tessera::cuda {

Issuer::~Issuer() {
  for (const std::vector<EventId>* pool : {&ends_, &clocks_})
    for (const EventId event : *pool) (void)device_.releaseEvent(event);
  for (const EventId event : {fork_, start_})
    if (event != EventId::None) (void)device_.releaseEvent(event);
  for (const StreamId stream : streams_) (void)device_.releaseStream(stream);
}

Result<StreamId> Issuer::stream(int number) {
  while (streams_.size() <= static_cast<size_t>(number)) {
    TESSERA_ASSIGN_OR_RETURN(const StreamId made, device_.makeStream());
    streams_.push_back(made);
  }
  return streams_[static_cast<size_t>(number)];
}

Result<StreamId> Issuer::mainStream() { return stream(0); }

Result<EventId> Issuer::event(std::vector<EventId>& pool, size_t number) {
  while (pool.size() <= number) {
    TESSERA_ASSIGN_OR_RETURN(const EventId made, device_.makeEvent());
    pool.push_back(made);
  }
  return pool[number];
}

// --- segments

Status Issuer::issue(const WorkItem& segment) { return issueUnits(segment); }

// A capture that fails is ended, so that its stream can be used again.
Result<GraphId> Issuer::capture(const WorkItem& segment) {
  TESSERA_ASSIGN_OR_RETURN(const StreamId main, mainStream());
  TESSERA_TRY(device_.beginCapture(main));
  const Status issued = issueUnits(segment);
  auto graph = device_.endCapture(main);
  if (issued) return graph;
  if (graph) (void)device_.releaseGraph(*graph);
  return std::unexpected(issued.error());
}

// Every other stream begins behind what the main one has done so far, and the main one goes on behind all of them.
Status Issuer::issueUnits(const WorkItem& segment) {
  const StreamSchedule& schedule = segment.schedule;
  TESSERA_ASSIGN_OR_RETURN(const StreamId main, mainStream());
  if (fork_ == EventId::None) {
    TESSERA_ASSIGN_OR_RETURN(fork_, device_.makeEvent());
  }
  if (schedule.streams > 1) TESSERA_TRY(device_.record(fork_, main));
  std::vector<bool> joined(static_cast<size_t>(schedule.streams), false);
  joined[0] = true;
  for (size_t i = 0; i < segment.units.size(); ++i) {
    const ScheduledUnit& placed = schedule.units[i];
    TESSERA_ASSIGN_OR_RETURN(const StreamId id, stream(placed.stream));
    if (!joined[static_cast<size_t>(placed.stream)]) TESSERA_TRY(device_.wait(id, fork_));
    joined[static_cast<size_t>(placed.stream)] = true;
    for (const size_t before : placed.waits) TESSERA_TRY(device_.wait(id, ends_[before]));
    TESSERA_TRY(issueUnit(segment.units[i], placed.stream, id));
    if (!placed.isAwaited) continue;
    TESSERA_ASSIGN_OR_RETURN(const EventId end, event(ends_, i));
    TESSERA_TRY(device_.record(end, id));
  }
  for (const size_t last : schedule.last) TESSERA_TRY(device_.wait(main, ends_[last]));
  return {};
}

Status Issuer::issueUnit(const WorkUnit& unit, int stream, StreamId id) {
  switch (unit.kind) {
    case WorkUnit::Kind::Step: {
      const auto step = [&] { return issueStep(*unit.step, id); };
      return isMeasuring_ ? measured(unit.step->number, stream, step) : step();
    }
    case WorkUnit::Kind::Repeat:
      for (int64_t trip = 0; trip < unit.step->trips; ++trip)
        for (const WorkUnit& each : unit.inner[0]) TESSERA_TRY(issueUnit(each, stream, id));
      return {};
    case WorkUnit::Kind::Loop: return issueLoop(unit, id);
    case WorkUnit::Kind::Branch: return issueBranch(unit, id);
  }
  return {};
}

// The condition is computed before the loop and at the end of each round.
Status Issuer::issueLoop(const WorkUnit& unit, StreamId id) {
  const ConditionTest holds{memory_.at(unit.step->operands[0]), 1, 0, 0, true};
  const auto decide = [&](ConditionId condition, StreamId on) -> Status {
    for (const WorkUnit& each : unit.inner[0]) TESSERA_TRY(issueUnit(each, 0, on));
    return device_.setCondition(condition, holds, on);
  };
  TESSERA_ASSIGN_OR_RETURN(const ConditionId condition, device_.makeCondition(id));
  TESSERA_TRY(decide(condition, id));
  TESSERA_ASSIGN_OR_RETURN(const StreamId body, device_.beginConditional(id, condition, Conditional::While));
  for (const WorkUnit& each : unit.inner[1]) TESSERA_TRY(issueUnit(each, 0, body));
  TESSERA_TRY(decide(condition, body));
  return device_.endConditional(id, body);
}

// One conditional a branch, all conditions set before the first runs: a branch may change the selector's memory.
Status Issuer::issueBranch(const WorkUnit& unit, StreamId id) {
  const DeviceStep& step = *unit.step;
  const int count = static_cast<int>(unit.inner.size());
  const DeviceAddress selector = memory_.at(step.operands[0]);
  std::vector<ConditionId> conditions;
  for (int k = 0; k < count; ++k) {
    ConditionTest test{selector, step.byPredicate ? 1u : 4u, k, k, false};
    if (step.byPredicate)
      test = {selector, 1, 0, 0, k == 0};
    else if (k == count - 1)
      test = {selector, 4, 0, count - 2, true};
    TESSERA_ASSIGN_OR_RETURN(const ConditionId condition, device_.makeCondition(id));
    TESSERA_TRY(device_.setCondition(condition, test, id));
    conditions.push_back(condition);
  }
  for (int k = 0; k < count; ++k) {
    TESSERA_ASSIGN_OR_RETURN(const StreamId body,
                             device_.beginConditional(id, conditions[static_cast<size_t>(k)], Conditional::If));
    for (const WorkUnit& each : unit.inner[static_cast<size_t>(k)]) TESSERA_TRY(issueUnit(each, 0, body));
    TESSERA_TRY(device_.endConditional(id, body));
  }
  return {};
}

Status Issuer::issueStep(const DeviceStep& step, StreamId id) {
  switch (step.kind) {
    case DeviceStep::Kind::Copy:
      return device_.copyOnDevice(memory_.at(step.results[0]), memory_.at(step.operands[0]), step.bytes, id);
    case DeviceStep::Kind::Library: return issueLibrary(step, id);
    default: return issueKernel(step, id);
  }
}

Status Issuer::issueLibrary(const DeviceStep& step, StreamId id) {
  if (!libraries_) return fail(ErrorKind::Unsupported, step.what + ": the library is not here");
  std::vector<DeviceAddress> operands, results;
  for (const int slot : step.operands) operands.push_back(memory_.at(slot));
  for (const int slot : step.results) results.push_back(memory_.at(slot));
  const DeviceAddress workspace = step.call.workspaceBytes > 0 ? results.back() : 0;
  return libraries_->run(step.call, operands, results, workspace, id);
}

Status Issuer::issueKernel(const DeviceStep& step, StreamId id) {
  parameters_.clear();
  const auto push = [&](DeviceAddress address) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&address);
    parameters_.insert(parameters_.end(), bytes, bytes + sizeof address);
  };
  for (size_t i = 0; i < step.operands.size(); ++i)
    push(memory_.at(step.operands[i]) + static_cast<DeviceAddress>(step.starts.empty() ? 0 : step.starts[i]));
  for (const int slot : step.results) push(memory_.at(slot));
  const KernelLaunch& launch = launches_[step.kernel];
  return device_.launch({.kernel = kernels_[step.kernel],
                         .grid = {static_cast<unsigned>(launch.blocks)},
                         .block = {launch.blockThreads},
                         .dynamicSharedBytes = launch.dynamicSharedBytes,
                         .parameters = parameters_},
                        id);
}

// --- measuring

Status Issuer::beginMeasuring() {
  TESSERA_ASSIGN_OR_RETURN(const StreamId main, mainStream());
  if (start_ == EventId::None) {
    TESSERA_ASSIGN_OR_RETURN(start_, device_.makeEvent());
  }
  timed_.clear();
  isMeasuring_ = true;
  beginRecording();
  return device_.record(start_, main);
}

// Where there are no records, events do.
void Issuer::beginRecording() {
  if (device_.info().ordinal < 0 || !withoutRecords_.empty()) return;
  const auto open = [&]() -> Status {
    TESSERA_TRY(device_.enterContext());
    TESSERA_ASSIGN_OR_RETURN(recorder_, ActivityRecorder::open());
    TESSERA_ASSIGN_OR_RETURN(recordedFromNs_, recorder_->nowNs());
    return {};
  };
  const Status opened = open();
  if (opened) {
    recordedBy_ = "CUPTI " + recorder_->version();
  } else {
    recorder_.reset();
    withoutRecords_ = opened.error().message;
  }
}

void Issuer::endMeasuring() {
  isMeasuring_ = false;
  recorder_.reset();
}

Status Issuer::measured(int32_t number, int stream, const std::function<Status()>& work) {
  const size_t at = 2 * timed_.size();
  TESSERA_ASSIGN_OR_RETURN(const StreamId id, this->stream(stream));
  TESSERA_ASSIGN_OR_RETURN(const EventId begin, event(clocks_, at));
  TESSERA_ASSIGN_OR_RETURN(const EventId end, event(clocks_, at + 1));
  TESSERA_TRY(device_.record(begin, id));
  uint64_t activity = 0;
  if (recorder_) {
    TESSERA_ASSIGN_OR_RETURN(activity, recorder_->enter());
  }
  const Status done = work();
  if (recorder_) TESSERA_TRY(recorder_->leave());
  TESSERA_TRY(done);
  TESSERA_TRY(device_.record(end, id));
  timed_.push_back({number, stream, begin, end, activity});
  return {};
}

Status Issuer::collect(std::vector<MeasuredStep>& out, const std::atomic<bool>* cancel) {
  TESSERA_ASSIGN_OR_RETURN(const StreamId main, mainStream());
  TESSERA_TRY(device_.synchronize(main, cancel));
  constexpr double kNanoseconds = 1e6;
  const size_t first = out.size();
  for (const Timed& each : timed_) {
    TESSERA_ASSIGN_OR_RETURN(const double before, device_.milliseconds(start_, each.begin));
    TESSERA_ASSIGN_OR_RETURN(const double took, device_.milliseconds(each.begin, each.end));
    const auto begin = static_cast<int64_t>(std::llround(before * kNanoseconds)),
               length = static_cast<int64_t>(std::llround(took * kNanoseconds));
    out.push_back({each.number, each.stream, begin, begin + length, length});
  }
  if (recorder_) TESSERA_TRY(addRecords(out, first));
  timed_.clear();
  return {};
}

// The card's own times in the place of those of events, where it recorded some.
Status Issuer::addRecords(std::vector<MeasuredStep>& out, size_t first) const {
  std::vector<uint64_t> ids;
  for (const Timed& each : timed_) ids.push_back(each.activity);
  TESSERA_ASSIGN_OR_RETURN(const auto found, recorder_->take(ids));
  for (size_t i = 0; i < timed_.size(); ++i) {
    const auto record = found.find(timed_[i].activity);
    if (record == found.end()) continue;
    const Activity& did = record->second;
    MeasuredStep& step = out[first + i];
    step.beginNs = std::max<int64_t>(0, did.beginNs - recordedFromNs_);
    step.ownNs = did.endNs - did.beginNs;
    step.endNs = step.beginNs + step.ownNs;
    step.registers = did.registers, step.sharedBytes = did.sharedBytes, step.spilledBytes = did.spilledBytes;
  }
  return {};
}

}  // namespace tessera::cuda
