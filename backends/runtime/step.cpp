// See step.h: the steps that need no library.
#include "backends/runtime/step.h"

#include <algorithm>
#include <cstring>

#include "core/base/tuning.h"

namespace tessera::cpu {

Status Sequence::run(RunState& state) {
  if (state.profile) return runMeasured(state);
  for (const StepPtr& step : steps) {
    if (state.cancel && state.cancel->load(std::memory_order_relaxed)) return failCancelled();
    TESSERA_TRY(step->run(state));
  }
  return {};
}

// A step begins when the one before it ended, so each costs one reading of the clock.
Status Sequence::runMeasured(RunState& state) {
  RunProfile& profile = *state.profile;
  int64_t begin = profile.now();
  for (const StepPtr& step : steps) {
    if (state.cancel && state.cancel->load(std::memory_order_relaxed)) return failCancelled();
    int64_t nested = profile.nested();
    profile.enter(step->profileIndex);
    TESSERA_TRY(step->run(state));
    int64_t end = profile.now();
    profile.leave(step->profileIndex, begin, end, nested);
    begin = end;
  }
  return {};
}

Status KernelStep::run(RunState& state) {
  const CompiledKernel& kernel = state.kernels[kernel_];
  for (size_t i = 0; i < slots_.size(); ++i)
    buffers_[i] = state.pointers[static_cast<size_t>(slots_[i])] + (i < starts_.size() ? starts_[i] : 0);
  const auto& limits = tuning().threads;
  double total = kernel.costPerItem * static_cast<double>(kernel.parallelCount);
  const int64_t threads = state.pool->threads();
  if (threads == 1 || total < 2 * limits.chunkNs || kernel.parallelCount == 1) {
    kernel.function(buffers_.data(), 0, kernel.parallelCount);
    return {};
  }
  auto byCost = static_cast<int64_t>(limits.chunkNs / kernel.costPerItem) + 1;
  int64_t chunk = std::max(byCost, kernel.parallelCount / (threads * limits.chunksPerThread) + 1);
  chunk = std::min(chunk, (kernel.parallelCount + threads - 1) / threads);
  state.pool->parallelFor(kernel.parallelCount, chunk, [&](int64_t begin, int64_t end, int thread) {
    int64_t start = state.profile ? state.profile->now() : 0;
    kernel.function(buffers_.data(), begin, end);
    if (state.profile && thread > 0) state.profile->threadEvent(thread, start);
  });
  return {};
}

Status RegionCallStep::run(RunState& state) {
  static std::atomic<bool> never{false};
  static_assert(sizeof never == 1);
  for (size_t i = 0; i < slots_.size(); ++i) buffers_[i] = state.pointers[static_cast<size_t>(slots_[i])];
  buffers_[slots_.size()] = state.blockRuns.data() + firstBlock_;
  buffers_[slots_.size() + 1] = const_cast<std::atomic<bool>*>(state.cancel ? state.cancel : &never);
  state.kernels[kernel_].function(buffers_.data(), 0, 1);
  if (state.cancel && state.cancel->load(std::memory_order_relaxed)) return failCancelled();
  return {};
}

Status CopyStep::run(RunState& state) {
  std::byte* to = state.pointers[static_cast<size_t>(to_)];
  const std::byte* from = state.pointers[static_cast<size_t>(from_)];
  if (to == from || bytes_ == 0) return {};
  state.pool->parallelFor(bytes_, tuning().threads.copyChunkBytes, [&](int64_t begin, int64_t end, int) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
  return {};
}

Status WhileStep::run(RunState& state) {
  for (;;) {
    TESSERA_TRY(condition.run(state));
    if (state.pointers[static_cast<size_t>(predicate)][0] == std::byte{0}) return {};
    TESSERA_TRY(body.run(state));
    if (state.cancel && state.cancel->load(std::memory_order_relaxed)) return failCancelled();
  }
}

Status ConditionalStep::run(RunState& state) {
  const std::byte* at = state.pointers[static_cast<size_t>(selector)];
  size_t branch = 0;
  if (byPredicate) {
    branch = at[0] != std::byte{0} ? 0 : 1;
  } else {
    int32_t index;
    std::memcpy(&index, at, sizeof index);
    auto count = static_cast<int32_t>(branches.size());
    branch = static_cast<size_t>(index < 0 || index >= count ? count - 1 : index);
  }
  return branches[branch].run(state);
}

Status CompoundStep::run(RunState& state) {
  for (const StepPtr& step : steps) TESSERA_TRY(step->run(state));
  return {};
}

void FieldWriter::write(std::unique_ptr<Step>& step) {
  const char* name = step->loader();
  if (!name) {
    if (refused < 0) refused = step->profileIndex;
    return;
  }
  auto number = static_cast<uint32_t>(std::ranges::find(loaders, name) - loaders.begin());
  if (number == loaders.size()) loaders.emplace_back(name);
  write(number);
  step->save(*this);
}

void FieldReader::read(std::unique_ptr<Step>& step) {
  uint32_t number = 0;
  read(number);
  if (number >= loaders_.size()) fail();
  if (!good_) return;
  step.reset(loaders_[number](*this));
  if (!step) fail();
}

}  // namespace tessera::cpu

// What objects name of this file.
extern "C" {
using namespace tessera::cpu;
Step* tessera_step_kernel(FieldReader& in) { return loadStep<KernelStep>(in); }
Step* tessera_step_region(FieldReader& in) { return loadStep<RegionCallStep>(in); }
Step* tessera_step_copy(FieldReader& in) { return loadStep<CopyStep>(in); }
Step* tessera_step_while(FieldReader& in) { return loadStep<WhileStep>(in); }
Step* tessera_step_conditional(FieldReader& in) { return loadStep<ConditionalStep>(in); }
Step* tessera_step_compound(FieldReader& in) { return loadStep<CompoundStep>(in); }
}
