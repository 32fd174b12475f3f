// PTX: any text is read or refused with a message; what is accepted runs for a moment on the simulated device, whatever
// it does to memory, and can be cancelled.
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "backends/cuda/device.h"
#include "tests/fuzz/expect.h"

using namespace tessera;
using namespace tessera::cuda;

namespace {

// Names behind ".entry".
std::vector<std::string> entriesOf(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find(".entry"); at != std::string_view::npos; at = text.find(".entry", at + 1)) {
    size_t begin = text.find_first_not_of(" \t\r\n", at + 6);
    if (begin == std::string_view::npos) break;
    names.emplace_back(text.substr(begin, text.find_first_of(" \t\r\n(){};", begin) - begin));
  }
  return names;
}

void launchOnce(Device& device, KernelId kernel, DeviceAddress memory) {
  std::vector<std::byte> parameters;
  for (size_t bytes = 0; bytes <= 64; bytes += 4) {  // the size that fits is found by trying
    parameters.assign(bytes, std::byte{0});
    for (size_t i = 0; i + 8 <= bytes; i += 8) std::memcpy(parameters.data() + i, &memory, 8);
    if (!device.launch({.kernel = kernel, .grid = {2}, .block = {33}, .parameters = parameters}, StreamId::Default))
      continue;
    std::atomic<bool> cancel = false;
    std::jthread watch([&](const std::stop_token& stop) {
      for (int i = 0; i < 20 && !stop.stop_requested(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      cancel = true;
    });
    const Status status = device.synchronize(StreamId::Default, &cancel);
    expect(status || !status.error().message.empty(), "a failed launch has a message");
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto device = makeSimulatedDevice("sm_90", 64 << 20);
  const auto module = device->load(text);
  if (!module) {
    expect(!module.error().message.empty(), "refused PTX has a message");
    return 0;
  }
  const auto memory = device->allocate(4096);
  if (!memory) return 0;
  for (const std::string& name : entriesOf(text))
    if (const auto kernel = device->kernel(*module, name)) launchOnce(*device, *kernel, *memory);
  for (const Report& report : device->reports())
    expect(!report.kind.empty() && !report.place.empty(), "a report has a place");
  return 0;
}
