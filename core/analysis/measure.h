// Measures: what the colours of nodes can say. One table: names for menus and command lines, units, what each needs;
// and the overlays, made of a module and of measured times. Used by the studio's overlay, `tessera render` and `tessera
// profile --html`.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"
#include "core/picture/overlay.h"
#include "core/profile/op_times.h"

namespace tessera {

enum class Measure : uint8_t {
  SelfTime,
  TotalTime,
  WastedTime,
  Utilisation,
  Bound,
  Flops,
  Bytes,
  Intensity,
  PeakMemory,
  Count,
  Difference,
  Exposed,
  Error,
};

enum class MeasureNeed : uint8_t {
  Module,    // nothing else
  Times,     // of a run or profile
  Peaks,     // the same, held against a device (holdAgainst)
  Baseline,  // the same, and times before
  Given,     // an overlay that a panel made: of communication, of a comparison
};

struct MeasureInfo {
  Measure measure;
  std::string_view name;   // "self time"
  std::string_view about;  // one sentence without its full stop
  OverlayKind kind;
  OverlayUnit unit;
  MeasureNeed need;
};
std::span<const MeasureInfo> allMeasures();
const MeasureInfo& infoOf(Measure measure);
std::optional<Measure> measureNamed(std::string_view name);

// What was measured; shared, so that workers may hold it.
struct MeasuredTimes {
  std::shared_ptr<const OpTimes> times;     // null: nothing was measured
  double runNs = 0;                         // of a run by the clock; 0: not known
  std::shared_ptr<const Overlay> baseline;  // self times of the same module before; null: none
  std::string baselineName;
};
bool isAvailable(Measure measure, const MeasuredTimes& times, bool heldAgainstPeaks);

// Makes overlays of one module. What it counts is kept, so that the next overlay is quick. May be used by several
// threads; one is served at a time.
class MeasureMaker {
 public:
  explicit MeasureMaker(std::shared_ptr<const Module> module) : module_(std::move(module)) {}

  // Fails where the module does not verify and is counted, or its memory is unknown. A measure that is not
  // available is an empty overlay.
  Result<Overlay> make(Measure measure, const MeasuredTimes& times);
  // Counts now what overlays of the module alone need, so that the first of them is as quick as the next.
  void prepare();

 private:
  struct Counted;
  const Counted& counted();
  Result<Overlay> memory();
  Status isWhole();

  const std::shared_ptr<const Module> module_;
  std::mutex mutex_;
  std::shared_ptr<const Counted> counted_;
  std::optional<Result<Overlay>> memory_;
  std::optional<Status> whole_;
};

// Self times, as they are kept for a later comparison.
Overlay selfTimesOf(const OpTimes& times, const Module& module);
// With all that each calls.
Overlay totalTimesOf(const OpTimes& times, const Module& module);

// The instructions of an overlay from the hottest on: what a user walks through.
std::vector<InstructionId> hottestFirst(const Overlay& overlay, const Module& module);

// The chain of operands in a computation that takes longest, first to last, by the numbers of an overlay of total
// times: a loop counts with its body. A run on any number of units lasts as long at least.
struct CriticalPath {
  std::vector<InstructionId> instructions;
  double ns = 0;
};
CriticalPath criticalPathOf(const Module& module, ComputationId computation, const Overlay& times);

}  // namespace tessera
