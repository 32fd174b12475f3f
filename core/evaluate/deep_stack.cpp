// See deep_stack.h. Only the pages of a stack that are touched take memory.
#include "core/evaluate/deep_stack.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <string>
#include <unordered_map>

#include "core/ops/inference/callgraph.h"

namespace tessera {
namespace {

constexpr int64_t kLevelsHere = 400;          // far above real programs, far below the end of a stack of 8 MiB
constexpr int64_t kMaxLevels = 1 << 16;       // 2 GiB of addresses
constexpr int64_t kBytesPerLevel = 32 << 10;  // calls take 3 to 5 KiB, windows and maps 5 to 10

struct Task {
  const std::function<void()>& work;
  std::exception_ptr thrown;
};

void* run(void* argument) {
  auto& task = *static_cast<Task*>(argument);
  try {
    task.work();
  } catch (...) {
    task.thrown = std::current_exception();
  }
  return nullptr;
}

// Levels of calls from the computation down, 1 where it calls nothing.
int64_t callDepth(const Module& module, ComputationId from) {
  const ComputationId start[] = {from};
  std::unordered_map<ComputationId, int64_t> depths;
  const CallGraph graph(module, start);
  for (ComputationId id : graph.calleesFirst()) {
    int64_t below = 0;
    for (InstructionId instruction : module.at(id).instructions)
      for (ComputationId callee : module.callees(module.at(instruction)))
        if (const auto known = depths.find(callee); known != depths.end()) below = std::max(below, known->second);
    depths[id] = below + 1;
  }
  return depths[from];
}

}  // namespace

Status withRoomForCalls(const Module& module, ComputationId from, const std::function<void()>& work) {
  const bool isSmall =
      module.computationSlots() <= static_cast<size_t>(kLevelsHere);  // asked for each call of a reducer
  const int64_t levels = isSmall ? 1 : callDepth(module, from);
  if (levels <= kLevelsHere) return work(), Status();
  if (levels > kMaxLevels)
    return fail(ErrorKind::Unsupported, "calls are nested " + std::to_string(levels) + " deep, the evaluator runs " +
                                            std::to_string(kMaxLevels));
  Task task{work, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, static_cast<size_t>(levels * kBytesPerLevel));
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, run, &task);
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return fail(ErrorKind::Runtime, "not enough memory for calls that are nested " + std::to_string(levels) + " deep");
  pthread_join(thread, nullptr);
  if (task.thrown) std::rethrow_exception(task.thrown);
  return {};
}

}  // namespace tessera
