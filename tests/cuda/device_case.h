// A simulated device with what a test does again and again: arrays up and down, a kernel launched with its arguments,
// the reports of a kind. Used by all tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/device.h"

namespace tessera::cuda {

// Arguments of a kernel, each at its natural alignment.
class Arguments {
 public:
  template <class... T>
  explicit Arguments(T... values) {
    (add(values), ...);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  template <class T>
  void add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  std::vector<std::byte> bytes_;
};

class DeviceCase : public testing::Test {
 protected:
  explicit DeviceCase(const std::string& architecture = "sm_90") : device(makeSimulatedDevice(architecture)) {}

  template <class T>
  DeviceAddress upload(const std::vector<T>& values) {
    const auto address = device->allocate(static_cast<int64_t>(values.size() * sizeof(T)));
    EXPECT_TRUE(address) << address.error().toString();
    EXPECT_TRUE(device->copyToDevice(*address, std::as_bytes(std::span(values)), StreamId::Default));
    return *address;
  }
  template <class T>
  DeviceAddress zeros(size_t count) {
    return upload(std::vector<T>(count));
  }
  template <class T>
  std::vector<T> download(DeviceAddress address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(device->copyToHost(std::as_writable_bytes(std::span(values)), address, StreamId::Default));
    const Status done = device->synchronize(StreamId::Default);
    EXPECT_TRUE(done) << done.error().toString();
    return values;
  }

  void load(const std::string& ptx) {
    const auto code = device->assemble(ptx);
    ASSERT_TRUE(code) << code.error().toString();
    const auto loaded = device->load(*code);
    ASSERT_TRUE(loaded) << loaded.error().toString();
    module = *loaded;
  }

  // Launches and waits; the status has the first error.
  Status launch(const std::string& name, Extent3 grid, Extent3 block, const Arguments& arguments, unsigned shared = 0) {
    TESSERA_ASSIGN_OR_RETURN(const KernelId kernel, device->kernel(module, name));
    TESSERA_TRY(device->launch(
        {.kernel = kernel, .grid = grid, .block = block, .dynamicSharedBytes = shared, .parameters = arguments.bytes()},
        StreamId::Default));
    return device->synchronize(StreamId::Default);
  }
  void run(const std::string& name, Extent3 grid, Extent3 block, const Arguments& arguments, unsigned shared = 0) {
    const Status status = launch(name, grid, block, arguments, shared);
    EXPECT_TRUE(status) << status.error().toString();
  }

  std::vector<Report> reportsOf(const std::string& kind) const {
    std::vector<Report> found;
    for (const Report& report : device->reports())
      if (report.kind == kind) found.push_back(report);
    return found;
  }
  // All that is wrong, as a text for a failing test.
  std::string errors() const {
    std::string text;
    for (const Report& report : device->reports())
      if (report.isError) text += report.kind + ", " + report.kernel + ", " + report.place + ": " + report.text + "\n";
    return text;
  }

  std::unique_ptr<Device> device;
  ModuleId module = ModuleId::None;
};

}  // namespace tessera::cuda
