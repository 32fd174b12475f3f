// As `tessera run` does it: an executable and a thread a device, feeds as npz files.
#include "editor/document/device_run.h"

#include <chrono>
#include <mutex>

#include "backends/backend.h"
#include "core/custom_calls/custom_call_library.h"
#include "core/evaluate/device_values.h"
#include "core/evaluate/replicas.h"
#include "core/formats/npz.h"
#include "editor/document/node_values.h"
#include "editor/document/value_text.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// The user's own library may bring others along; one that a file names is loaded as it was allowed, and nothing else.
Result<std::shared_ptr<const CustomCallLibrary>> openLibrary(const FileAccess& files, const FileRequest& request) {
  if (files.isOwnWord(request)) return CustomCallLibrary::open(files.pathOf(request).string());
  TESSERA_ASSIGN_OR_RETURN(const std::string content, files.readLibrary(request));
  return CustomCallLibrary::openContent(files.pathOf(request).string(), content);
}

// Each device reads from the first array on.
struct Feeds {
  NamedArrays given, taken;
  std::map<int64_t, int64_t> read, written;
  std::mutex mutex;

  Result<Literal> next(int64_t device, const Shape& shape) {
    const std::lock_guard lock(mutex);
    const std::string key = "feed" + std::to_string(read[device]++);
    const auto found = given.find(key);
    if (found == given.end()) return fail("the infeed file has no " + key);
    if (!compatible(found->second.shape(), shape))
      return fail(key + " is " + toString(found->second.shape(), false) + ", the program wants " +
                  toString(shape, false));
    return found->second;
  }
  Status store(int64_t device, const Literal& value) {
    const std::lock_guard lock(mutex);
    const std::string before = device ? "device" + std::to_string(device) + "_" : "";
    taken[before + "feed" + std::to_string(written[device]++)] = value;
    return {};
  }
};

}  // namespace

bool wantsDevices(const Module& module, const RunSettings& settings) {
  if (!settings.infeed.empty() || !settings.outfeed.empty() || !settings.library.empty()) return true;
  const auto grid = gridOf(module, settings.replicas, settings.partitions);
  return !grid || grid->count() > 1;
}

Result<RunOutcome> runOnGrid(const Module& module, const FileAccess& files, const RunSettings& settings,
                             const std::atomic<bool>& cancel, const std::function<void(QString, double)>& progress) {
  RunOutcome out;
  TESSERA_ASSIGN_OR_RETURN(const DeviceGrid grid, gridOf(module, settings.replicas, settings.partitions));
  std::shared_ptr<const CustomCallLibrary> library;
  if (!settings.library.empty()) {
    TESSERA_ASSIGN_OR_RETURN(library, openLibrary(files, {FileUse::Library, settings.library}));
  }
  auto feeds = std::make_shared<Feeds>();
  if (!settings.infeed.empty()) {
    TESSERA_ASSIGN_OR_RETURN(feeds->given, files.readArrays({FileUse::Infeed, settings.infeed}));
  }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> whole,
                           argumentsOf(module, files, settings, &out.argumentsFromFile));
  out.arguments = whole.size();
  NamedArrays named;
  for (size_t i = 0; i < whole.size(); ++i) named["arg" + std::to_string(i)] = whole[i];
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays arguments,
                           argumentsByDevice(module, grid, named, {settings.seed, 0.02, 8}));
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(settings.backend));
  CompileOptions compile;
  compile.cancel = &cancel;
  compile.threads = grid.count() > 1 ? 1 : settings.threads;
  compile.customCalls = library.get();
  std::vector<std::unique_ptr<Executable>> executables;
  Clock::time_point begin = Clock::now();
  for (int64_t device = 0; device < grid.count(); ++device) {
    progress(QObject::tr("Compiling for device %1 of %2").arg(device + 1).arg(grid.count()),
             static_cast<double>(device) / static_cast<double>(grid.count()));
    TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, compile));
    executables.push_back(std::move(executable));
  }
  out.compileMs = since(begin);
  progress(QObject::tr("Running on %1 devices").arg(grid.count()), -1);
  HostFeeds outside;
  outside.infeed = [feeds](int64_t device, const Shape& shape) { return feeds->next(device, shape); };
  outside.outfeed = [feeds](int64_t device, const Literal& value) { return feeds->store(device, value); };
  outside.customCalls = library.get();
  begin = Clock::now();
  TESSERA_ASSIGN_OR_RETURN(DeviceArrays outputs, runOnDevices(
                                                     grid,
                                                     [&](Communicator& communicator) {
                                                       const auto device = static_cast<size_t>(communicator.device());
                                                       RunOptions run;
                                                       run.communicator = &communicator;
                                                       run.cancel = &cancel;
                                                       return executables[device]->run(arguments[device], run);
                                                     },
                                                     std::move(outside)));
  out.runMs = since(begin);
  out.runs = 1;
  if (!settings.outfeed.empty()) TESSERA_TRY(files.writeArrays({FileUse::Outfeed, settings.outfeed}, feeds->taken));
  for (size_t device = 0; device < outputs.size(); ++device)
    for (Literal& output : outputs[device]) {
      out.outputTexts.push_back(outputs.size() > 1 ? QObject::tr("device %1: ").arg(device) + valueText(output)
                                                   : valueText(output));
      out.outputs.push_back(std::move(output));
    }
  for (const auto& executable : executables) out.peakBytes += executable->peakBytes();
  return out;
}

}  // namespace tessera
