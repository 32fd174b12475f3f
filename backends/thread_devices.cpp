// Devices that are threads of this process, see run_devices.h: an executable each, and what connects them with each
// other and the outside.
#include <algorithm>
#include <chrono>
#include <iterator>

#include "backends/run_devices.h"
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
class ThreadDevices final : public RunDevices {
 public:
  ThreadDevices(const RunRequest& request, DeviceGrid grid, DeviceArrays arguments)
      : request_(request),
        grid_(grid),
        arguments_(std::move(arguments)),
        feeds_(request.infeed, request.keepsOutfeed, request.feedForm) {}

  Status compile(const Module& module, Backend& backend) override {
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
      options.deviceNumber = static_cast<int>(device);
      TESSERA_ASSIGN_OR_RETURN(auto executable, backend.compile(module, options));
      executables_.push_back(std::move(executable));
    }
    return {};
  }

  Result<double> run(DeviceArrays& outputs, Profile* profile) override {
    feeds_.rewind();
    std::vector<Profile> profiles(profile ? executables_.size() : 0);
    const auto begin = Clock::now();
    TESSERA_TRY(grid_.count() == 1 ? runAlone(arguments_[0], outputs, profiles) : runAll(outputs, profiles));
    hasRun_ = true;
    const double took = since(begin);
    if (profile) addDevices(*profile, std::move(profiles));
    return took;
  }

  const NamedArrays& outfeed() const override { return feeds_.taken(); }

  Status measure(RunReport& report) override {
    for (const auto& executable : executables_) {
      const KernelCounts counts = executable->kernelCounts();
      report.peakBytes += executable->peakBytes();
      report.kernels.kernels += counts.kernels;
      report.kernels.cached += counts.cached;
      report.kernels.codeBytes += counts.codeBytes;
      addDeviceReports(report, executable->deviceReports());
    }
    report.arguments = arguments_[0].size();
    report.argumentBytes = bytesOf(arguments_);
    report.outputBytes = bytesOf(report.outputs);
    return {};
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
    options.argumentsStay = options.resultsStay = request_.resident && hasRun_;
    outputs.resize(1);
    Profile* const profile = profiles.empty() ? nullptr : &profiles[0];
    const bool hasOutside = request_.infeed || request_.keepsOutfeed || request_.library;
    if (!hasOutside) return executables_[0]->runInto(arguments, outputs[0], options, profile);
    DeviceGroup group({}, outside());
    ThreadCommunicator communicator(group, 0);
    options.communicator = &communicator;
    return executables_[0]->runInto(arguments, outputs[0], options, profile);
  }

  Status runAll(DeviceArrays& outputs, std::vector<Profile>& profiles) {
    const auto program = [&](Communicator& communicator) {
      const auto device = static_cast<size_t>(communicator.device());
      RunOptions options;
      options.communicator = &communicator;
      options.cancel = request_.compile.cancel;
      options.argumentsStay = options.resultsStay = request_.resident && hasRun_;
      return executables_[device]->run(arguments_[device], options, profiles.empty() ? nullptr : &profiles[device]);
    };
    TESSERA_ASSIGN_OR_RETURN(outputs, runOnDevices(grid_, program, outside()));
    return {};
  }

  const RunRequest& request_;
  DeviceGrid grid_;
  DeviceArrays arguments_;
  FeedArrays feeds_;
  std::vector<std::unique_ptr<Executable>> executables_;
  bool hasRun_ = false;
};

}  // namespace

Result<std::unique_ptr<RunDevices>> threadDevices(const Module& module, const RunRequest& request, DeviceGrid grid) {
  TESSERA_ASSIGN_OR_RETURN(DeviceArrays arguments, argumentsBy(request.arguments, module, grid));
  return std::make_unique<ThreadDevices>(request, grid, std::move(arguments));
}

}  // namespace tessera
