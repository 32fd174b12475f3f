// See run_request.h.
#include "backends/run_request.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "core/evaluate/device_values.h"
#include "core/evaluate/replicas.h"
#include "core/profile/merge.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

int64_t bytesOf(const DeviceArrays& arrays) {
  int64_t bytes = 0;
  for (const auto& device : arrays)
    for (const Literal& literal : device) bytes += static_cast<int64_t>(literal.bytes().size());
  return bytes;
}

// An executable a device, and what connects them with each other and the outside.
class Devices {
 public:
  Devices(const RunRequest& request, DeviceGrid grid)
      : request_(request), grid_(grid), feeds_(request.infeed, request.keepsOutfeed, request.feedForm) {}

  Status compile(const Module& module, Backend& backend) {
    CompileOptions options = request_.compile;
    options.customCalls = request_.library.get();
    if (grid_.count() > 1) options.threads = 1;
    for (int64_t device = 0; device < grid_.count(); ++device) {
      if (request_.compile.progress && grid_.count() > 1)
        options.progress = [&](std::string_view stage, double fraction) {
          request_.compile.progress(
              std::string(stage) + ", device " + std::to_string(device + 1) + " of " + std::to_string(grid_.count()),
              (static_cast<double>(device) + fraction) / static_cast<double>(grid_.count()));
        };
      TESSERA_ASSIGN_OR_RETURN(auto executable, backend.compile(module, options));
      executables_.push_back(std::move(executable));
    }
    return {};
  }

  // profile: where the measurements are added; null: none are made.
  Status run(const DeviceArrays& arguments, DeviceArrays& outputs, Profile* profile) {
    feeds_.rewind();
    std::vector<Profile> profiles(profile ? executables_.size() : 0);
    TESSERA_TRY(grid_.count() == 1 ? runAlone(arguments[0], outputs, profiles) : runAll(arguments, outputs, profiles));
    if (profile) addDevices(*profile, std::move(profiles));
    return {};
  }

  const NamedArrays& outfeed() const { return feeds_.taken(); }

  void measure(RunReport& report) const {
    for (const auto& executable : executables_) {
      const KernelCounts counts = executable->kernelCounts();
      report.peakBytes += executable->peakBytes();
      report.kernels.kernels += counts.kernels;
      report.kernels.cached += counts.cached;
      report.kernels.codeBytes += counts.codeBytes;
    }
  }

 private:
  HostFeeds outside() {
    HostFeeds out = feeds_.feeds();
    out.customCalls = request_.library.get();
    return out;
  }

  // On the calling thread, into the arrays of the run before.
  Status runAlone(const std::vector<Literal>& arguments, DeviceArrays& outputs, std::vector<Profile>& profiles) {
    RunOptions options;
    options.cancel = request_.compile.cancel;
    outputs.resize(1);
    Profile* const profile = profiles.empty() ? nullptr : &profiles[0];
    const bool hasOutside = request_.infeed || request_.keepsOutfeed || request_.library;
    if (!hasOutside) return executables_[0]->runInto(arguments, outputs[0], options, profile);
    DeviceGroup group({}, outside());
    Communicator communicator(group, 0);
    options.communicator = &communicator;
    return executables_[0]->runInto(arguments, outputs[0], options, profile);
  }

  Status runAll(const DeviceArrays& arguments, DeviceArrays& outputs, std::vector<Profile>& profiles) {
    const auto program = [&](Communicator& communicator) {
      const auto device = static_cast<size_t>(communicator.device());
      RunOptions options;
      options.communicator = &communicator;
      options.cancel = request_.compile.cancel;
      return executables_[device]->run(arguments[device], options, profiles.empty() ? nullptr : &profiles[device]);
    };
    TESSERA_ASSIGN_OR_RETURN(outputs, runOnDevices(grid_, program, outside()));
    return {};
  }

  const RunRequest& request_;
  DeviceGrid grid_;
  FeedArrays feeds_;
  std::vector<std::unique_ptr<Executable>> executables_;
};

// The runs of a request, one after the other.
class Runs {
 public:
  Runs(const RunRequest& request, Devices& devices, const DeviceArrays& arguments, RunReport& report)
      : request_(request), devices_(devices), arguments_(arguments), report_(report) {}

  Status all() {
    for (int64_t i = 0; i < request_.warmUps; ++i) TESSERA_TRY(one(nullptr));
    for (int64_t i = 0; i < limit(request_.runs); ++i) {
      if (limit(request_.runs) > 1) tell(kRunStage, i, limit(request_.runs));
      TESSERA_ASSIGN_OR_RETURN(const double took, one(nullptr));
      report_.runMs.push_back(took);
    }
    for (int64_t i = 0; i < limit(request_.profiledRuns); ++i) TESSERA_TRY(profiled(i));
    return {};
  }

 private:
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
    const auto begin = Clock::now();
    TESSERA_TRY(devices_.run(arguments_, first ? report_.outputs : later_, profile));
    const double took = since(begin);
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
    TESSERA_ASSIGN_OR_RETURN(const double took, one(request_.quickestProfile ? &alone : &report_.profile));
    const bool quickest = std::ranges::all_of(report_.profiledMs, [&](double other) { return took < other; });
    if (request_.quickestProfile && quickest) report_.profile = std::move(alone);
    report_.profiledMs.push_back(took);
    return {};
  }

  const RunRequest& request_;
  Devices& devices_;
  const DeviceArrays& arguments_;
  RunReport& report_;
  DeviceArrays later_;
  bool begun_ = false;
};

ArgumentRules rulesOf(const RunSettings& settings, const FileAccess& files) {
  ArgumentRules out;
  out.sources = settings.sources;
  out.fill.seed = settings.seed;
  out.readFile = [files](const std::string& name) { return files.read({FileUse::Argument, name}); };
  return out;
}

}  // namespace

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

Result<RunReport> runModule(const Module& module, const RunRequest& request) {
  RunReport report;
  TESSERA_ASSIGN_OR_RETURN(report.grid, gridOf(module, request.replicas, request.partitions));
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays arguments, argumentsBy(request.arguments, module, report.grid));
  // Loading the backend's library is no part of compiling.
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend(request.backend));
  Devices devices(request, report.grid);
  const auto begin = Clock::now();
  TESSERA_TRY(devices.compile(module, *backend));
  report.compileMs = since(begin);
  if (request.compile.progress) request.compile.progress(kRunStage, -1);
  TESSERA_TRY(Runs(request, devices, arguments, report).all());
  devices.measure(report);
  report.arguments = arguments[0].size();
  report.argumentBytes = bytesOf(arguments);
  report.outputBytes = bytesOf(report.outputs);
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
  out.compile.kernelCache = defaultKernelCache();
  out.replicas = settings.replicas;
  out.partitions = settings.partitions;
  out.arguments = rulesOf(settings, files);
  if (!settings.infeed.empty()) {
    TESSERA_ASSIGN_OR_RETURN(out.infeed, files.readArrays({FileUse::Infeed, settings.infeed}));
  }
  out.keepsOutfeed = !settings.outfeed.empty();
  if (settings.library.empty()) return out;
  const FileRequest library{FileUse::Library, settings.library};
  const std::string path = files.pathOf(library).string();
  if (files.isOwnWord(library)) {
    // The user's own library may bring others along.
    TESSERA_ASSIGN_OR_RETURN(out.library, CustomCallLibrary::open(path));
  } else {
    TESSERA_ASSIGN_OR_RETURN(const std::string content, files.readLibrary(library));
    TESSERA_ASSIGN_OR_RETURN(out.library, CustomCallLibrary::openContent(path, content));
  }
  return out;
}

}  // namespace tessera
