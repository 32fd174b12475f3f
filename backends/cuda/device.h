// A CUDA device as Tessera sees it: memory, modules of PTX, streams, events, graphs, launches. Two implementations:
// the driver's (libcuda.so.1, opened at run time) and the simulated one, which interprets the PTX on the CPU.
// Used by backends/cuda/plan and run; no header of CUDA is needed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::cuda {

using DeviceAddress = uint64_t;                  // of a byte of the device's memory; 0: none
enum class ModuleId : uint64_t { None = 0 };     // loaded code
enum class KernelId : uint64_t { None = 0 };     // an entry of a module
enum class StreamId : uint64_t { Default = 0 };  // work in order
enum class EventId : uint64_t { None = 0 };
enum class GraphId : uint64_t { None = 0 };      // captured work, instantiated
enum class ConditionId : uint64_t { None = 0 };  // of a loop or a branch within a graph

struct DeviceInfo {
  std::string name;          // from the driver; "simulated"
  int ordinal = 0;           // the driver's number; -1: simulated
  int major = 0, minor = 0;  // compute capability
  int driverVersion = 0;     // 12040: 12.4
  int multiprocessors = 0;   // SMs
  int maxThreadsPerBlock = 1024;
  int maxThreadsPerMultiprocessor = 2048;
  int64_t sharedBytesPerBlock = 0;       // without opting in
  int64_t sharedBytesPerBlockOptIn = 0;  // at most, by dynamic shared memory
  int registersPerMultiprocessor = 65536;
  int64_t memoryBytes = 0, l2Bytes = 0;
  double clockHz = 0, memoryBytesPerSecond = 0;  // peaks
  std::string architecture() const;              // "sm_90"
};

struct DeviceMemory {
  int64_t free = 0, total = 0;  // bytes
};

struct KernelInfo {
  int registers = 0;         // a thread
  int64_t sharedBytes = 0;   // static, a block
  int64_t spilledBytes = 0;  // local memory a thread
  int maxThreads = 0;        // a block
};

struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
};

// A number in the device's memory, of 1 or 4 bytes (then signed): does it lie in [low, high]?
struct ConditionTest {
  DeviceAddress address = 0;
  unsigned bytes = 1;
  int low = 0, high = 0;
  bool isNegated = false;
};
enum class Conditional : uint8_t { If, While };

struct Launch {
  KernelId kernel = KernelId::None;
  Extent3 grid, block;                    // in blocks, in threads
  unsigned dynamicSharedBytes = 0;        // a block
  std::span<const std::byte> parameters;  // packed in order, each at its natural alignment; copied by the call
};

// What the simulated device complains of; the real one has none. Written as JSON by `tessera run --json`.
struct Report {
  std::string kind;     // "out of bounds", "misaligned access", "race on shared memory", "uninitialised shared memory",
                        // "race on registers", "divergent barrier", "uncoalesced access", "bank conflict"
  std::string kernel;   // entry's name
  std::string place;    // "line 41: ld.global.f32 %f1, [%rd4]"
  std::string text;     // one sentence with addresses, threads, and what was expected
  bool isError = true;  // false: costs time only
  int64_t count = 1;
};

// One warp of a launch, and how many of its accesses are of interest.
struct WarpChoice {
  std::string kernel;
  uint64_t block = 0;
  unsigned warp = 0;
  size_t most = 4096;
};
struct TracedAccess {
  std::string place;      // as of a report
  bool isShared = false;  // else global
  bool isWrite = false;
  unsigned bytes = 0;  // of a lane
  uint32_t lanes = 0;  // a bit each
  std::array<uint64_t, 32> addresses = {};
  int64_t units = 0, needed = 0;  // sectors of 32 bytes, or rounds of the banks
};

// Calls on a stream are asynchronous on a card; errors of them come with a later call, as the driver has it. Failures
// are ErrorKind::Runtime with the driver's name of the error; memory that ends is ErrorKind::Runtime, too ("not enough
// memory on the device"), with bytes requested and free. Not thread-safe: one thread at a time.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  virtual Result<DeviceMemory> memory() = 0;
  virtual Result<DeviceAddress> allocate(int64_t bytes) = 0;  // aligned to 256
  virtual Status release(DeviceAddress address) = 0;
  virtual Result<std::byte*> allocatePinned(int64_t bytes) = 0;
  virtual Status releasePinned(std::byte* memory) = 0;
  virtual Status copyToDevice(DeviceAddress to, std::span<const std::byte> from, StreamId stream) = 0;
  virtual Status copyToHost(std::span<std::byte> to, DeviceAddress from, StreamId stream) = 0;
  virtual Status copyOnDevice(DeviceAddress to, DeviceAddress from, int64_t bytes, StreamId stream) = 0;
  virtual Status fill(DeviceAddress to, uint8_t value, int64_t bytes, StreamId stream) = 0;

  // PTX text to the device's code (a cubin; for the simulated device the text itself). The error holds the assembler's
  // words.
  virtual Result<std::string> assemble(std::string_view ptx) = 0;
  virtual Result<ModuleId> load(std::string_view code) = 0;  // what assemble gave, perhaps in an earlier process
  virtual Status unload(ModuleId module) = 0;
  virtual Result<KernelId> kernel(ModuleId module, const std::string& name) = 0;
  virtual Result<KernelInfo> kernelInfo(KernelId kernel) = 0;
  virtual Status launch(const Launch& launch, StreamId stream) = 0;

  virtual Result<StreamId> makeStream() = 0;
  virtual Status releaseStream(StreamId stream) = 0;
  // Ends with failCancelled() when `cancel` becomes true (simulated: within a kernel, too).
  virtual Status synchronize(StreamId stream, const std::atomic<bool>* cancel = nullptr) = 0;
  virtual Result<EventId> makeEvent() = 0;
  virtual Status releaseEvent(EventId event) = 0;
  virtual Status record(EventId event, StreamId stream) = 0;
  virtual Status wait(StreamId stream, EventId event) = 0;              // later work of stream waits for event
  virtual Result<double> milliseconds(EventId begin, EventId end) = 0;  // between two events that have happened
  // The caller waits for the event, with cancel as for a stream.
  virtual Status synchronize(EventId event, const std::atomic<bool>* cancel = nullptr) = 0;

  virtual Status beginCapture(StreamId stream) = 0;
  virtual Result<GraphId> endCapture(StreamId stream) = 0;
  virtual Status launchGraph(GraphId graph, StreamId stream) = 0;
  virtual Status releaseGraph(GraphId graph) = 0;

  // Loops and branches within a graph, while it is captured. A condition is false at each launch until it is set.
  virtual bool hasConditionals() const = 0;
  virtual Result<ConditionId> makeCondition(StreamId captured) = 0;
  virtual Status setCondition(ConditionId condition, const ConditionTest& test, StreamId captured) = 0;
  // What is captured on the stream that this gives, until endConditional, runs if or while the condition holds.
  virtual Result<StreamId> beginConditional(StreamId captured, ConditionId condition, Conditional kind) = 0;
  virtual Status endConditional(StreamId captured, StreamId body) = 0;

  // For libraries that work on the device: the driver's own handle of a stream, and making its context the thread's.
  virtual void* nativeStream(StreamId stream) { return (void)stream, nullptr; }
  virtual Status enterContext() { return {}; }

  // An error has spoilt it, or a kernel that nobody can stop runs on it: nothing works until it is opened again.
  virtual bool isLost() const { return false; }

  virtual std::vector<Report> reports() const { return {}; }
  virtual void clearReports() {}
  // The simulated device notes what a warp of the kernel's next launch touches; null: nothing more.
  virtual void trace(const WarpChoice* choice) { (void)choice; }
  virtual std::vector<TracedAccess> traced() const { return {}; }
};

// Cards that the driver names, in its order. The error names what is missing (driver, its version, card)
// and what to do.
Result<std::vector<DeviceInfo>> listDevices();
Result<std::unique_ptr<Device>> openDevice(int ordinal);
// Interprets PTX on the CPU; made for correctness and counting. architecture: "sm_80" …; memoryBytes: of the device.
std::unique_ptr<Device> makeSimulatedDevice(const std::string& architecture = "sm_80",
                                            int64_t memoryBytes = int64_t{8} << 30);

}  // namespace tessera::cuda
