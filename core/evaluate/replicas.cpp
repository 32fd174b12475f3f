// See replicas.h.
#include "core/evaluate/replicas.h"

#include <system_error>
#include <thread>

namespace tessera {
namespace {

struct Outcome {
  std::mutex mutex;
  std::optional<Diagnostic> failure;
  void record(const Diagnostic& diagnostic) {
    std::lock_guard lock(mutex);
    if (!failure) failure = diagnostic;
  }
};

void runDevice(DeviceGroup& group, int64_t device, const DeviceProgram& program, std::vector<Literal>& outputs,
               Outcome& outcome) {
  ThreadCommunicator communicator(group, device);
  auto result = program(communicator);
  if (!result) {
    outcome.record(result.error());
    return group.finish(device, &result.error());
  }
  outputs = std::move(*result);
  group.finish(device);
}

}  // namespace

Result<std::vector<std::vector<Literal>>> runOnDevices(DeviceGrid grid, const DeviceProgram& program, HostFeeds feeds) {
  if (!grid.fits())
    return fail(ErrorKind::Usage,
                "a run takes 1 to " + std::to_string(DeviceGrid::kMaxDevices) + " devices, not " + grid.text());
  DeviceGroup group(grid, std::move(feeds));
  std::vector<std::vector<Literal>> outputs(static_cast<size_t>(grid.count()));
  Outcome outcome;
  std::vector<std::thread> threads;
  for (int64_t device = 0; device < grid.count(); ++device) {
    try {
      threads.emplace_back(
          [&, device] { runDevice(group, device, program, outputs[static_cast<size_t>(device)], outcome); });
    } catch (const std::system_error&) {
      const Diagnostic failure{.kind = ErrorKind::Runtime,
                               .message = "the system gives no thread for device " + std::to_string(device)};
      outcome.record(failure);
      for (int64_t rest = device; rest < grid.count(); ++rest) group.finish(rest, &failure);
      break;
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (outcome.failure) return std::unexpected(*outcome.failure);
  return outputs;
}

}  // namespace tessera
