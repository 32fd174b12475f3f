// See cuda_executable.h: what a warp of an instruction's kernels touches, told in the terms of the plan.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "backends/cuda/run/cuda_executable.h"

namespace tessera::cuda {

// Global addresses become offsets in the array of the step that holds the first of them.
WarpAccess CudaExecutable::placed(const TracedAccess& access, const DeviceStep& step) const {
  WarpAccess out;
  out.kernel = program_->program.launches[step.kernel].name;
  out.place = access.place;
  out.array = access.isShared ? "shared memory" : "memory";
  out.isShared = access.isShared, out.isWrite = access.isWrite;
  out.bytes = access.bytes, out.lanes = access.lanes;
  out.units = access.units, out.needed = access.needed;
  uint64_t base = 0;
  const uint64_t first = access.addresses[static_cast<size_t>(std::countr_zero(access.lanes))];
  const auto look = [&](const std::vector<int>& slots, const char* role) {
    for (size_t i = 0; i < slots.size() && !access.isShared; ++i) {
      if (slots[i] < 0) continue;
      const DeviceAddress begin = runner_->addressOf(slots[i]);
      const auto bytes = static_cast<uint64_t>(program_->program.plan.slots[static_cast<size_t>(slots[i])].bytes);
      if (first < begin || first - begin >= bytes) continue;
      out.array = slots.size() == 1 && role[0] == 'r' ? role : fmt::format("{} {}", role, i);
      base = begin;
    }
  };
  look(step.operands, "operand");
  look(step.results, "result");
  for (size_t lane = 0; lane < out.offsets.size(); ++lane)
    out.offsets[lane] = static_cast<int64_t>(access.addresses[lane] - base);
  return out;
}

Result<std::vector<WarpAccess>> CudaExecutable::warpAccesses(InstructionId instruction,
                                                             std::span<const Literal> arguments, WarpPlace place,
                                                             const RunOptions& options) {
  std::vector<const DeviceStep*> steps;
  forEachStep(program_->program.plan.steps, [&](const DeviceStep& step) {
    if (step.instruction == instruction && step.kind == DeviceStep::Kind::Kernel) steps.push_back(&step);
  });
  if (steps.empty()) return failUnsupported("the instruction has no kernel of its own");
  std::vector<WarpAccess> out;
  for (const DeviceStep* step : steps) {
    const KernelLaunch& launch = program_->program.launches[step->kernel];
    constexpr int64_t kWarpThreads = 32;
    if (place.block < 0 || place.block >= launch.blocks || place.warp < 0 ||
        place.warp * kWarpThreads >= launch.blockThreads)
      return fail({.kind = ErrorKind::Usage,
                   .message = fmt::format("{} has no warp {} of a block {}", launch.name, place.warp, place.block),
                   .expected = fmt::format("blocks 0 to {} of {} warps", launch.blocks - 1,
                                           (launch.blockThreads + kWarpThreads - 1) / kWarpThreads)});
    std::vector<Literal> outputs;
    const WarpChoice choice{launch.name, static_cast<uint64_t>(place.block), static_cast<unsigned>(place.warp)};
    if (!runner_) TESSERA_TRY(runInto(arguments, outputs, options, nullptr));
    if (!runner_ || runner_->device().info().ordinal >= 0)
      return failUnsupported("only the simulated device shows what a warp does");
    runner_->device().trace(&choice);
    const Status ran = runInto(arguments, outputs, options, nullptr);
    if (runner_) runner_->device().trace(nullptr);
    TESSERA_TRY(ran);
    for (const TracedAccess& access : runner_->device().traced()) out.push_back(placed(access, *step));
  }
  return out;
}

}  // namespace tessera::cuda
