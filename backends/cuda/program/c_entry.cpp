// See c_entry.h.
#include "backends/cuda/program/c_entry.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "backends/cuda/program/architecture.h"
#include "backends/cuda/program/device_choice.h"
#include "backends/cuda/program/plan_runner.h"
#include "backends/runtime/fields.h"

namespace tessera::cuda {

namespace {

// What a program keeps between its runs.
struct Ready {
  std::mutex mutex;
  std::string device;
  DeviceProgram program;
  std::unique_ptr<PlanRunner> runner;
};

// All of them, so that their devices are given back when the library that holds them is closed.
class Programs {
 public:
  Ready& readyOf(DeviceTable& table) {
    const std::lock_guard lock(mutex_);
    if (!table.ready) {
      all_.push_back(std::make_unique<Ready>());
      table.ready = all_.back().get();
    }
    return *static_cast<Ready*>(table.ready);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Ready>> all_;
};
Programs programs;

Status readProgram(const DeviceTable& table, DeviceProgram& out) {
  if (table.version != kDeviceTableVersion)
    return fail(ErrorKind::Runtime, "the run-time library is of another version than the program");
  cpu::FieldReader reader({table.program, table.programBytes}, {});
  reader(out);
  if (!reader.good()) return fail(ErrorKind::Runtime, "the program is damaged");
  bindTables(out.plan);
  for (DeviceSlot& slot : out.plan.slots)
    if (slot.valueAt >= 0)
      slot.value = {reinterpret_cast<const std::byte*>(table.constants) + slot.valueAt,
                    static_cast<size_t>(slot.bytes)};
  return {};
}

Status checkArchitecture(const DeviceInfo& info, const std::string& needed) {
  TESSERA_ASSIGN_OR_RETURN(const Architecture code, architectureOf(needed));
  if (code.runsOn(10 * info.major + info.minor)) return {};
  return failUnsupported(fmt::format("the program was compiled for {} {}; {} is {}", needed,
                                     code.hasWarpgroupProducts ? "alone" : "and later", info.name,
                                     info.architecture()));
}

Status openRunner(Ready& ready) {
  const char* asked = std::getenv("TESSERA_CUDA_DEVICE");
  const std::string name = !ready.device.empty() ? ready.device : asked ? asked : "";
  TESSERA_ASSIGN_OR_RETURN(const DeviceChoice choice, readDeviceChoice(name));
  TESSERA_ASSIGN_OR_RETURN(auto device, openChosen(choice, ready.program.architecture));
  TESSERA_TRY(checkArchitecture(device->info(), ready.program.architecture));
  std::vector<std::string> code;
  for (const std::string& ptx : ready.program.ptx) {
    TESSERA_ASSIGN_OR_RETURN(std::string each, device->assemble(ptx));
    code.push_back(std::move(each));
  }
  auto runner = std::make_unique<PlanRunner>(std::move(device), ready.program);
  TESSERA_TRY(runner->load(code));
  ready.runner = std::move(runner);
  return {};
}

Status checkPointers(const char* what, const void* const* arrays, const uint64_t* bytes, uint64_t count) {
  if (count > 0 && !arrays) return fail(ErrorKind::Usage, fmt::format("the list of {}s is null", what));
  for (uint64_t i = 0; i < count; ++i)
    if (bytes[i] > 0 && !arrays[i]) return fail(ErrorKind::Usage, fmt::format("{} {} is null", what, i));
  return {};
}

Status runTable(DeviceTable& table, const void* const* arguments, void* const* results) {
  TESSERA_TRY(checkPointers("argument", arguments, table.argumentBytes, table.argumentCount));
  TESSERA_TRY(checkPointers("result", results, table.resultBytes, table.resultCount));
  Ready& ready = programs.readyOf(table);
  const std::lock_guard lock(ready.mutex);
  if (ready.program.architecture.empty()) TESSERA_TRY(readProgram(table, ready.program));
  if (!ready.runner) TESSERA_TRY(openRunner(ready));
  RunCall call;
  for (uint64_t i = 0; i < table.argumentCount; ++i)
    call.arguments.emplace_back(static_cast<const std::byte*>(arguments[i]), table.argumentBytes[i]);
  for (uint64_t i = 0; i < table.resultCount; ++i)
    call.results.emplace_back(static_cast<std::byte*>(results[i]), table.resultBytes[i]);
  const Status status = ready.runner->run(call);
  if (!status && ready.runner->device().isLost()) ready.runner.reset();  // the next run opens it again
  return status;
}

int answerOf(const Diagnostic& failure) {
  if (failure.kind == ErrorKind::Usage) return kDeviceArgument;
  if (failure.kind == ErrorKind::Unsupported) return kDeviceMissing;
  return failure.message.find("not enough memory") != std::string::npos ? kDeviceMemory : kDeviceFailed;
}

}  // namespace

}  // namespace tessera::cuda

int tessera_cuda_program_run(const void* const* arguments, void* const* results, void*, char* error, size_t errorBytes,
                             tessera::cuda::DeviceTable* table) {
  using namespace tessera;
  const auto tell = [&](int answer, const char* message) {
    if (error && errorBytes > 0) std::snprintf(error, errorBytes, "%s", message);
    return answer;
  };
  try {
    const Status status = cuda::runTable(*table, arguments, results);
    return status ? tell(cuda::kDeviceFine, "")
                  : tell(cuda::answerOf(status.error()), status.error().toString().c_str());
  } catch (const std::bad_alloc&) {
    return tell(cuda::kDeviceMemory, "not enough memory");
  }
}

int tessera_cuda_program_device(const char* device, tessera::cuda::DeviceTable* table) {
  using namespace tessera;
  try {
    if (!cuda::readDeviceChoice(device ? device : "")) return cuda::kDeviceArgument;
    cuda::Ready& ready = cuda::programs.readyOf(*table);
    const std::lock_guard lock(ready.mutex);
    ready.device = device ? device : "";
    ready.runner.reset();
    return cuda::kDeviceFine;
  } catch (const std::bad_alloc&) {
    return cuda::kDeviceMemory;
  }
}
