// See README.md. Handles are addresses of objects here; the device's memory has the simulated device's addresses.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "backends/cuda/device.h"
#include "tests/cuda/fake/fake_activity.h"
#include "tests/cuda/fake/fake_settings.h"

namespace {

using namespace tessera;
using namespace tessera::cuda;
using fake::setting;

enum Code : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialised = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinary = 209,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kMisalignedAddress = 716,
  kLaunchFailed = 719,
  kCaptureUnsupported = 900,
  kUnknown = 999,
};
constexpr std::pair<int, const char*> kNames[] = {
    {kSuccess, "CUDA_SUCCESS"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
    {kNotInitialised, "CUDA_ERROR_NOT_INITIALIZED"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
    {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
    {kNoBinary, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
    {kIllegalState, "CUDA_ERROR_ILLEGAL_STATE"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND"},
    {kNotReady, "CUDA_ERROR_NOT_READY"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {kMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
    {kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {kUnknown, "CUDA_ERROR_UNKNOWN"},
};

struct Stream {
  StreamId id = StreamId::Default;
  std::shared_ptr<std::future<Status>> running;  // somebody waits for it and asks from time to time
  // While its work is captured as the body of a conditional node: the stream that holds the node.
  Stream* parent = nullptr;
};
struct Graph {
  Stream* captured = nullptr;                 // where its nodes come from
  ConditionId condition = ConditionId::None;  // of the node whose body it is
  Conditional kind = Conditional::If;
};
struct Module {
  ModuleId id = ModuleId::None;
  bool setsConditions = false;
};
struct Function {
  KernelId id = KernelId::None;
  bool setsConditions = false;
};
struct Link {
  std::string ptx, cubin;
};

// The one context of a card, and what a process has in it. Threads may call at once, as they may the driver. `calls` is
// taken first; `work`, on the device, also by a run that goes on beside its caller.
struct Card {
  std::mutex calls, work;
  std::unique_ptr<Device> device;
  int retained = 0;
  int spoilt = kSuccess;
  std::map<Stream*, std::unique_ptr<Stream>> streams;
  std::map<Stream*, std::unique_ptr<Graph>> captured;  // the graph of each stream that is captured
  // Streams that wait for what was captured, and are so as well; events recorded there. By whose capture it is.
  std::map<Stream*, Stream*> joined;
  std::map<void*, Stream*> capturedEvents;
  std::set<std::unique_ptr<Graph>> bodies;

  // Null: the stream is not captured.
  Stream* captureOf(Stream& stream) const {
    if (captured.contains(&stream)) return &stream;
    const auto found = joined.find(&stream);
    return found == joined.end() ? nullptr : found->second;
  }
  bool isCapturing(Stream& stream) const { return captureOf(stream); }
  void endCapture(Stream& stream) {
    captured.erase(&stream);
    const auto isOfIt = [&](const auto& each) { return each.second == &stream; };
    std::erase_if(joined, isOfIt);
    std::erase_if(capturedEvents, isOfIt);
  }
  void open() {
    if (!device) device = makeSimulatedDevice("sm_" + std::to_string(setting("sm", 80)), setting("memory", 1L << 30));
  }
};

std::atomic<bool> isInitialised = false;
thread_local Card* current = nullptr;

// Never destroyed: a thread may still run a kernel without end when the process ends.
Card& card(int ordinal) {
  static Card* const all = new Card[8];
  return all[ordinal];
}

// The driver's code of what the simulated device says.
int codeOf(const Diagnostic& failure) {
  int code = kUnknown;
  size_t longest = 0;
  for (const auto& [each, name] : kNames)
    if (failure.message.find(name) != std::string::npos && std::strlen(name) > longest)
      code = each, longest = std::strlen(name);
  if (longest == 0 && failure.message.find("memory") != std::string::npos) code = kOutOfMemory;
  if (current && (code == kIllegalAddress || code == kMisalignedAddress)) current->spoilt = code;
  return code;
}
int answer(const Status& status) { return status ? kSuccess : codeOf(status.error()); }
template <class T, class Give>
int answer(Result<T> result, const Give& give) {
  if (!result) return codeOf(result.error());
  give(std::move(*result));
  return kSuccess;
}

// What every call in a context finds out first.
int entered() {
  if (!isInitialised) return kNotInitialised;
  if (!current) return kInvalidContext;
  return current->spoilt;
}
Device& device() { return *current->device; }

Stream* streamOf(void* handle) { return static_cast<Stream*>(handle); }
// Waits for a run of the stream that goes on beside the caller.
int settled(Stream& stream) {
  if (!stream.running) return kSuccess;
  const Status status = stream.running->get();
  stream.running.reset();
  return answer(status);
}
int settledAll() {
  for (auto& [stream, owned] : current->streams)
    if (const int code = settled(*stream)) return code;
  return kSuccess;
}
template <class Work>
int inStream(void* handle, const Work& work) {
  if (const int code = entered()) return code;
  const std::lock_guard calls(current->calls);
  if (!current->streams.contains(streamOf(handle))) return kInvalidHandle;
  if (const int code = settled(*streamOf(handle))) return code;
  const std::lock_guard onDevice(current->work);
  return work(*streamOf(handle));
}
template <class Work>
int inContext(const Work& work) {
  if (const int code = entered()) return code;
  const std::scoped_lock both(current->calls, current->work);
  return work();
}
// After everything that was asked for.
template <class Work>
int inSettledContext(const Work& work) {
  if (const int code = entered()) return code;
  const std::lock_guard calls(current->calls);
  if (const int code = settledAll()) return code;
  const std::lock_guard onDevice(current->work);
  return work();
}

std::atomic<fake::Observer> observer = nullptr;
// A profiler hears of what runs, not of what is captured.
void tell(Stream& stream, const fake::Activity& activity) {
  if (const fake::Observer told = observer; told && !current->isCapturing(stream)) told(activity);
}

constexpr char kElf[] =
    "\x7f"
    "ELF";
constexpr size_t kHeaderBytes = 64;

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) int
extern "C" __attribute__((visibility("default"))) void tesseraFakeObserve(fake::Observer told) { observer = told; }
#include "tests/cuda/fake/libcuda.inc"
