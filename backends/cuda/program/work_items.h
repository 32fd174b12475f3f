// WorkItems: a plan cut where the host must decide. Between the cuts stand segments: pieces of work that are issued
// without a decision, side by side on several streams where they do not depend on each other, and captured as one
// graph. Loops whose trips are known are part of a segment; loops and branches that a value on the device decides are,
// too, where the device has conditional graph nodes.
#pragma once

#include <optional>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/program/device_plan.h"
#include "backends/cuda/program/stream_schedule.h"

namespace tessera::cuda {

class SlotMemory;

struct WorkUnit;
using WorkUnits = std::vector<WorkUnit>;

// Issued as a whole. What is within a unit runs in order.
struct WorkUnit {
  enum class Kind : uint8_t {
    Step,    // a kernel or a copy
    Repeat,  // inner[0] step.trips times
    Loop,    // inner: condition, body; the device decides
    Branch,  // inner: the branches; the device decides
  };
  Kind kind = Kind::Step;
  const DeviceStep* step = nullptr;
  std::vector<WorkUnits> inner;
};

struct WorkItem;
using WorkItems = std::vector<WorkItem>;

struct WorkItem {
  enum class Kind : uint8_t {
    Segment,
    Host,    // the step by the evaluator
    While,   // inner: condition, body; the host reads the predicate
    Repeat,  // inner[0] step->trips times
    Choice,  // inner: the branches; the host reads the selector
  };
  Kind kind = Kind::Segment;
  const DeviceStep* step = nullptr;  // but of a segment
  WorkUnits units;
  StreamSchedule schedule;       // of units
  bool needsGraph = false;       // it holds loops or branches that the device decides
  std::vector<WorkItems> inner;  // of a segment: what runs in its place where its graph cannot be made
  std::optional<GraphId> graph;  // once it is captured
  int64_t runs = 0;
};

struct WorkOptions {
  bool conditionals = false;  // loops and branches may be decided by the device
  int streams = 4;
  int64_t mostRepeated = 1024;  // units that a loop of known trips may become
};

// The steps and the memory outlive the items.
WorkItems workItemsOf(const std::vector<DeviceStep>& steps, const SlotMemory& memory, const WorkOptions& options);
// The same work, all decisions left to the host.
WorkItems decidedByHost(const WorkItem& segment, const SlotMemory& memory);

}  // namespace tessera::cuda
