// See run_request.h.
#include "backends/run_request.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "backends/run_devices.h"
#include "core/evaluate/device_values.h"
#include "core/passes/partition/partition.h"

namespace tessera {
namespace {

// The runs of a request, one after the other.
class Runs {
 public:
  Runs(const RunRequest& request, RunDevices& devices, RunReport& report)
      : request_(request), devices_(devices), report_(report) {}

  Status all() {
    for (int64_t i = 0; i < request_.warmUps; ++i) TESSERA_TRY(one(nullptr));
    TESSERA_TRY(counted(limit(request_.runs), [&](int64_t i) -> Status {
      if (limit(request_.runs) > 1) tell(kRunStage, i, limit(request_.runs));
      TESSERA_ASSIGN_OR_RETURN(const double took, one(nullptr));
      report_.runMs.push_back(took);
      return {};
    }));
    return counted(limit(request_.profiledRuns), [&](int64_t i) { return profiled(i); });
  }

 private:
  // The processor's counters are those of the first runs that are measured: then all threads are there.
  template <class Run>
  Status counted(int64_t count, const Run& run) {
    const bool counts = request_.counters && count > 0 && report_.counters.empty() && report_.countersAbsent.empty();
    std::optional<HardwareCounters> counters;
    std::optional<ProcessAccount> account;
    if (counts) counters.emplace(), account.emplace();
    if (counters) report_.countersAbsent = counters->absence(), counters->start();
    for (int64_t i = 0; i < count; ++i) TESSERA_TRY(run(i));
    if (counters) report_.counters = counters->stop();
    if (account) std::ranges::move(account->sinceThen(), std::back_inserter(report_.counters));
    for (CounterValue& value : report_.counters)
      if (counts) value.count /= static_cast<double>(count);
    return {};
  }

  int64_t limit(int64_t runs) const {
    const bool isLong = request_.longRunMs > 0 && report_.firstRunMs > request_.longRunMs;
    return isLong ? std::min<int64_t>(runs, 1) : runs;
  }

  void tell(std::string_view stage, int64_t number, int64_t count) const {
    if (request_.compile.progress)
      request_.compile.progress(std::string(stage) + " " + std::to_string(number + 1) + " of " + std::to_string(count),
                                static_cast<double>(number) / static_cast<double>(count));
  }

  Result<double> one(Profile* profile) {
    const bool first = !begun_;
    TESSERA_ASSIGN_OR_RETURN(const double took, devices_.run(first ? report_.outputs : later_, profile));
    if (!first) return took;
    begun_ = true;
    report_.firstRunMs = took;
    report_.outfeed = devices_.outfeed();
    return took;
  }

  Status profiled(int64_t number) {
    const int64_t count = limit(request_.profiledRuns);
    tell(kProfileStage, number, count);
    Profile alone;
    Profile& profile = request_.quickestProfile ? alone : report_.profile;
    const size_t known = profile.runNs.size();
    TESSERA_ASSIGN_OR_RETURN(double took, one(&profile));
    if (profile.runNs.size() == known + 1) took = static_cast<double>(profile.runNs.back()) / 1e6;
    const bool quickest = std::ranges::all_of(report_.profiledMs, [&](double other) { return took < other; });
    if (request_.quickestProfile && quickest) report_.profile = std::move(alone);
    report_.profiledMs.push_back(took);
    return {};
  }

  const RunRequest& request_;
  RunDevices& devices_;
  RunReport& report_;
  DeviceArrays later_;
  bool begun_ = false;
};

ArgumentRules rulesOf(const RunSettings& settings, const FileAccess& files) {
  ArgumentRules out;
  out.sources = settings.sources;
  out.fill.seed = settings.seed;
  out.usual = settings.usual;
  out.readFile = [files](const std::string& name) { return files.read({FileUse::Argument, name}); };
  return out;
}

}  // namespace

void addDeviceReports(RunReport& report, std::vector<DeviceReport> ofDevice) {
  const auto isSame = [](const DeviceReport& a, const DeviceReport& b) {
    return std::tie(a.kind, a.kernel, a.place, a.text, a.isError) ==
           std::tie(b.kind, b.kernel, b.place, b.text, b.isError);
  };
  std::vector<DeviceReport>& known = report.deviceReports;
  for (DeviceReport& each : ofDevice) {
    const auto same = std::ranges::find_if(known, [&](const DeviceReport& other) { return isSame(each, other); });
    if (same == known.end()) {
      known.push_back(std::move(each));
    } else {
      same->count += each.count;
      same->devices += each.devices;
    }
  }
}

double RunReport::medianMs() const {
  std::vector<double> times = runMs.empty() ? profiledMs : runMs;
  if (times.empty()) return firstRunMs;
  std::ranges::sort(times);
  const size_t half = times.size() / 2;
  return times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
}

double RunReport::quickestMs() const {
  const std::vector<double>& times = runMs.empty() ? profiledMs : runMs;
  return times.empty() ? firstRunMs : *std::ranges::min_element(times);
}

namespace {

bool isCutFrom(const Module& program, const Module& module) {
  return isPartitionedProgram(program) && !isPartitionedProgram(module);
}

// The instruction of the given module whose work one of the partitioned program does.
InstructionId givenOf(const Module& program, InstructionId id) {
  const ProvenancePtr provenance = program.contains(id) ? program.at(id).provenance : nullptr;
  return provenance && !provenance->sources.empty() ? provenance->sources.front() : id;
}

// Where the partitioner has made the program, sources of the profile are instructions of the module that was given.
void toGiven(Profile& profile, const Module& program) {
  std::map<InstructionId, SourceProfile> sources;
  for (const SourceProfile& each : profile.sources) {
    const InstructionId id = givenOf(program, each.instruction);
    SourceProfile& sum = sources.try_emplace(id, SourceProfile{.instruction = id, .measured = true}).first->second;
    sum.timeNs += each.timeNs;
    sum.flops += each.flops;
    sum.bytes += each.bytes;
    sum.measured = sum.measured && each.measured;
  }
  profile.sources.clear();
  for (const auto& [id, source] : sources) profile.sources.push_back(source);
  for (StepShare& share : profile.shares) share.instruction = givenOf(program, share.instruction);
}

Result<RunReport> runDevices(const Module& module, const RunRequest& request) {
  RunReport report;
  TESSERA_ASSIGN_OR_RETURN(report.grid, gridOf(module, request.replicas, request.partitions));
  TESSERA_ASSIGN_OR_RETURN(report.program, partitionedFor(module, report.grid));
  TESSERA_ASSIGN_OR_RETURN(const auto devices, request.engine ? rankDevice(report.program, request, report.grid)
                                                              : threadDevices(report.program, request, report.grid));
  // Loading the backend's library is no part of compiling.
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend(request.backend));
  const auto begin = std::chrono::steady_clock::now();
  TESSERA_TRY(devices->compile(report.program, *backend));
  report.compileMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (request.compile.progress) request.compile.progress(kRunStage, -1);
  TESSERA_TRY(Runs(request, *devices, report).all());
  TESSERA_TRY(devices->measure(report));
  if (isCutFrom(report.program, module)) toGiven(report.profile, report.program);
  return report;
}

// The arrays that the run is about: of the module that was cut for it, or those that one cut before says. Else none.
std::vector<Shape> givenResults(const Module& module, const Module& program) {
  if (!isCutFrom(program, module)) return wholeResults(program);
  std::vector<Shape> out;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(module.entryComputation().root))) out.push_back(*leaf.shape);
  return out;
}

}  // namespace

Result<DeviceArrays> outputsAsGiven(const Module& module, const RunReport& ran) {
  const auto devices = static_cast<size_t>(ran.grid.count()), partitions = static_cast<size_t>(ran.grid.partitions);
  const std::vector<Shape> shapes = givenResults(module, ran.program);
  if (shapes.empty() || ran.outputs.size() != devices) return ran.outputs;
  DeviceArrays out;
  for (size_t first = 0; first < devices; first += partitions) {
    const auto begin = ran.outputs.begin() + static_cast<ptrdiff_t>(first);
    const DeviceArrays replica(begin, begin + static_cast<ptrdiff_t>(partitions));
    std::vector<Literal>& whole = out.emplace_back();
    for (size_t k = 0; k < shapes.size(); ++k) {
      auto values = comparable(ran.program, replica, k, shapes[k]);
      if (!values && !isCutFrom(ran.program, module)) return ran.outputs;  // they are not what the root says
      if (!values) return std::unexpected(values.error());
      whole.push_back(std::move(values->front()));
    }
  }
  return out;
}

Result<RunReport> runModule(const Module& module, const RunRequest& request) {
  auto report = runDevices(module, request);
  if (!report && request.engine) request.engine->fail(report.error());
  return report;
}

Result<ArgumentRules> argumentRulesOf(const RunSettings& settings, const FileAccess& files) {
  ArgumentRules out = rulesOf(settings, files);
  const auto inputs = files.inputs();
  if (!inputs) return out;
  TESSERA_ASSIGN_OR_RETURN(out.given, files.readArrays(*inputs));
  out.givenFrom = inputs->name;
  return out;
}

Result<RunRequest> requestOf(const RunSettings& settings, const FileAccess& files) {
  RunRequest out;
  out.backend = settings.backend;
  out.compile.threads = settings.threads;
  out.compile.device = settings.device;
  out.compile.kernelCache = defaultKernelCache();
  out.replicas = settings.replicas;
  out.partitions = settings.partitions;
  out.arguments = rulesOf(settings, files);
  if (!settings.infeed.empty()) {
    TESSERA_ASSIGN_OR_RETURN(out.infeed, files.readArrays({FileUse::Infeed, settings.infeed}));
  }
  out.keepsOutfeed = !settings.outfeed.empty();
  TESSERA_ASSIGN_OR_RETURN(out.library, libraryOf(settings, files));
  return out;
}

Result<std::shared_ptr<const CustomCallLibrary>> libraryOf(const RunSettings& settings, const FileAccess& files) {
  if (settings.library.empty()) return nullptr;
  const FileRequest library{FileUse::Library, settings.library};
  const std::string path = files.pathOf(library).string();
  // The user's own library may bring others along.
  if (files.isOwnWord(library)) return CustomCallLibrary::open(path);
  TESSERA_ASSIGN_OR_RETURN(const std::string content, files.readLibrary(library));
  return CustomCallLibrary::openContent(path, content);
}

}  // namespace tessera
