// See measure.h.
#include "core/analysis/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/memory/memory_report.h"
#include "core/ops/inference/infer.h"
#include "core/overview/workload.h"

namespace tessera {
namespace {

constexpr MeasureInfo kMeasures[] = {
    {Measure::SelfTime, "self time", "How long it took itself, without what it calls", OverlayKind::Sum,
     OverlayUnit::Nanoseconds, MeasureNeed::Times},
    {Measure::TotalTime, "total time", "How long it took with all that it calls", OverlayKind::Sum,
     OverlayUnit::Nanoseconds, MeasureNeed::Times},
    {Measure::WastedTime, "wasted time", "How much longer it took than the device needs for its arithmetic and bytes",
     OverlayKind::Sum, OverlayUnit::Nanoseconds, MeasureNeed::Peaks},
    {Measure::Utilisation, "utilisation", "The time that the device needs at least, of the time that it took",
     OverlayKind::Ratio, OverlayUnit::Share, MeasureNeed::Peaks},
    {Measure::Bound, "bound by", "What takes longest: arithmetic, bytes, or neither", OverlayKind::Bound,
     OverlayUnit::Nanoseconds, MeasureNeed::Peaks},
    {Measure::Flops, "flops", "Floating point operations of a run", OverlayKind::Sum, OverlayUnit::Flops,
     MeasureNeed::Module},
    {Measure::Bytes, "bytes", "Bytes read and written in a run", OverlayKind::Sum, OverlayUnit::Bytes,
     MeasureNeed::Module},
    {Measure::Intensity, "intensity", "Floating point operations for each byte that is moved", OverlayKind::Ratio,
     OverlayUnit::FlopsPerByte, MeasureNeed::Module},
    {Measure::PeakMemory, "memory at the peak", "Bytes that live when most memory is in use", OverlayKind::Sum,
     OverlayUnit::Bytes, MeasureNeed::Module},
    {Measure::Count, "executions", "How often it is executed in a run", OverlayKind::Sum, OverlayUnit::Count,
     MeasureNeed::Module},
    {Measure::Difference, "difference", "Self time against that of the run that was kept", OverlayKind::Difference,
     OverlayUnit::Nanoseconds, MeasureNeed::Baseline},
    {Measure::Exposed, "exposed communication", "Time of a transfer that no computation hides", OverlayKind::Sum,
     OverlayUnit::Nanoseconds, MeasureNeed::Given},
    {Measure::Error, "numeric error", "How far values of a comparison are apart, as a share of what is allowed",
     OverlayKind::Largest, OverlayUnit::Error, MeasureNeed::Given},
};

Overlay emptyOverlay(Measure measure) {
  const MeasureInfo& info = infoOf(measure);
  Overlay out{.kind = info.kind, .unit = info.unit};
  if (info.unit == OverlayUnit::Share) out.cold = 1, out.hot = 0, out.linear = true;
  out.title = info.name;
  return out;
}

double sumOf(const Overlay& overlay) {
  double out = 0;
  for (const auto& [id, entry] : overlay.entries) out += entry.value;
  for (const Overlay::Whole& whole : overlay.wholes)
    if (!whole.only) out += whole.entry.value;
  return out;
}

// --- of measured times

Overlay::Entry scaled(Overlay::Entry entry, double by) {
  entry.value *= by, entry.per *= by, entry.rest *= by;
  return entry;
}

Overlay::Entry entryOf(Measure measure, const OpUnit& unit) {
  switch (measure) {
    case Measure::WastedTime: return {.value = unit.wastedNs()};
    case Measure::Utilisation:
      return unit.attainableNs > 0
                 ? Overlay::Entry{.value = std::min(unit.attainableNs, unit.selfNs), .per = unit.selfNs}
                 : Overlay::Entry();
    case Measure::Bound:
      return {.value = unit.bound == BoundBy::Compute ? unit.selfNs : 0,
              .per = unit.bound == BoundBy::Memory ? unit.selfNs : 0,
              .rest = unit.bound == BoundBy::Overhead ? unit.selfNs : 0};
    default: return {.value = unit.selfNs};
  }
}

InstructionId insideOf(const Module& module, InstructionId id) {
  for (ComputationId callee : module.callees(module.at(id)))
    if (module.contains(callee)) return module.at(callee).root;
  return {};
}

// A unit's entry belongs to its instruction; that of a fusion or of several instructions is split among the members by
// their shares.
void addUnit(Overlay& out, const OpUnit& unit, Overlay::Entry entry, const Module& module) {
  const InstructionId at = unit.facts.instruction;
  entry.measured = unit.measured;
  if (unit.members.empty()) {
    if (at.valid() && module.contains(at)) out.entries.emplace_back(at, entry);
    return;
  }
  InstructionId inside;
  for (const OpMember& member : unit.members) {
    if (!module.contains(member.facts.instruction)) continue;
    Overlay::Entry share = scaled(entry, unit.selfNs > 0 ? member.timeNs / unit.selfNs : 0);
    share.measured = false;
    out.entries.emplace_back(member.facts.instruction, share);
    inside = member.facts.instruction;
  }
  if (at.valid() && module.contains(at)) out.wholes.push_back({at, inside, entry});
}

Overlay ofTimes(Measure measure, const OpTimes& times, const Module& module) {
  Overlay out = emptyOverlay(measure);
  for (const OpUnit& unit : times.units) {
    addUnit(out, unit, entryOf(measure, unit), module);
    const InstructionId at = unit.facts.instruction;
    if (measure != Measure::TotalTime || unit.totalNs <= unit.selfNs || !module.contains(at)) continue;
    if (const InstructionId inside = insideOf(module, at); inside.valid())
      out.wholes.push_back({at, inside, {.value = unit.totalNs - unit.selfNs, .measured = unit.measured}, false});
  }
  sortEntries(out);
  return out;
}

// What either has; of what both have the difference.
Overlay differenceOf(const Overlay& after, const Overlay& before) {
  Overlay out = emptyOverlay(Measure::Difference);
  out.entries = after.entries;
  for (auto [id, entry] : before.entries) out.entries.emplace_back(id, scaled(entry, -1));
  out.wholes = after.wholes;
  for (Overlay::Whole whole : before.wholes) {
    whole.entry = scaled(whole.entry, -1);
    out.wholes.push_back(whole);
  }
  sortEntries(out);
  return out;
}

std::string titleOf(Measure measure, const Overlay& overlay, const MeasuredTimes& times) {
  const std::string name(infoOf(measure).name);
  switch (measure) {
    case Measure::SelfTime:
    case Measure::TotalTime: {
      constexpr double kMore = 1.2;
      if (times.runNs <= 0)
        return fmt::format("{} · {} in all", name, durationText(times.times ? times.times->totalNs : 0));
      const double all = measure == Measure::SelfTime ? sumOf(overlay) : 0;
      const std::string whole = fmt::format("{} · a run takes {}", name, durationText(times.runNs));
      return all > kMore * times.runNs ? fmt::format("{}, {} of threads and devices together", whole, durationText(all))
                                       : whole;
    }
    case Measure::WastedTime: return fmt::format("{} · {} in all", name, durationText(sumOf(overlay)));
    case Measure::Flops: return fmt::format("{} of a run · {} in all", name, overlay.textOfNumber(sumOf(overlay)));
    case Measure::Bytes: return fmt::format("{} of a run · {} in all", name, overlay.textOfNumber(sumOf(overlay)));
    case Measure::PeakMemory: return fmt::format("{} · {} in all", name, overlay.textOfNumber(sumOf(overlay)));
    case Measure::Difference: {
      const double sum = sumOf(overlay);
      const char* sign = sum < 0 ? "−" : "+";
      return fmt::format("{} to {} · {}{}", name, times.baselineName, sign, durationText(std::abs(sum)));
    }
    default: return name;
  }
}

}  // namespace

std::span<const MeasureInfo> allMeasures() { return kMeasures; }

const MeasureInfo& infoOf(Measure measure) { return *std::ranges::find(kMeasures, measure, &MeasureInfo::measure); }

std::optional<Measure> measureNamed(std::string_view name) {
  const auto* found = std::ranges::find(kMeasures, name, &MeasureInfo::name);
  return found == std::end(kMeasures) ? std::nullopt : std::optional(found->measure);
}

bool isAvailable(Measure measure, const MeasuredTimes& times, bool heldAgainstPeaks) {
  switch (infoOf(measure).need) {
    case MeasureNeed::Module: return true;
    case MeasureNeed::Times: return times.times != nullptr;
    case MeasureNeed::Peaks: return times.times && heldAgainstPeaks;
    case MeasureNeed::Baseline: return times.times && times.baseline;
    case MeasureNeed::Given: return false;
  }
  return false;
}

Overlay selfTimesOf(const OpTimes& times, const Module& module) { return ofTimes(Measure::SelfTime, times, module); }

Overlay totalTimesOf(const OpTimes& times, const Module& module) { return ofTimes(Measure::TotalTime, times, module); }

// --- of the module

struct MeasureMaker::Counted {
  explicit Counted(const Module& module) : work(module, nullptr), counter(module) {}
  const Workload work;
  mutable CostCounter counter;
  Overlay flops, bytes, intensity, count;
};

namespace {

// The members of a fusion with their own flops; the bytes are the fusion's, what stays inside moves none.
void addFlops(Overlay& out, const Workload& work, CostCounter& counter, const Instruction& instruction, bool known) {
  const Cost& cost = work.costOf(instruction.id);
  const Overlay::Entry whole{.value = cost.flops + cost.transcendentals, .measured = known};
  const Computation* fused = work.fusedBy(instruction);
  if (!fused) return void(out.entries.emplace_back(instruction.id, whole));
  const double times = work.timesOf(instruction.id);
  for (InstructionId id : fused->instructions) {
    const Cost each = counter.of(id);
    const double flops = (each.flops + each.transcendentals) * times;
    if (flops > 0) out.entries.push_back({id, {.value = flops, .measured = known}});
  }
  out.wholes.push_back({instruction.id, fused->root, whole});
}

}  // namespace

const MeasureMaker::Counted& MeasureMaker::counted() {
  if (counted_) return *counted_;
  auto made = std::make_shared<Counted>(*module_);
  made->flops = emptyOverlay(Measure::Flops);
  made->bytes = emptyOverlay(Measure::Bytes);
  made->intensity = emptyOverlay(Measure::Intensity);
  made->count = emptyOverlay(Measure::Count);
  for (ComputationId computation : made->work.execution.computations) {
    const Execution::Runs& runs = made->work.execution.of(computation);
    for (InstructionId id : module_->at(computation).instructions) {
      const Instruction& instruction = module_->at(id);
      if (!made->work.isKernel(instruction)) continue;
      const Cost& cost = made->work.costOf(id);
      addFlops(made->flops, made->work, made->counter, instruction, runs.timesKnown);
      made->bytes.entries.push_back({id, {.value = cost.bytesAccessed, .measured = runs.timesKnown}});
      made->intensity.entries.push_back(
          {id, {.value = cost.flops + cost.transcendentals, .per = cost.bytesAccessed, .measured = runs.timesKnown}});
      made->count.entries.push_back({id, {.value = runs.times, .measured = runs.timesKnown}});
    }
  }
  for (Overlay* each : {&made->flops, &made->bytes, &made->intensity, &made->count}) sortEntries(*each);
  counted_ = std::move(made);
  return *counted_;
}

// An open input has no shape to count by.
Status MeasureMaker::isWhole() {
  if (whole_) return *whole_;
  whole_ = Status();
  const Diagnostics found = verify(*module_);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error && *whole_) whole_ = std::unexpected(d);
  return *whole_;
}

Result<Overlay> MeasureMaker::memory() {
  if (memory_) return *memory_;
  const auto make = [&]() -> Result<Overlay> {
    TESSERA_ASSIGN_OR_RETURN(const MemoryReport report, memoryReport(*module_));
    Overlay out = emptyOverlay(Measure::PeakMemory);
    if (report.moments.empty()) return out;
    for (size_t buffer : report.liveAt(report.peakMoment)) {
      const InstructionId id = report.buffers[buffer].instruction;
      const ProvenancePtr& from = report.module.at(id).provenance;
      const InstructionId source = !from ? id : from->sources.empty() ? InstructionId() : from->sources[0];
      if (module_->contains(source))
        out.entries.push_back({source, {.value = static_cast<double>(report.buffers[buffer].bytes), .measured = true}});
    }
    sortEntries(out);
    return out;
  };
  memory_ = make();
  return *memory_;
}

void MeasureMaker::prepare() {
  const std::lock_guard lock(mutex_);
  if (!isWhole()) return;
  counted();
  (void)memory();
}

Result<Overlay> MeasureMaker::make(Measure measure, const MeasuredTimes& times) {
  const std::lock_guard lock(mutex_);
  Overlay out = emptyOverlay(measure);
  if (infoOf(measure).need == MeasureNeed::Module) TESSERA_TRY(isWhole());
  switch (measure) {
    case Measure::Flops: out = counted().flops; break;
    case Measure::Bytes: out = counted().bytes; break;
    case Measure::Intensity: out = counted().intensity; break;
    case Measure::Count: out = counted().count; break;
    case Measure::PeakMemory: {
      TESSERA_ASSIGN_OR_RETURN(out, memory());
      break;
    }
    case Measure::Difference:
      if (times.times && times.baseline) out = differenceOf(selfTimesOf(*times.times, *module_), *times.baseline);
      break;
    case Measure::Exposed:
    case Measure::Error: break;
    default:
      if (times.times) out = ofTimes(measure, *times.times, *module_);
  }
  out.title = titleOf(measure, out, times);
  return out;
}

}  // namespace tessera
