// A card behind the interface of every device: each call is one of the driver's. Handles of modules, kernels, streams,
// events and graphs are the driver's own, but for the default stream, which is one that waits for no other.
#pragma once

#include <chrono>
#include <map>
#include <thread>

#include "backends/cuda/driver/driver.h"

namespace tessera::cuda::driver {

template <class Id>
Handle handleOf(Id id) {
  return reinterpret_cast<Handle>(static_cast<uintptr_t>(id));
}
template <class Id>
Id idOf(Handle handle) {
  return static_cast<Id>(reinterpret_cast<uintptr_t>(handle));
}

class DriverDevice final : public Device {
 public:
  DriverDevice(const Driver& driver, DeviceInfo info, int device)
      : driver_(driver), info_(std::move(info)), device_(device) {}
  Status open();

  ~DriverDevice() override;

  void* nativeStream(StreamId stream) override { return streamOf(stream); }
  Status enterContext() override { return enter(); }
  bool isLost() const override { return isSpoilt_ || isAbandoned_; }

  const DeviceInfo& info() const override { return info_; }
  Result<DeviceMemory> memory() override;
  Result<DeviceAddress> allocate(int64_t bytes) override;
  Status release(DeviceAddress address) override;
  Result<std::byte*> allocatePinned(int64_t bytes) override;
  Status releasePinned(std::byte* memory) override;
  Status copyToDevice(DeviceAddress to, std::span<const std::byte> from, StreamId stream) override;
  Status copyToHost(std::span<std::byte> to, DeviceAddress from, StreamId stream) override;
  Status copyOnDevice(DeviceAddress to, DeviceAddress from, int64_t bytes, StreamId stream) override;
  Status fill(DeviceAddress to, uint8_t value, int64_t bytes, StreamId stream) override;
  Result<std::string> assemble(std::string_view ptx) override;
  Result<ModuleId> load(std::string_view code) override;
  Status unload(ModuleId module) override;
  Result<KernelId> kernel(ModuleId module, const std::string& name) override;
  Result<KernelInfo> kernelInfo(KernelId kernel) override;
  Status launch(const Launch& launch, StreamId stream) override;
  Result<StreamId> makeStream() override;
  Status releaseStream(StreamId stream) override;
  Status synchronize(StreamId stream, const std::atomic<bool>* cancel) override;
  Status synchronize(EventId event, const std::atomic<bool>* cancel) override;
  Result<EventId> makeEvent() override;
  Status releaseEvent(EventId event) override;
  Status record(EventId event, StreamId stream) override;
  Status wait(StreamId stream, EventId event) override;
  Result<double> milliseconds(EventId begin, EventId end) override;
  Status beginCapture(StreamId stream) override;
  Result<GraphId> endCapture(StreamId stream) override;
  Status launchGraph(GraphId graph, StreamId stream) override;
  Status releaseGraph(GraphId graph) override;

  bool hasConditionals() const override { return driver_.hasConditionals(); }
  Result<ConditionId> makeCondition(StreamId captured) override;
  Status setCondition(ConditionId condition, const ConditionTest& test, StreamId captured) override;
  Result<StreamId> beginConditional(StreamId captured, ConditionId condition, Conditional kind) override;
  Status endConditional(StreamId, StreamId body) override;

 private:
  // Where the next node of a stream that is captured would stand.
  struct CapturePlace {
    Handle graph = nullptr;
    const Handle* dependencies = nullptr;
    size_t count = 0;
  };
  Result<CapturePlace> placeOf(StreamId captured);
  Status loadConditions();
  std::unexpected<Diagnostic> abandon();
  template <class Query>
  Status waitUntilReady(const Query& query, const std::atomic<bool>& cancel) {
    constexpr auto kPause = std::chrono::microseconds(50);
    while (true) {
      const Code code = query();
      if (code != Code::NotReady) return check(code, "waiting for the card");
      if (cancel.load(std::memory_order_relaxed)) return abandon();
      std::this_thread::sleep_for(kPause);
    }
  }
  Status check(Code code, const char* doing) const;
  Status enter();
  Handle streamOf(StreamId stream) const { return stream == StreamId::Default ? default_ : handleOf(stream); }
  Result<int> attribute(KernelId kernel, FunctionAttribute attribute) const;
  Status optIn(const Launch& launch);
  std::unexpected<Diagnostic> noMemory(int64_t bytes);

  const Driver& driver_;
  const DeviceInfo info_;
  const int device_;
  Handle context_ = nullptr, default_ = nullptr;
  Handle conditions_ = nullptr, setCondition_ = nullptr;  // a module and its kernel, once they are needed
  mutable bool isSpoilt_ = false;                         // by an error
  bool isAbandoned_ = false;
  std::map<KernelId, unsigned> granted_;  // dynamic shared bytes
};

}  // namespace tessera::cuda::driver
