// See device_lines.h.
#include "core/profile/sources/device_lines.h"

#include <algorithm>
#include <charconv>

#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr std::string_view kSteps = "Steps", kModules = "XLA Modules", kOps = "XLA Ops", kAsyncOps = "Async XLA Ops";

// Lines that say again what others measured.
bool repeatsOthers(std::string_view line) {
  constexpr std::string_view kNames[] = {
      kSteps,        kModules, "Framework Ops", "Framework Name Scope", "TensorFlow Ops", "TensorFlow Name Scope",
      "Source code", "Source", "Launch Stats",  "XLA TraceMe",          "HLO Op Details"};
  return std::ranges::find(kNames, line) != std::end(kNames);
}

struct ModuleRun {
  int64_t beginPs = 0, endPs = 0;
  uint32_t module = 0;
  std::optional<uint64_t> program;
  std::optional<int64_t> run;
};

std::vector<ModuleRun> moduleRuns(const DeviceLine& line, Recorder& recorder) {
  std::vector<ModuleRun> out;
  for (const SeenEvent& event : line.events) {
    const auto [name, program] = moduleAndProgram(recorder.text(event.name));
    out.push_back({event.beginPs, saturatingAdd(event.beginPs, event.durationPs), recorder.text(name),
                   event.program ? event.program : program, event.run});
  }
  sortBy(out, &ModuleRun::beginPs);
  return out;
}

// What an event does not say itself, the module that runs at its time does.
void takeModule(SeenEvent& event, const std::vector<ModuleRun>& runs) {
  auto after = std::ranges::upper_bound(runs, event.beginPs, {}, &ModuleRun::beginPs);
  if (after == runs.begin()) return;
  const ModuleRun& run = *--after;
  if (event.beginPs >= run.endPs) return;
  if (event.program && run.program && event.program != run.program) return;
  if (event.module == 0) event.module = run.module;
  if (!event.program) event.program = run.program;
  if (!event.run) event.run = run.run ? *run.run : run.beginPs;
}

void addSteps(const DeviceLine& line, Recorder& recorder) {
  for (const SeenEvent& event : line.events) {
    const std::string_view name = recorder.text(event.name);
    int64_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (read.ec == std::errc()) recorder.addStep(number, event.durationPs, true);
  }
}

bool namesInstructions(const DeviceLine& line) {
  return std::ranges::any_of(line.events, [](const SeenEvent& event) { return event.kind == TimeKind::Instruction; });
}

bool isStream(const DeviceLine& line) {
  return !repeatsOthers(line.name) && !isOpsLine(line.name) && line.name != kAsyncOps;
}

}  // namespace

bool isDevicePlane(std::string_view plane) {
  return plane.starts_with("/device:") && !plane.starts_with("/device:CUSTOM") && !plane.starts_with("/device:CPU");
}

bool isMetadataPlane(std::string_view plane) { return plane == "/host:metadata"; }

bool isTaskPlane(std::string_view plane) { return plane == "Task Environment"; }

bool isOpsLine(std::string_view line) { return line == kOps; }

std::string_view instructionNamed(std::string_view shortName, std::string_view name) {
  const size_t equals = name.find(" = ");
  if (name.starts_with('%') && equals != name.npos) return name.substr(1, equals - 1);
  return shortName.empty() ? name : shortName;
}

std::pair<std::string, std::optional<uint64_t>> moduleAndProgram(std::string_view name) {
  const size_t open = name.rfind('(');
  if (!name.ends_with(')') || open == name.npos) return {std::string(name), std::nullopt};
  uint64_t program = 0;
  const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), program);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return {std::string(name), std::nullopt};
  return {std::string(name.substr(0, open)), program};
}

void addDeviceLines(std::string_view plane, std::vector<DeviceLine> lines, Recorder& recorder, int64_t baseNs) {
  const bool streamsTell =
      std::ranges::any_of(lines, [](const DeviceLine& line) { return isStream(line) && namesInstructions(line); });
  std::vector<ModuleRun> runs;
  for (const DeviceLine& line : lines) {
    if (line.name == kModules) runs = moduleRuns(line, recorder);
    if (line.name == kSteps) addSteps(line, recorder);
  }
  for (DeviceLine& line : lines) {
    if (repeatsOthers(line.name) || (streamsTell && isOpsLine(line.name))) {
      recorder.keepLine(plane, line.name, line.events, baseNs);
      continue;
    }
    for (SeenEvent& event : line.events) {
      takeModule(event, runs);
      // From the start to the end of what other instructions hide: no time of its own.
      if (line.name == kAsyncOps) event.kind = TimeKind::Host;
    }
    recorder.addLine(plane, line.name, std::move(line.events), baseNs);
  }
}

}  // namespace tessera
