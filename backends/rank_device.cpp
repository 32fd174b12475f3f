// A device that is a process, see run_devices.h: this rank reads its own blocks, compiles and runs its own program, and
// what is to be reported goes to rank 0.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "backends/run_devices.h"
#include "core/base/sha256.h"
#include "core/evaluate/device_values.h"
#include "core/formats/hlo_text.h"
#include "core/profile/merge.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

// --- arrays of one rank as bytes: sizes of the dimensions, then the data; types are known from rank 0's own

std::string packed(std::span<const Literal> arrays) {
  std::string out;
  for (const Literal& array : arrays) {
    const std::vector<int64_t>& dims = array.shape().dimensions;
    out.append(reinterpret_cast<const char*>(dims.data()), dims.size() * sizeof(int64_t));
    out.append(reinterpret_cast<const char*>(array.bytes().data()), array.bytes().size());
  }
  return out;
}

Result<Literal> unpackArray(std::string_view& bytes, const Shape& like) {
  Shape shape = like;
  const size_t dims = shape.dimensions.size() * sizeof(int64_t);
  if (bytes.size() < dims) return fail(ErrorKind::Runtime, "a rank's results are cut off");
  std::memcpy(shape.dimensions.data(), bytes.data(), dims);
  bytes.remove_prefix(dims);
  const auto size = shape.denseBytes();
  if (!size || static_cast<size_t>(*size) > bytes.size())
    return fail(ErrorKind::Runtime, "a rank's results are cut off");
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  bytes.remove_prefix(static_cast<size_t>(*size));
  return Literal::fromBytes(shape, {data, static_cast<size_t>(*size)});
}

Result<std::vector<Literal>> unpacked(std::string_view bytes, std::span<const Literal> like) {
  std::vector<Literal> out;
  for (const Literal& each : like) {
    TESSERA_ASSIGN_OR_RETURN(Literal array, unpackArray(bytes, each.shape()));
    out.push_back(std::move(array));
  }
  return out;
}

int64_t bytesOf(std::span<const Literal> arrays) {
  int64_t bytes = 0;
  for (const Literal& array : arrays) bytes += static_cast<int64_t>(array.bytes().size());
  return bytes;
}

// --- the device

// Among the ranks of this machine, as what started them tells it; else among all.
int numberOnMachine(int64_t rank) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return static_cast<int>(rank);
}

// What all ranks must have in common, in words.
std::string programOf(const Module& module, const RunRequest& request, DeviceGrid grid) {
  constexpr size_t kDigits = 12;
  const auto text = printHloText(module);
  const std::string runs =
      std::to_string(request.warmUps) + "+" + std::to_string(request.runs) + "+" + std::to_string(request.profiledRuns);
  return "the program " + module.name + " (" + sha256Text(text).substr(0, kDigits) + ") on " + grid.text() +
         ", backend " + request.backend + ", " + runs + " runs";
}

Status checkRanks(const Engine& engine, DeviceGrid grid) {
  if (engine.ranks() == grid.count()) return {};
  const std::string devices = std::to_string(grid.count());
  return fail({.kind = ErrorKind::Usage,
               .message = "the program runs on " + devices + " devices (replicas: " + std::to_string(grid.replicas) +
                          ", partitions: " + std::to_string(grid.partitions) +
                          "), one a rank; start it with mpirun -n " + devices +
                          ", or say other --replicas or --partitions",
               .expected = devices + " ranks",
               .found = std::to_string(engine.ranks())});
}

class RankDevice final : public RunDevices {
 public:
  RankDevice(const RunRequest& request, DeviceGrid grid, std::vector<Literal> arguments)
      : request_(request),
        engine_(*request.engine),
        arguments_(std::move(arguments)),
        feeds_(request.infeed, request.keepsOutfeed, request.feedForm) {
    HostFeeds outside = feeds_.feeds();
    outside.customCalls = request.library.get();
    communicator_ = engine_.connect(grid, std::move(outside));
  }

  Status compile(const Module& module, Backend& backend) override {
    CompileOptions options = request_.compile;
    options.customCalls = request_.library.get();
    if (options.threads == 0) options.threads = 1;  // ranks of one machine share its cores
    options.deviceNumber = numberOnMachine(engine_.rank());
    TESSERA_ASSIGN_OR_RETURN(executable_, backend.compile(module, options));
    return {};
  }

  Result<double> run(DeviceArrays& outputs, Profile* profile) override {
    feeds_.rewind();
    outputs.resize(1);
    RunOptions options;
    options.cancel = request_.compile.cancel;
    options.communicator = communicator_.get();
    options.argumentsStay = options.resultsStay = request_.resident && std::exchange(hasRun_, true);
    Profile own;
    TESSERA_TRY(engine_.largest("the start of a run", 0));
    const auto begin = Clock::now();
    TESSERA_TRY(executable_->runInto(arguments_, outputs[0], options, profile ? &own : nullptr));
    const double took = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    TESSERA_ASSIGN_OR_RETURN(const double longest, engine_.largest("the end of the run", took));
    if (profile) TESSERA_TRY(addProfiles(*profile, own));
    TESSERA_TRY(gatherOutfeed());
    return longest;
  }

  const NamedArrays& outfeed() const override { return outfeed_; }
  Status measure(RunReport& report) override;

 private:
  Status addProfiles(Profile& into, const Profile& own) {
    TESSERA_ASSIGN_OR_RETURN(const auto texts, engine_.gather("the profiles of the run", toChromeTrace(own)));
    std::vector<Profile> profiles;
    for (const std::string& text : texts) {
      TESSERA_ASSIGN_OR_RETURN(Profile read, readChromeTrace(text));
      profiles.push_back(std::move(read));
    }
    addDevices(into, std::move(profiles));
    return {};
  }

  Status gatherOutfeed() {
    if (!request_.keepsOutfeed) return {};
    TESSERA_ASSIGN_OR_RETURN(const std::string own, npzBytes(feeds_.taken()));
    TESSERA_ASSIGN_OR_RETURN(const auto all, engine_.gather("what outfeeds gave", own));
    outfeed_.clear();
    for (const std::string& bytes : all) {
      TESSERA_ASSIGN_OR_RETURN(NamedArrays arrays, readNpzBytes(bytes));
      outfeed_.merge(arrays);
    }
    return {};
  }

  Status gatherOutputs(DeviceArrays& outputs) {
    if (!request_.gathersOutputs) return {};
    TESSERA_ASSIGN_OR_RETURN(const auto all, engine_.gather("the results of the run", packed(outputs[0])));
    for (size_t rank = 1; rank < all.size(); ++rank) {
      TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arrays, unpacked(all[rank], outputs[0]));
      outputs.push_back(std::move(arrays));
    }
    return {};
  }

  const RunRequest& request_;
  Engine& engine_;
  std::vector<Literal> arguments_;
  FeedArrays feeds_;
  NamedArrays outfeed_;
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<Executable> executable_;
  bool hasRun_ = false;
};

Json toJson(const DeviceReport& report) {
  return {report.kind, report.kernel, report.place, report.text, report.isError, report.count};
}
DeviceReport reportOf(const Json& told) { return {told[0], told[1], told[2], told[3], told[4], told[5]}; }

Status RankDevice::measure(RunReport& report) {
  const KernelCounts counts = executable_->kernelCounts();
  Json own = {{"peak", executable_->peakBytes()}, {"kernels", counts.kernels},
              {"cached", counts.cached},          {"code", counts.codeBytes},
              {"arguments", bytesOf(arguments_)}, {"outputs", bytesOf(report.outputs[0])},
              {"reordered", engine_.reordered()}, {"reports", Json::array()}};
  for (const DeviceReport& each : executable_->deviceReports()) own["reports"].push_back(toJson(each));
  TESSERA_ASSIGN_OR_RETURN(const auto all, engine_.gather("the measures of the run",
                                                          own.dump(-1, ' ', false, Json::error_handler_t::replace)));
  std::set<std::string> reordered;
  for (const std::string& text : all) {
    const Json rank = Json::parse(text);
    report.peakBytes += rank["peak"].get<int64_t>();
    report.kernels.kernels += rank["kernels"].get<int64_t>();
    report.kernels.cached += rank["cached"].get<int64_t>();
    report.kernels.codeBytes += rank["code"].get<int64_t>();
    report.argumentBytes += rank["arguments"].get<int64_t>();
    report.outputBytes += rank["outputs"].get<int64_t>();
    for (const Json& name : rank["reordered"]) reordered.insert(name.get<std::string>());
    std::vector<DeviceReport> reports;
    for (const Json& each : rank["reports"]) reports.push_back(reportOf(each));
    addDeviceReports(report, std::move(reports));
  }
  report.reordered.assign(reordered.begin(), reordered.end());
  report.arguments = arguments_.size();
  return gatherOutputs(report.outputs);
}

}  // namespace

Result<std::unique_ptr<RunDevices>> rankDevice(const Module& module, const RunRequest& request, DeviceGrid grid) {
  Engine& engine = *request.engine;
  TESSERA_TRY(checkRanks(engine, grid));
  TESSERA_TRY(engine.agree("the start of the run", programOf(module, request, grid)));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arguments, argumentsBy(request.arguments, module, grid, engine.rank()));
  return std::make_unique<RankDevice>(request, grid, std::move(arguments));
}

}  // namespace tessera
