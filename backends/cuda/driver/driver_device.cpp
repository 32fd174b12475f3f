// See driver_device.h: memory, code, launches, streams and events. Graphs are in driver_graphs.cpp.
#include "backends/cuda/driver/driver_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/units.h"

namespace tessera::cuda::driver {

Status DriverDevice::open() {
  TESSERA_TRY(check(driver_.primaryContextRetain(&context_, device_), "opening the card"));
  TESSERA_TRY(enter());
  return check(driver_.streamCreate(&default_, kStreamNonBlocking), "making a stream");
}

// The last to leave ends the card's context with all that is in it. One that an error has spoilt is reset, so that the
// next to open the card finds a whole one; one on which a kernel runs without end stays: giving back would wait for it.
DriverDevice::~DriverDevice() {
  if (!context_ || isAbandoned_) return;
  if (isSpoilt_) {
    (void)driver_.primaryContextReset(device_);
  } else {
    if (conditions_) (void)driver_.moduleUnload(conditions_);
    if (default_ && driver_.contextSetCurrent(context_) == Code::Success) (void)driver_.streamDestroy(default_);
  }
  (void)driver_.primaryContextRelease(device_);
}

Result<DeviceMemory> DriverDevice::memory() {
  TESSERA_TRY(enter());
  size_t free = 0, total = 0;
  TESSERA_TRY(check(driver_.memGetInfo(&free, &total), "asking for free memory"));
  return DeviceMemory{.free = static_cast<int64_t>(free), .total = static_cast<int64_t>(total)};
}

Result<DeviceAddress> DriverDevice::allocate(int64_t bytes) {
  TESSERA_TRY(enter());
  DeviceAddress address = 0;
  const Code code = driver_.memAlloc(&address, static_cast<size_t>(std::max<int64_t>(bytes, 0)));
  if (code == Code::OutOfMemory) return noMemory(bytes);
  TESSERA_TRY(check(code, "allocating memory"));
  return address;
}

Status DriverDevice::release(DeviceAddress address) {
  TESSERA_TRY(enter());
  return check(driver_.memFree(address), "releasing memory");
}

Result<std::byte*> DriverDevice::allocatePinned(int64_t bytes) {
  TESSERA_TRY(enter());
  void* memory = nullptr;
  TESSERA_TRY(check(driver_.memHostAlloc(&memory, static_cast<size_t>(std::max<int64_t>(bytes, 0)), kMemHostPortable),
                    "allocating pinned memory"));
  return static_cast<std::byte*>(memory);
}

Status DriverDevice::releasePinned(std::byte* memory) {
  TESSERA_TRY(enter());
  return check(driver_.memFreeHost(memory), "releasing pinned memory");
}

Status DriverDevice::copyToDevice(DeviceAddress to, std::span<const std::byte> from, StreamId stream) {
  if (from.empty()) return {};
  TESSERA_TRY(enter());
  return check(driver_.copyHostToDevice(to, from.data(), from.size(), streamOf(stream)), "copying to the card");
}

Status DriverDevice::copyToHost(std::span<std::byte> to, DeviceAddress from, StreamId stream) {
  if (to.empty()) return {};
  TESSERA_TRY(enter());
  return check(driver_.copyDeviceToHost(to.data(), from, to.size(), streamOf(stream)), "copying from the card");
}

Status DriverDevice::copyOnDevice(DeviceAddress to, DeviceAddress from, int64_t bytes, StreamId stream) {
  if (bytes == 0) return {};
  TESSERA_TRY(enter());
  return check(driver_.copyDeviceToDevice(to, from, static_cast<size_t>(bytes), streamOf(stream)),
               "copying on the card");
}

Status DriverDevice::fill(DeviceAddress to, uint8_t value, int64_t bytes, StreamId stream) {
  if (bytes == 0) return {};
  TESSERA_TRY(enter());
  return check(driver_.memset8(to, value, static_cast<size_t>(bytes), streamOf(stream)), "filling memory");
}

Result<std::string> DriverDevice::assemble(std::string_view ptx) {
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
Result<ModuleId> DriverDevice::load(std::string_view code) {
  constexpr size_t kHeaderBytes = 64;
  if (code.size() < kHeaderBytes || !code.starts_with("\x7f"
                                                      "ELF"))
    return fail(ErrorKind::Runtime, "CUDA_ERROR_INVALID_IMAGE: this is no code for a card");
  TESSERA_TRY(enter());
  Handle module = nullptr;
  TESSERA_TRY(check(driver_.moduleLoadData(&module, code.data()), "loading code"));
  return idOf<ModuleId>(module);
}

Status DriverDevice::unload(ModuleId module) {
  TESSERA_TRY(enter());
  return check(driver_.moduleUnload(handleOf(module)), "unloading code");
}

Result<KernelId> DriverDevice::kernel(ModuleId module, const std::string& name) {
  TESSERA_TRY(enter());
  Handle function = nullptr;
  TESSERA_TRY(check(driver_.moduleGetFunction(&function, handleOf(module), name.c_str()),
                    ("looking for the kernel " + name).c_str()));
  return idOf<KernelId>(function);
}

Result<KernelInfo> DriverDevice::kernelInfo(KernelId kernel) {
  TESSERA_TRY(enter());
  KernelInfo info;
  TESSERA_ASSIGN_OR_RETURN(info.registers, attribute(kernel, FunctionAttribute::Registers));
  TESSERA_ASSIGN_OR_RETURN(info.sharedBytes, attribute(kernel, FunctionAttribute::SharedBytes));
  TESSERA_ASSIGN_OR_RETURN(info.spilledBytes, attribute(kernel, FunctionAttribute::LocalBytes));
  TESSERA_ASSIGN_OR_RETURN(info.maxThreads, attribute(kernel, FunctionAttribute::MaxThreadsPerBlock));
  return info;
}

Status DriverDevice::launch(const Launch& launch, StreamId stream) {
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

Result<StreamId> DriverDevice::makeStream() {
  TESSERA_TRY(enter());
  Handle stream = nullptr;
  TESSERA_TRY(check(driver_.streamCreate(&stream, kStreamNonBlocking), "making a stream"));
  return idOf<StreamId>(stream);
}

Status DriverDevice::releaseStream(StreamId stream) {
  if (stream == StreamId::Default)
    return fail(ErrorKind::Runtime, "CUDA_ERROR_INVALID_HANDLE: the default stream stays");
  TESSERA_TRY(enter());
  return check(driver_.streamDestroy(handleOf(stream)), "releasing a stream");
}

Status DriverDevice::synchronize(StreamId stream, const std::atomic<bool>* cancel) {
  TESSERA_TRY(enter());
  if (!cancel) return check(driver_.streamSynchronize(streamOf(stream)), "waiting for the card");
  return waitUntilReady([&] { return driver_.streamQuery(streamOf(stream)); }, *cancel);
}

Status DriverDevice::synchronize(EventId event, const std::atomic<bool>* cancel) {
  TESSERA_TRY(enter());
  if (!cancel) return check(driver_.eventSynchronize(handleOf(event)), "waiting for an event");
  return waitUntilReady([&] { return driver_.eventQuery(handleOf(event)); }, *cancel);
}

Result<EventId> DriverDevice::makeEvent() {
  TESSERA_TRY(enter());
  Handle event = nullptr;
  TESSERA_TRY(check(driver_.eventCreate(&event, 0), "making an event"));
  return idOf<EventId>(event);
}

Status DriverDevice::releaseEvent(EventId event) {
  TESSERA_TRY(enter());
  return check(driver_.eventDestroy(handleOf(event)), "releasing an event");
}

Status DriverDevice::record(EventId event, StreamId stream) {
  TESSERA_TRY(enter());
  return check(driver_.eventRecord(handleOf(event), streamOf(stream)), "recording an event");
}

Status DriverDevice::wait(StreamId stream, EventId event) {
  TESSERA_TRY(enter());
  return check(driver_.streamWaitEvent(streamOf(stream), handleOf(event), 0), "waiting for an event");
}

Result<double> DriverDevice::milliseconds(EventId begin, EventId end) {
  TESSERA_TRY(enter());
  float milliseconds = 0;
  TESSERA_TRY(check(driver_.eventElapsedTime(&milliseconds, handleOf(begin), handleOf(end)), "reading a time"));
  return milliseconds;
}

// A kernel that runs cannot be stopped: a cancelled wait ends, the card goes on, and nothing can be given back.
std::unexpected<Diagnostic> DriverDevice::abandon() {
  isAbandoned_ = true;
  return failCancelled();
}

Status DriverDevice::check(Code code, const char* doing) const {
  isSpoilt_ = isSpoilt_ || spoilsContext(code);
  return driver_.check(code, doing);
}

// The calling thread may be another one than before.
Status DriverDevice::enter() {
  if (isAbandoned_)
    return fail(ErrorKind::Runtime, "a cancelled kernel still runs on the card; restart the program to use the card");
  return check(driver_.contextSetCurrent(context_), "entering the card's context");
}

Result<int> DriverDevice::attribute(KernelId kernel, FunctionAttribute attribute) const {
  int value = 0;
  TESSERA_TRY(check(driver_.functionGetAttribute(&value, attribute, handleOf(kernel)), "asking about a kernel"));
  return value;
}

// More dynamic shared memory than every block may have is asked for kernel by kernel.
Status DriverDevice::optIn(const Launch& launch) {
  if (launch.dynamicSharedBytes == 0) return {};
  unsigned& granted = granted_[launch.kernel];
  if (launch.dynamicSharedBytes <= granted) return {};
  TESSERA_TRY(check(driver_.functionSetAttribute(handleOf(launch.kernel), FunctionAttribute::MaxDynamicSharedBytes,
                                                 static_cast<int>(launch.dynamicSharedBytes)),
                    "asking for shared memory"));
  granted = launch.dynamicSharedBytes;
  return {};
}

std::unexpected<Diagnostic> DriverDevice::noMemory(int64_t bytes) {
  size_t free = 0, total = 0;
  (void)driver_.memGetInfo(&free, &total);
  return fail(ErrorKind::Runtime,
              fmt::format("{}, not enough memory on the device: {} asked, {} of {} free",
                          driver_.nameOf(Code::OutOfMemory), bytesText(static_cast<double>(bytes)),
                          bytesText(static_cast<double>(free)), bytesText(static_cast<double>(total))));
}

}  // namespace tessera::cuda::driver
