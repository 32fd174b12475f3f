// See work_items.h.
#include "backends/cuda/program/work_items.h"

#include <algorithm>

#include "backends/cuda/program/slot_memory.h"

namespace tessera::cuda {

namespace {

class ItemBuilder {
 public:
  ItemBuilder(const SlotMemory& memory, const WorkOptions& options) : memory_(memory), options_(options) {}

  WorkItems items(const std::vector<DeviceStep>& steps) const {
    WorkItems out;
    for (const DeviceStep& step : steps) append(step, out);
    schedule(out);
    return out;
  }
  WorkItems items(const WorkUnits& units) const {
    WorkItems out;
    for (const WorkUnit& unit : units) append(*unit.step, out);
    schedule(out);
    return out;
  }

 private:
  void append(const DeviceStep& step, WorkItems& out) const {
    const bool isAlone = waitsForDevice(step);
    auto unit = isAlone ? std::optional(WorkUnit{WorkUnit::Kind::Step, &step, {}}) : unitOf(step);
    if (!unit) return out.push_back(itemOf(step));
    const bool begins =
        out.empty() || out.back().kind != WorkItem::Kind::Segment || waitsForDevice(*out.back().units.back().step);
    if (begins || isAlone) out.emplace_back();
    out.back().needsGraph = out.back().needsGraph || isConditional(*unit);
    out.back().units.push_back(std::move(*unit));
  }
  void schedule(WorkItems& out) const {
    for (WorkItem& item : out)
      if (item.kind == WorkItem::Kind::Segment) item.schedule = scheduleOf(item.units);
  }

  std::optional<WorkUnits> unitsOf(const std::vector<DeviceStep>& steps) const {
    WorkUnits out;
    for (const DeviceStep& step : steps) {
      auto unit = unitOf(step);
      if (!unit) return std::nullopt;
      out.push_back(std::move(*unit));
    }
    return out;
  }

  // A library that reads results back while it works: no graph can hold the step, so it is a segment alone.
  static bool waitsForDevice(const DeviceStep& step) {
    return step.kind == DeviceStep::Kind::Library && step.call.operation == LibraryOperation::MatrixRoutine &&
           step.call.matrix.routine != MatrixRoutine::TriangularSolve;
  }

  // Nothing where the host has a part in it.
  std::optional<WorkUnit> unitOf(const DeviceStep& step) const {
    if (waitsForDevice(step)) return std::nullopt;
    switch (step.kind) {
      case DeviceStep::Kind::Kernel:
      case DeviceStep::Kind::Library:
      case DeviceStep::Kind::Copy: return WorkUnit{WorkUnit::Kind::Step, &step, {}};
      case DeviceStep::Kind::Host: return std::nullopt;
      case DeviceStep::Kind::While: return loopUnit(step);
      case DeviceStep::Kind::Choice:
        return options_.conditionals ? innerUnit(WorkUnit::Kind::Branch, step) : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<WorkUnit> innerUnit(WorkUnit::Kind kind, const DeviceStep& step) const {
    WorkUnit out{kind, &step, {}};
    for (const std::vector<DeviceStep>& block : step.blocks) {
      auto units = unitsOf(block);
      if (!units) return std::nullopt;
      out.inner.push_back(std::move(*units));
    }
    return out;
  }

  std::optional<WorkUnit> loopUnit(const DeviceStep& step) const {
    if (step.trips >= 0 && isPure(step.blocks[0])) {
      auto body = unitsOf(step.blocks[1]);
      if (!body) return std::nullopt;
      if (step.trips * std::max<int64_t>(1, countOf(*body)) <= options_.mostRepeated)
        return WorkUnit{WorkUnit::Kind::Repeat, &step, {std::move(*body)}};
    }
    return options_.conditionals ? innerUnit(WorkUnit::Kind::Loop, step) : std::nullopt;
  }

  WorkItem itemOf(const DeviceStep& step) const {
    WorkItem out;
    out.step = &step;
    switch (step.kind) {
      case DeviceStep::Kind::While:
        out.kind = step.trips >= 0 && isPure(step.blocks[0]) ? WorkItem::Kind::Repeat : WorkItem::Kind::While;
        break;
      case DeviceStep::Kind::Choice: out.kind = WorkItem::Kind::Choice; break;
      default: out.kind = WorkItem::Kind::Host;
    }
    for (size_t k = out.kind == WorkItem::Kind::Repeat ? 1 : 0; k < step.blocks.size(); ++k)
      out.inner.push_back(items(step.blocks[k]));
    return out;
  }

  // Of a condition whose answer is known: nothing outside sees that it did not run.
  static bool isPure(const std::vector<DeviceStep>& steps) {
    return std::ranges::all_of(steps, [](const DeviceStep& step) {
      return step.kind == DeviceStep::Kind::Kernel || step.kind == DeviceStep::Kind::Library ||
             step.kind == DeviceStep::Kind::Copy;
    });
  }
  static bool isConditional(const WorkUnit& unit) {
    return unit.kind == WorkUnit::Kind::Loop || unit.kind == WorkUnit::Kind::Branch ||
           std::ranges::any_of(unit.inner,
                               [](const WorkUnits& units) { return std::ranges::any_of(units, isConditional); });
  }
  static int64_t countOf(const WorkUnits& units) {
    int64_t count = 0;
    for (const WorkUnit& unit : units) {
      int64_t inner = unit.kind == WorkUnit::Kind::Step ? 1 : 0;
      for (const WorkUnits& each : unit.inner) inner += countOf(each);
      count += inner * (unit.kind == WorkUnit::Kind::Repeat ? unit.step->trips : 1);
    }
    return count;
  }

  // --- what a unit touches

  void addRange(int slot, std::vector<MemoryRange>& out) const {
    if (slot < 0 || memory_.bytesAt(slot) == 0) return;
    const DeviceAddress begin = memory_.at(slot);
    out.push_back({begin, begin + static_cast<uint64_t>(memory_.bytesAt(slot))});
  }
  void addAccess(const DeviceStep& step, UnitAccess& out) const {
    for (const int slot : step.operands) addRange(slot, out.reads);
    for (const int slot : step.results) addRange(slot, out.writes);
    for (const std::vector<DeviceStep>& block : step.blocks)
      for (const DeviceStep& each : block) addAccess(each, out);
  }
  StreamSchedule scheduleOf(const WorkUnits& units) const {
    std::vector<UnitAccess> accesses(units.size());
    for (size_t i = 0; i < units.size(); ++i) addAccess(*units[i].step, accesses[i]);
    return scheduleOnStreams(accesses, options_.streams);
  }

  const SlotMemory& memory_;
  const WorkOptions& options_;
};

}  // namespace

WorkItems workItemsOf(const std::vector<DeviceStep>& steps, const SlotMemory& memory, const WorkOptions& options) {
  return ItemBuilder(memory, options).items(steps);
}

WorkItems decidedByHost(const WorkItem& segment, const SlotMemory& memory) {
  const WorkOptions options;
  return ItemBuilder(memory, options).items(segment.units);
}

}  // namespace tessera::cuda
