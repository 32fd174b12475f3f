// CudaExecutable: a program on a device, as an executable of a backend: arguments and results, steps that run on the
// host, profiles. What runs on the device, program/plan_runner does.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/entry_arrays.h"
#include "backends/cuda/device.h"
#include "backends/cuda/program/plan_runner.h"
#include "backends/cuda/run/card_collectives.h"
#include "backends/cuda/run/host_evaluation.h"

namespace tessera::cuda {

// What a compilation gives.
struct CudaProgram {
  Module source, optimized;
  DeviceProgram program;
  std::vector<LiteralPtr> constants;  // what the plan's slots point into
};

// What it runs on; `open` null: nothing here does.
struct CudaTarget {
  std::function<Result<std::unique_ptr<Device>>()> open;
  // The device's code of a module of PTX; isFresh: what is kept of earlier processes is not used.
  std::function<Result<std::string>(Device& device, const std::string& ptx, bool isFresh)> assemble;
};

class CudaExecutable final : public Executable {
 public:
  // device null: only for its code.
  static Result<std::unique_ptr<CudaExecutable>> make(std::unique_ptr<CudaProgram> program,
                                                      std::unique_ptr<Device> device, CudaTarget target);

  Status runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs, const RunOptions& options,
                 Profile* profile) override;
  const Module& optimized() const override { return program_->optimized; }
  int64_t peakBytes() const override { return runner_ ? runner_->neededBytes() : 0; }
  KernelCounts kernelCounts() const override;
  Result<std::vector<StepListing>> list(InstructionId instruction, bool withCode) const override;
  Result<CompiledObject> object(const std::string& name) override;
  Result<std::string> ptx(const std::string& name) override;
  std::vector<DeviceReport> deviceReports() const override;
  Result<std::vector<WarpAccess>> warpAccesses(InstructionId instruction, std::span<const Literal> arguments,
                                               WarpPlace place, const RunOptions& options) override;

 private:
  CudaExecutable(std::unique_ptr<CudaProgram> program, CudaTarget target);
  Status open(std::unique_ptr<Device> device);
  Status load(PlanRunner& runner, bool isFresh);
  Status runLocked(std::span<const Literal> arguments, std::vector<Literal>& outputs, const RunOptions& options,
                   Profile* profile);
  Status runHost(const DeviceStep& step, const RunOptions& options);
  Result<bool> runBetweenCards(const DeviceStep& step, const RunOptions& options);
  WarpAccess placed(const TracedAccess& access, const DeviceStep& step) const;
  void openProfile(Profile& profile) const;
  void addMeasured(const std::vector<MeasuredStep>& measured, int64_t totalNs, Profile& profile) const;
  void shareOut(Profile& profile) const;
  std::vector<InstructionId> sourcesOf(InstructionId id) const;
  std::vector<InstructionId> sourcesOf(const DeviceStep& step) const;
  InstructionId instructionOfCopy(const DeviceSlot& slot) const;

  std::unique_ptr<CudaProgram> program_;
  CudaTarget target_;
  std::unique_ptr<PlanRunner> runner_;
  std::unique_ptr<HostEvaluation> host_;
  CardCollectives collectives_;
  EntryArrays arrays_;
  std::vector<DeviceReport> earlierReports_;  // of devices that were lost
  std::mutex mutex_;
};

}  // namespace tessera::cuda
