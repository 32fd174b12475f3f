// See program.h.
#include "backends/runtime/program.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "backends/runtime/processor.h"

namespace tessera::cpu {

namespace {

constexpr uint64_t kWorkspaceAlignment = 64;

// What one run at a time needs.
struct Instance {
  Sequence sequence;
  RunState state;
};

// What a program keeps between its runs.
struct Ready {
  explicit Ready(const Program& program)
      : lacks(lackingFeature(program.features)),
        pool(ThreadPool::shared(
            static_cast<int>(std::clamp<uint64_t>(std::thread::hardware_concurrency(), 1, program.threads)))) {}
  std::string lacks;  // what the kernels need and this processor has not
  std::mutex mutex;
  std::vector<std::unique_ptr<Instance>> idle;
  std::shared_ptr<ThreadPool> pool;
  LastingWords lasting;
};

// Ends the threads of all programs when the library that holds them is closed.
class Programs {
 public:
  ~Programs() {
    for (auto& [program, ready] : all_) program->ready = nullptr;
  }
  Ready& readyOf(Program& program) {
    const std::atomic_ref<void*> ready(program.ready);
    if (void* made = ready.load(std::memory_order_acquire)) return *static_cast<Ready*>(made);
    std::lock_guard lock(mutex_);
    if (void* made = ready.load(std::memory_order_relaxed)) return *static_cast<Ready*>(made);
    Ready& out = *all_.emplace_back(&program, std::make_unique<Ready>(program)).second;
    ready.store(&out, std::memory_order_release);
    return out;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<Program*, std::unique_ptr<Ready>>> all_;
};
Programs programs;

struct Failure {
  ProgramAnswer answer = kProgramFine;
  std::string message;
};

Failure refused(std::string message) { return {kProgramArgument, std::move(message)}; }

bool overlap(const void* a, uint64_t aBytes, const void* b, uint64_t bBytes) {
  auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return x < y + bBytes && y < x + aBytes;
}

Failure checkArrays(const char* what, const ProgramArray* arrays, uint64_t count, const void* const* pointers) {
  if (count > 0 && !pointers) return refused(std::string("the list of ") + what + "s is null");
  for (uint64_t i = 0; i < count; ++i) {
    if (arrays[i].bytes == 0) continue;
    const std::string name = what + (" " + std::to_string(i));
    if (!pointers[i]) return refused(name + " is null");
    if (reinterpret_cast<uintptr_t>(pointers[i]) % arrays[i].alignment != 0)
      return refused(name + " is not aligned to " + std::to_string(arrays[i].alignment) + " bytes");
  }
  return {};
}

// Results share memory with nothing, but for the argument that the program names, and with that as a whole.
Failure checkMemory(const Program& program, const void* const* arguments, void* const* results, const void* workspace) {
  for (uint64_t i = 0; i < program.resultCount; ++i) {
    const ProgramArray& result = program.results[i];
    const std::string name = "result " + std::to_string(i);
    if (overlap(results[i], result.bytes, workspace, program.workspaceBytes))
      return refused(name + " lies in the workspace");
    for (uint64_t j = 0; j < program.resultCount; ++j)
      if (j != i && overlap(results[i], result.bytes, results[j], program.results[j].bytes))
        return refused(name + " overlaps result " + std::to_string(j));
    for (uint64_t j = 0; j < program.argumentCount; ++j) {
      if (!overlap(results[i], result.bytes, arguments[j], program.arguments[j].bytes)) continue;
      if (result.argument == static_cast<int64_t>(j) && results[i] == arguments[j]) continue;
      return refused(name + " overlaps argument " + std::to_string(j));
    }
  }
  for (uint64_t j = 0; j < program.argumentCount; ++j)
    if (overlap(arguments[j], program.arguments[j].bytes, workspace, program.workspaceBytes))
      return refused("argument " + std::to_string(j) + " lies in the workspace");
  return {};
}

Failure checkCall(const Program& program, const void* const* arguments, void* const* results, const void* workspace) {
  if (Failure f = checkArrays("argument", program.arguments, program.argumentCount, arguments); f.answer) return f;
  if (Failure f = checkArrays("result", program.results, program.resultCount, results); f.answer) return f;
  if (program.workspaceBytes > 0 && !workspace) return refused("the workspace is null");
  if (reinterpret_cast<uintptr_t>(workspace) % kWorkspaceAlignment != 0)
    return refused("the workspace is not aligned to 64 bytes");
  return checkMemory(program, arguments, results, workspace);
}

std::unique_ptr<Instance> makeInstance(const Program& program) {
  auto instance = std::make_unique<Instance>();
  FieldReader in({program.plan, program.planBytes}, {program.loaders, program.loaderCount});
  in(instance->sequence);
  if (!in.good()) return nullptr;
  instance->state.pointers.resize(program.slotCount);
  instance->state.blockRuns.resize(program.blocks);
  instance->state.kernels = program.kernels;
  return instance;
}

// One device's part of a call.
struct DeviceCall {
  const ProgramArray* resultArrays;
  uint64_t resultCount;
  const void* const* arguments;
  void* const* results;
  std::byte* workspace;
  Communicator* communicator;
};

bool isShared(const DeviceCall& call, uint64_t result) {
  const ProgramArray& array = call.resultArrays[result];
  return array.argument >= 0 && array.bytes > 0 && call.results[result] == call.arguments[array.argument];
}

void bind(const Program& program, const DeviceCall& call, RunState& state) {
  for (uint64_t s = 0; s < program.slotCount; ++s) {
    const ProgramSlot& slot = program.slots[s];
    const void* at = nullptr;
    switch (slot.kind) {
      case ProgramSlotKind::Argument: at = call.arguments[slot.at]; break;
      case ProgramSlotKind::Result:
        at = isShared(call, slot.at) ? call.workspace + call.resultArrays[slot.at].spare : call.results[slot.at];
        break;
      case ProgramSlotKind::Constant: at = slot.constant; break;
      case ProgramSlotKind::Workspace: at = call.workspace + slot.at; break;
    }
    state.pointers[s] =
        static_cast<std::byte*>(const_cast<void*>(at));  // steps write to results and the workspace only
  }
}

Status runInstance(const Program& program, Ready& ready, Instance& instance, const DeviceCall& call) {
  RunState& state = instance.state;
  bind(program, call, state);
  state.pool = ready.pool.get();
  state.communicator = call.communicator;
  state.lasting = &ready.lasting;
  ++state.run;
  TESSERA_TRY(instance.sequence.run(state));
  for (uint64_t i = 0; i < call.resultCount; ++i)
    if (isShared(call, i))
      std::memcpy(call.results[i], call.workspace + call.resultArrays[i].spare, call.resultArrays[i].bytes);
  return {};
}

// With the steps of an earlier run, if one is not in use.
Status runDevice(const Program& program, Ready& ready, const DeviceCall& call) {
  std::unique_ptr<Instance> instance;
  {
    std::lock_guard lock(ready.mutex);
    if (!ready.idle.empty()) {
      instance = std::move(ready.idle.back());
      ready.idle.pop_back();
    }
  }
  if (!instance) instance = makeInstance(program);
  if (!instance)
    return fail(ErrorKind::Runtime, "a step of the program cannot be made: this library's oneDNN refuses it");
  Status status = runInstance(program, ready, *instance, call);
  std::lock_guard lock(ready.mutex);
  ready.idle.push_back(std::move(instance));
  return status;
}

struct WholeCall {
  const Program& program;
  Ready& ready;
  const void* const* arguments;
  void* const* results;
  void* workspace;
  std::atomic<bool> outOfMemory{false};

  DeviceCall of(int64_t device, Communicator* communicator) const {
    const uint64_t d = static_cast<uint64_t>(device), devices = program.replicas * program.partitions;
    const uint64_t argumentCount = program.argumentCount / devices, resultCount = program.resultCount / devices;
    return {program.results,
            resultCount,
            arguments + d * argumentCount,
            results + d * resultCount,
            static_cast<std::byte*>(workspace) + d * (program.workspaceBytes / devices),
            communicator};
  }
  static Status run(void* context, int64_t device, Communicator& communicator) {
    auto& call = *static_cast<WholeCall*>(context);
    try {
      return runDevice(call.program, call.ready, call.of(device, &communicator));
    } catch (const std::bad_alloc&) {
      call.outOfMemory = true;
      return fail(ErrorKind::Runtime, "not enough memory");
    }
  }
};

Failure runProgram(Program& program, const void* const* arguments, void* const* results, void* workspace) {
  if (program.version != kProgramVersion)
    return {kProgramFailed, "the run-time library is of another version than the program"};
  Ready& ready = programs.readyOf(program);
  if (!ready.lacks.empty())
    return {kProgramProcessor,
            "the program was compiled for processors with " + ready.lacks + ", which this one lacks"};
  if (Failure f = checkCall(program, arguments, results, workspace); f.answer) return f;
  WholeCall call{program, ready, arguments, results, workspace};
  const auto [replicas, partitions] =
      std::pair(static_cast<int64_t>(program.replicas), static_cast<int64_t>(program.partitions));
  const Status status = program.onDevices ? program.onDevices(replicas, partitions, &WholeCall::run, &call)
                                          : runDevice(program, ready, call.of(0, nullptr));
  if (status) return {};
  return {call.outOfMemory ? kProgramMemory : kProgramFailed, status.error().message};
}

}  // namespace

}  // namespace tessera::cpu

int tessera_program_run(const void* const* arguments, void* const* results, void* workspace, char* error,
                        size_t errorBytes, tessera::cpu::Program* program) {
  using namespace tessera::cpu;
  Failure failure;
  try {
    failure = runProgram(*program, arguments, results, workspace);
  } catch (const std::bad_alloc&) {
    failure.answer = kProgramMemory;
  }
  if (error && errorBytes > 0)
    std::snprintf(error, errorBytes, "%s",
                  failure.answer == kProgramMemory ? "not enough memory" : failure.message.c_str());
  return failure.answer;
}
