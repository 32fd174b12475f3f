// A card behind the interface of every device: each call is one of the driver's. Handles of modules, kernels, streams,
// events and graphs are the driver's own, but for the default stream, which is one that waits for no other.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "backends/cuda/driver/driver.h"
#include "core/base/units.h"

namespace tessera::cuda {

namespace driver {
namespace {

template <class Id>
Handle handleOf(Id id) {
  return reinterpret_cast<Handle>(static_cast<uintptr_t>(id));
}
template <class Id>
Id idOf(Handle handle) {
  return static_cast<Id>(reinterpret_cast<uintptr_t>(handle));
}

int attributeOf(const Driver& driver, Attribute attribute, int device) {
  int value = 0;  // stays 0 where the driver does not tell
  (void)driver.deviceGetAttribute(&value, attribute, device);
  return value;
}

Result<DeviceInfo> infoOf(const Driver& driver, int ordinal) {
  int device = 0;
  char name[256] = {};
  size_t bytes = 0;
  TESSERA_TRY(driver.check(driver.deviceGet(&device, ordinal), "opening a card"));
  TESSERA_TRY(driver.check(driver.deviceGetName(name, sizeof name - 1, device), "asking for a card's name"));
  TESSERA_TRY(driver.check(driver.deviceTotalMem(&bytes, device), "asking for a card's memory"));
  auto value = [&](Attribute attribute) { return attributeOf(driver, attribute, device); };
  constexpr double kBitsAByte = 8, kTransfersAClock = 2, kHertz = 1000;
  return DeviceInfo{
      .name = name,
      .ordinal = ordinal,
      .major = value(Attribute::ComputeCapabilityMajor),
      .minor = value(Attribute::ComputeCapabilityMinor),
      .driverVersion = driver.version(),
      .multiprocessors = value(Attribute::MultiprocessorCount),
      .maxThreadsPerBlock = value(Attribute::MaxThreadsPerBlock),
      .maxThreadsPerMultiprocessor = value(Attribute::MaxThreadsPerMultiprocessor),
      .sharedBytesPerBlock = value(Attribute::MaxSharedMemoryPerBlock),
      .sharedBytesPerBlockOptIn = value(Attribute::MaxSharedMemoryPerBlockOptIn),
      .registersPerMultiprocessor = value(Attribute::MaxRegistersPerMultiprocessor),
      .memoryBytes = static_cast<int64_t>(bytes),
      .l2Bytes = value(Attribute::L2CacheBytes),
      .clockHz = kHertz * value(Attribute::ClockKilohertz),
      .memoryBytesPerSecond = kHertz * value(Attribute::MemoryClockKilohertz) * kTransfersAClock *
                              value(Attribute::MemoryBusBits) / kBitsAByte,
  };
}

class DriverDevice final : public Device {
 public:
  DriverDevice(const Driver& driver, DeviceInfo info, int device)
      : driver_(driver), info_(std::move(info)), device_(device) {}

  Status open() {
    TESSERA_TRY(check(driver_.primaryContextRetain(&context_, device_), "opening the card"));
    TESSERA_TRY(enter());
    return check(driver_.streamCreate(&default_, kStreamNonBlocking), "making a stream");
  }

  // The last to leave ends the card's context with all that is in it; one that an error has spoilt is whole again then.
  ~DriverDevice() override {
    if (!context_) return;
    if (default_ && driver_.contextSetCurrent(context_) == Code::Success) (void)driver_.streamDestroy(default_);
    (void)driver_.primaryContextRelease(device_);
  }

  const DeviceInfo& info() const override { return info_; }

  Result<DeviceMemory> memory() override {
    TESSERA_TRY(enter());
    size_t free = 0, total = 0;
    TESSERA_TRY(check(driver_.memGetInfo(&free, &total), "asking for free memory"));
    return DeviceMemory{.free = static_cast<int64_t>(free), .total = static_cast<int64_t>(total)};
  }

  Result<DeviceAddress> allocate(int64_t bytes) override {
    TESSERA_TRY(enter());
    DeviceAddress address = 0;
    const Code code = driver_.memAlloc(&address, static_cast<size_t>(std::max<int64_t>(bytes, 0)));
    if (code == Code::OutOfMemory) return noMemory(bytes);
    TESSERA_TRY(check(code, "allocating memory"));
    return address;
  }

  Status release(DeviceAddress address) override {
    TESSERA_TRY(enter());
    return check(driver_.memFree(address), "releasing memory");
  }

  Result<std::byte*> allocatePinned(int64_t bytes) override {
    TESSERA_TRY(enter());
    void* memory = nullptr;
    TESSERA_TRY(check(driver_.memHostAlloc(&memory, static_cast<size_t>(std::max<int64_t>(bytes, 0)), kMemHostPortable),
                      "allocating pinned memory"));
    return static_cast<std::byte*>(memory);
  }

  Status releasePinned(std::byte* memory) override {
    TESSERA_TRY(enter());
    return check(driver_.memFreeHost(memory), "releasing pinned memory");
  }

  Status copyToDevice(DeviceAddress to, std::span<const std::byte> from, StreamId stream) override {
    if (from.empty()) return {};
    TESSERA_TRY(enter());
    return check(driver_.copyHostToDevice(to, from.data(), from.size(), streamOf(stream)), "copying to the card");
  }

  Status copyToHost(std::span<std::byte> to, DeviceAddress from, StreamId stream) override {
    if (to.empty()) return {};
    TESSERA_TRY(enter());
    return check(driver_.copyDeviceToHost(to.data(), from, to.size(), streamOf(stream)), "copying from the card");
  }

  Status copyOnDevice(DeviceAddress to, DeviceAddress from, int64_t bytes, StreamId stream) override {
    if (bytes == 0) return {};
    TESSERA_TRY(enter());
    return check(driver_.copyDeviceToDevice(to, from, static_cast<size_t>(bytes), streamOf(stream)),
                 "copying on the card");
  }

  Status fill(DeviceAddress to, uint8_t value, int64_t bytes, StreamId stream) override {
    if (bytes == 0) return {};
    TESSERA_TRY(enter());
    return check(driver_.memset8(to, value, static_cast<size_t>(bytes), streamOf(stream)), "filling memory");
  }

  Result<std::string> assemble(std::string_view ptx) override {
    TESSERA_TRY(enter());
    std::string text(ptx), log(size_t{16} << 10, '\0');
    LinkOption options[] = {LinkOption::ErrorLog, LinkOption::ErrorLogBytes, LinkOption::TargetFromContext};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size()), nullptr};
    Handle link = nullptr;
    TESSERA_TRY(check(driver_.linkCreate(std::size(options), options, values, &link), "making a link"));
    void* cubin = nullptr;
    size_t bytes = 0;
    // The size of PTX includes the zero behind it.
    Code code =
        driver_.linkAddData(link, LinkInput::Ptx, text.data(), text.size() + 1, "kernels.ptx", 0, nullptr, nullptr);
    if (code == Code::Success) code = driver_.linkComplete(link, &cubin, &bytes);
    std::string result(static_cast<const char*>(cubin), code == Code::Success ? bytes : 0);
    (void)driver_.linkDestroy(link);  // takes the cubin with it
    if (code != Code::Success)
      return fail(ErrorKind::Runtime, fmt::format("{}, assembling PTX: {}", driver_.nameOf(code), log.c_str()));
    return result;
  }

  // The driver is told no size: what is no ELF file, or ends within its header, does not come to it.
  Result<ModuleId> load(std::string_view code) override {
    constexpr size_t kHeaderBytes = 64;
    if (code.size() < kHeaderBytes || !code.starts_with("\x7f"
                                                        "ELF"))
      return fail(ErrorKind::Runtime, "CUDA_ERROR_INVALID_IMAGE: this is no code for a card");
    TESSERA_TRY(enter());
    Handle module = nullptr;
    TESSERA_TRY(check(driver_.moduleLoadData(&module, code.data()), "loading code"));
    return idOf<ModuleId>(module);
  }

  Status unload(ModuleId module) override {
    TESSERA_TRY(enter());
    return check(driver_.moduleUnload(handleOf(module)), "unloading code");
  }

  Result<KernelId> kernel(ModuleId module, const std::string& name) override {
    TESSERA_TRY(enter());
    Handle function = nullptr;
    TESSERA_TRY(check(driver_.moduleGetFunction(&function, handleOf(module), name.c_str()),
                      ("looking for the kernel " + name).c_str()));
    return idOf<KernelId>(function);
  }

  Result<KernelInfo> kernelInfo(KernelId kernel) override {
    TESSERA_TRY(enter());
    KernelInfo info;
    TESSERA_ASSIGN_OR_RETURN(info.registers, attribute(kernel, FunctionAttribute::Registers));
    TESSERA_ASSIGN_OR_RETURN(info.sharedBytes, attribute(kernel, FunctionAttribute::SharedBytes));
    TESSERA_ASSIGN_OR_RETURN(info.spilledBytes, attribute(kernel, FunctionAttribute::LocalBytes));
    TESSERA_ASSIGN_OR_RETURN(info.maxThreads, attribute(kernel, FunctionAttribute::MaxThreadsPerBlock));
    return info;
  }

  Status launch(const Launch& launch, StreamId stream) override {
    TESSERA_TRY(enter());
    TESSERA_TRY(optIn(launch));
    size_t bytes = launch.parameters.size();
    void* extra[] = {kParameterBuffer, const_cast<std::byte*>(launch.parameters.data()), kParameterBytes, &bytes,
                     nullptr};
    return check(driver_.launchKernel(handleOf(launch.kernel), launch.grid.x, launch.grid.y, launch.grid.z,
                                      launch.block.x, launch.block.y, launch.block.z, launch.dynamicSharedBytes,
                                      streamOf(stream), nullptr, bytes ? extra : nullptr),
                 "launching a kernel");
  }

  Result<StreamId> makeStream() override {
    TESSERA_TRY(enter());
    Handle stream = nullptr;
    TESSERA_TRY(check(driver_.streamCreate(&stream, kStreamNonBlocking), "making a stream"));
    return idOf<StreamId>(stream);
  }
  Status releaseStream(StreamId stream) override {
    if (stream == StreamId::Default)
      return fail(ErrorKind::Runtime, "CUDA_ERROR_INVALID_HANDLE: the default stream stays");
    TESSERA_TRY(enter());
    return check(driver_.streamDestroy(handleOf(stream)), "releasing a stream");
  }

  // A kernel that runs cannot be stopped: a cancelled wait ends, the card goes on.
  Status synchronize(StreamId stream, const std::atomic<bool>* cancel) override {
    TESSERA_TRY(enter());
    if (!cancel) return check(driver_.streamSynchronize(streamOf(stream)), "waiting for the card");
    constexpr auto kPause = std::chrono::microseconds(50);
    while (true) {
      const Code code = driver_.streamQuery(streamOf(stream));
      if (code != Code::NotReady) return check(code, "waiting for the card");
      if (cancel->load(std::memory_order_relaxed)) return failCancelled();
      std::this_thread::sleep_for(kPause);
    }
  }

  Result<EventId> makeEvent() override {
    TESSERA_TRY(enter());
    Handle event = nullptr;
    TESSERA_TRY(check(driver_.eventCreate(&event, 0), "making an event"));
    return idOf<EventId>(event);
  }
  Status releaseEvent(EventId event) override {
    TESSERA_TRY(enter());
    return check(driver_.eventDestroy(handleOf(event)), "releasing an event");
  }
  Status record(EventId event, StreamId stream) override {
    TESSERA_TRY(enter());
    return check(driver_.eventRecord(handleOf(event), streamOf(stream)), "recording an event");
  }
  Status wait(StreamId stream, EventId event) override {
    TESSERA_TRY(enter());
    return check(driver_.streamWaitEvent(streamOf(stream), handleOf(event), 0), "waiting for an event");
  }
  Result<double> milliseconds(EventId begin, EventId end) override {
    TESSERA_TRY(enter());
    float milliseconds = 0;
    TESSERA_TRY(check(driver_.eventElapsedTime(&milliseconds, handleOf(begin), handleOf(end)), "reading a time"));
    return milliseconds;
  }

  Status beginCapture(StreamId stream) override {
    TESSERA_TRY(enter());
    return check(driver_.streamBeginCapture(streamOf(stream), CaptureMode::ThreadLocal), "beginning a graph");
  }
  Result<GraphId> endCapture(StreamId stream) override {
    TESSERA_TRY(enter());
    Handle graph = nullptr, instance = nullptr;
    TESSERA_TRY(check(driver_.streamEndCapture(streamOf(stream), &graph), "ending a graph"));
    const Code code = driver_.graphInstantiate(&instance, graph, 0);
    (void)driver_.graphDestroy(graph);  // its instance is on its own
    TESSERA_TRY(check(code, "making a graph ready"));
    return idOf<GraphId>(instance);
  }
  Status launchGraph(GraphId graph, StreamId stream) override {
    TESSERA_TRY(enter());
    return check(driver_.graphLaunch(handleOf(graph), streamOf(stream)), "launching a graph");
  }
  Status releaseGraph(GraphId graph) override {
    TESSERA_TRY(enter());
    return check(driver_.graphInstanceDestroy(handleOf(graph)), "releasing a graph");
  }

 private:
  Status check(Code code, const char* doing) const { return driver_.check(code, doing); }
  // The calling thread may be another one than before.
  Status enter() { return check(driver_.contextSetCurrent(context_), "entering the card's context"); }
  Handle streamOf(StreamId stream) const { return stream == StreamId::Default ? default_ : handleOf(stream); }

  Result<int> attribute(KernelId kernel, FunctionAttribute attribute) const {
    int value = 0;
    TESSERA_TRY(check(driver_.functionGetAttribute(&value, attribute, handleOf(kernel)), "asking about a kernel"));
    return value;
  }

  // More dynamic shared memory than every block may have is asked for kernel by kernel.
  Status optIn(const Launch& launch) {
    if (launch.dynamicSharedBytes == 0) return {};
    unsigned& granted = granted_[launch.kernel];
    if (launch.dynamicSharedBytes <= granted) return {};
    TESSERA_TRY(check(driver_.functionSetAttribute(handleOf(launch.kernel), FunctionAttribute::MaxDynamicSharedBytes,
                                                   static_cast<int>(launch.dynamicSharedBytes)),
                      "asking for shared memory"));
    granted = launch.dynamicSharedBytes;
    return {};
  }

  std::unexpected<Diagnostic> noMemory(int64_t bytes) {
    size_t free = 0, total = 0;
    (void)driver_.memGetInfo(&free, &total);
    return fail(ErrorKind::Runtime,
                fmt::format("{}, not enough memory on the device: {} asked, {} of {} free",
                            driver_.nameOf(Code::OutOfMemory), bytesText(static_cast<double>(bytes)),
                            bytesText(static_cast<double>(free)), bytesText(static_cast<double>(total))));
  }

  const Driver& driver_;
  const DeviceInfo info_;
  const int device_;
  Handle context_ = nullptr, default_ = nullptr;
  std::map<KernelId, unsigned> granted_;  // dynamic shared bytes
};

Result<int> cardCount(const Driver& driver) {
  int count = 0;
  TESSERA_TRY(driver.check(driver.deviceGetCount(&count), "counting cards"));
  if (count == 0) return failUnsupported("the CUDA driver sees no card");
  return count;
}

}  // namespace
}  // namespace driver

Result<std::vector<DeviceInfo>> listDevices() {
  TESSERA_ASSIGN_OR_RETURN(const driver::Driver* driver, driver::Driver::get());
  TESSERA_ASSIGN_OR_RETURN(const int count, driver::cardCount(*driver));
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    TESSERA_ASSIGN_OR_RETURN(auto info, driver::infoOf(*driver, ordinal));
    devices.push_back(std::move(info));
  }
  return devices;
}

Result<std::unique_ptr<Device>> openDevice(int ordinal) {
  TESSERA_ASSIGN_OR_RETURN(const driver::Driver* driver, driver::Driver::get());
  TESSERA_ASSIGN_OR_RETURN(const int count, driver::cardCount(*driver));
  if (ordinal < 0 || ordinal >= count)
    return fail({.kind = ErrorKind::Unsupported,
                 .message = fmt::format("there is no card {}", ordinal),
                 .expected = fmt::format("0 to {}", count - 1)});
  TESSERA_ASSIGN_OR_RETURN(auto info, driver::infoOf(*driver, ordinal));
  int number = 0;
  TESSERA_TRY(driver->check(driver->deviceGet(&number, ordinal), "opening a card"));
  auto device = std::make_unique<driver::DriverDevice>(*driver, std::move(info), number);
  TESSERA_TRY(device->open());
  return device;
}

}  // namespace tessera::cuda
