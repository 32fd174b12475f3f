// Issuer: hands segments of a plan to the streams of a device, directly or into a graph that is captured, and measures
// what ran: by CUPTI's records where there is CUPTI, else by events. Owns streams and events. Used by plan_runner.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/libraries/cupti.h"
#include "backends/cuda/libraries/libraries.h"
#include "backends/cuda/program/slot_memory.h"
#include "backends/cuda/program/work_items.h"

namespace tessera::cuda {

// Something that was measured: when it ran, in nanoseconds since the run began.
struct MeasuredStep {
  int32_t number = 0;  // of a step; from the plan's count on: of a copy to or from the host (copiedSlots)
  int stream = 0;      // -1: the host
  int64_t beginNs = 0, endNs = 0, ownNs = 0;
  int registers = 0;  // a thread, of the kernel as it was launched; 0: not recorded
  int64_t sharedBytes = 0, spilledBytes = 0;
};

class Issuer {
 public:
  Issuer(Device& device, const SlotMemory& memory, const std::vector<KernelLaunch>& launches)
      : device_(device), memory_(memory), launches_(launches) {}
  ~Issuer();
  Issuer(const Issuer&) = delete;
  Issuer& operator=(const Issuer&) = delete;

  // libraries: null where no step needs one; outlives this.
  void setLibraries(Libraries* libraries) { libraries_ = libraries; }
  void setKernels(std::vector<KernelId> kernels) { kernels_ = std::move(kernels); }
  // Where all work begins and ends.
  Result<StreamId> mainStream();

  Status issue(const WorkItem& segment);
  Result<GraphId> capture(const WorkItem& segment);

  // --- measuring; only what is issued directly is measured
  Status beginMeasuring();
  Status measured(int32_t number, int stream, const std::function<Status()>& work);
  // Waits for what was issued and adds what it took.
  Status collect(std::vector<MeasuredStep>& out, const std::atomic<bool>* cancel);
  void endMeasuring();
  // "CUPTI 13.0.1"; "": events, for the reason that withoutRecords gives.
  std::string recordedBy() const { return recordedBy_; }
  const std::string& withoutRecords() const { return withoutRecords_; }

 private:
  struct Timed {
    int32_t number;
    int stream;
    EventId begin, end;
    uint64_t activity;  // 0: not recorded
  };
  void beginRecording();
  Status addRecords(std::vector<MeasuredStep>& out, size_t first) const;
  Status issueUnits(const WorkItem& segment);
  Status issueUnit(const WorkUnit& unit, int stream, StreamId id);
  Status issueStep(const DeviceStep& step, StreamId id);
  Status issueKernel(const DeviceStep& step, StreamId id);
  Status issueLibrary(const DeviceStep& step, StreamId id);
  Status issueLoop(const WorkUnit& unit, StreamId id);
  Status issueBranch(const WorkUnit& unit, StreamId id);
  Result<StreamId> stream(int number);
  Result<EventId> event(std::vector<EventId>& pool, size_t number);

  Device& device_;
  const SlotMemory& memory_;
  const std::vector<KernelLaunch>& launches_;
  std::vector<KernelId> kernels_;
  Libraries* libraries_ = nullptr;
  std::vector<StreamId> streams_;
  std::vector<EventId> ends_, clocks_;  // of units that others wait for; of what is measured
  EventId fork_ = EventId::None, start_ = EventId::None;
  std::vector<Timed> timed_;
  std::unique_ptr<ActivityRecorder> recorder_;  // while it is measured; null: by events
  std::string recordedBy_, withoutRecords_;
  int64_t recordedFromNs_ = 0;  // when the run began, by the recorder's clock
  std::vector<std::byte> parameters_;
  bool isMeasuring_ = false;
};

}  // namespace tessera::cuda
