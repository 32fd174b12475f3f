// PlanRunner: runs a program on a device. Takes its memory before the first run and keeps it; constants are written
// once. The first run issues the steps, later ones launch graphs that were captured of them. Needs neither modules nor
// LLVM: the backend and programs compiled ahead of time run by it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/program/device_plan.h"
#include "backends/cuda/program/issuer.h"
#include "backends/cuda/program/slot_memory.h"
#include "backends/cuda/program/staging.h"
#include "backends/cuda/program/work_items.h"

namespace tessera::cuda {

struct RunCall {
  std::vector<std::span<const std::byte>> arguments;  // by leaf, dense and row-major
  std::vector<std::span<std::byte>> results;
  const std::atomic<bool>* cancel = nullptr;
  bool argumentsStay = false;                          // those of the run before are used
  bool resultsStay = false;                            // on the device; `results` is not written
  std::function<Status(const DeviceStep&)> host = {};  // runs a step of kind Host
  std::vector<MeasuredStep>* measured = nullptr;       // where measurements go; null: none are made
};

class PlanRunner {
 public:
  // The program outlives the runner.
  PlanRunner(std::unique_ptr<Device> device, const DeviceProgram& program);
  ~PlanRunner();

  // Loads the kernels. code: what `assemble` gave for each module of the program.
  Status load(std::span<const std::string> code);
  Status run(const RunCall& call);

  // --- for steps of kind Host: waits for the device
  Status read(int slot, std::span<std::byte> to);
  Status write(int slot, std::span<const std::byte> from);

  StreamId mainStream() const { return main_; }
  Device& device() { return *device_; }
  const Device& device() const { return *device_; }
  // Of a slot, once memory has been taken.
  DeviceAddress addressOf(int slot) const { return memory_.at(slot); }
  int64_t neededBytes() const { return memory_.neededBytes(); }
  const std::vector<KernelInfo>& kernelInfos() const { return kernelInfos_; }
  // Who recorded what measured runs took; "": events did, for the reason that withoutRecords gives.
  std::string recordedBy() const { return issuer_.recordedBy(); }
  const std::string& withoutRecords() const { return issuer_.withoutRecords(); }
  // Why graphs are not used; "": they are.
  const std::string& withoutGraphs() const { return withoutGraphs_; }

 private:
  Status prepare();
  Status runAll();
  Status copyIn();
  Status copyOut();
  Status runItems(WorkItems& items);
  Status runItem(WorkItem& item);
  Status runSegment(WorkItem& item);
  Status runHost(const WorkItem& item);
  Status runWhile(WorkItem& item);
  Status runChoice(WorkItem& item);
  // Time on the host, without that of what runs within.
  Status runTimed(const WorkItem& item, const std::function<Status()>& work);
  Status checkCancelled() const;
  Status wait();
  Status timedCopy(size_t number, const std::function<Status()>& work);
  void releaseGraphs(WorkItems& items);
  int64_t nowNs() const;

  std::unique_ptr<Device> device_;
  std::unique_ptr<Libraries> libraries_;  // null: none
  const DeviceProgram& program_;
  std::vector<ModuleId> modules_;
  std::vector<KernelInfo> kernelInfos_;  // by launch
  SlotMemory memory_;
  Issuer issuer_;
  Staging staging_;
  WorkItems items_, measuredItems_;
  bool hasArguments_ = false;  // of an earlier run
  std::string withoutGraphs_;
  const RunCall* call_ = nullptr;  // of the run
  StreamId main_ = StreamId::Default;
  int64_t beginNs_ = 0, nestedNs_ = 0;
};

// The slots that are copied from the host before a run and back after it, in the order in which measured copies are
// numbered.
std::vector<int> copiedSlots(const DevicePlan& plan);

}  // namespace tessera::cuda
