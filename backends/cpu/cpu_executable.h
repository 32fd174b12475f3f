// CpuExecutable: a plan, its kernels, its arena and its threads. One run at a time.
#pragma once

#include <memory>
#include <mutex>

#include "backends/backend.h"
#include "backends/cpu/entry_arrays.h"
#include "backends/cpu/kernels/kernel_library.h"
#include "backends/cpu/plan/plan.h"
#include "core/cost/cost.h"

namespace tessera::cpu {

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(Module source, Module optimized, Plan plan, std::unique_ptr<KernelLibrary> kernels,
                std::shared_ptr<ThreadPool> pool);

  Status runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs, const RunOptions& options,
                 Profile* profile) override;
  const Module& optimized() const override { return optimized_; }
  int64_t peakBytes() const override;
  KernelCounts kernelCounts() const override { return kernels_->counts(); }
  Result<std::vector<StepListing>> list(InstructionId instruction, bool withCode) const override;
  Result<CompiledObject> object(const std::string& name) override;

 private:
  struct FreeBytes {
    void operator()(std::byte* p) const { std::free(p); }
  };
  Status runLocked(std::span<const Literal> arguments, std::vector<Literal>& outputs, const RunOptions& options,
                   Profile* profile);
  Status ensureArena();
  Status bindArguments(std::span<const Literal> arguments, RunState& state) const;
  Status bindOutputs(std::span<const Literal> arguments, std::vector<Literal>& outputs, RunState& state) const;
  void report(int64_t totalNs, Profile& profile);
  void openProfile(Profile& profile) const;
  struct Share {
    InstructionId source;
    size_t at = 0;                          // into sources_
    double part = 0, flops = 0, bytes = 0;  // part of the step's time
  };
  // What one run of an instruction counts, and the weight of its sources together.
  struct PartCount {
    int32_t block = -1;  // whose runs count; -1: the step's
    double flops = 0, bytes = 0, weight = 0;
    std::vector<Share> shares;
  };
  struct StepCount {
    std::vector<PartCount> parts;
    size_t firstShare = 0;  // of all parts', in Profile::shares
  };
  void countSteps();
  PartCount countPart(const StepPart& part, CostCounter& optimized, CostCounter& source) const;
  void shareOut(std::span<const InstructionId> sources, bool control, CostCounter& counter, PartCount& count) const;
  double runsOf(const PartCount& part, size_t step) const;
  void apportion(size_t step, Profile& profile) const;

  Module source_, optimized_;
  Plan plan_;
  std::unique_ptr<KernelLibrary> kernels_;
  std::shared_ptr<ThreadPool> pool_;
  EntryArrays arrays_;
  std::unique_ptr<std::byte[], FreeBytes> arena_;
  RunState state_;  // kept between runs, so that a run allocates only its outputs
  RunProfile measured_;
  std::vector<StepCount> counts_;       // by step, filled by the first profile
  std::vector<StepShare> shares_;       // of all steps' parts, without times
  std::vector<SourceProfile> sources_;  // all source instructions that steps compute, without times
  std::mutex mutex_;
};

}  // namespace tessera::cpu
