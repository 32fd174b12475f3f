// CudaExecutable: a plan on a device: loads the kernels, holds the memory, runs the steps in order on one stream. The
// host decides loops and branches, for which it reads one value back.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/device.h"
#include "backends/cuda/kernels/kernel_set.h"
#include "backends/cuda/plan/device_plan.h"
#include "backends/cuda/run/host_evaluation.h"
#include "backends/cuda/run/slot_memory.h"

namespace tessera::cuda {

// What a compilation gives.
struct CudaProgram {
  Module source, optimized;
  DevicePlan plan;
  std::vector<KernelLaunch> launches;
  std::string architecture, ptx;
};

class CudaExecutable final : public Executable {
 public:
  // device null: only for its PTX.
  static Result<std::unique_ptr<CudaExecutable>> make(std::unique_ptr<CudaProgram> program,
                                                      std::unique_ptr<Device> device);
  ~CudaExecutable() override;

  Result<std::vector<Literal>> run(std::span<const Literal> arguments, const RunOptions& options,
                                   Profile* profile) override;
  Status runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs, const RunOptions& options,
                 Profile* profile) override;
  const Module& optimized() const override { return program_->optimized; }
  int64_t peakBytes() const override { return memory_ ? memory_->neededBytes() : 0; }
  KernelCounts kernelCounts() const override;
  Result<std::vector<StepListing>> list(InstructionId instruction, bool withCode) const override;
  Result<CompiledObject> object(const std::string& name) override;
  std::vector<DeviceReport> deviceReports() const override;

 private:
  CudaExecutable(std::unique_ptr<CudaProgram> program, std::unique_ptr<Device> device);
  Status load();
  Status checkArguments(std::span<const Literal> arguments) const;
  Status bindOutputs(std::span<const Literal> arguments, std::vector<Literal>& outputs) const;
  Status copyIn(std::span<const Literal> arguments);
  Status copyOut(std::vector<Literal>& outputs);
  Status runLocked(std::span<const Literal> arguments, std::vector<Literal>& outputs);
  Status runSteps(const std::vector<DeviceStep>& steps);
  Status runStep(const DeviceStep& step);
  Status runMeasured(const DeviceStep& step);
  Status runKernel(const DeviceStep& step);
  Status runHost(const DeviceStep& step);
  Status runWhile(const DeviceStep& step);
  Status runChoice(const DeviceStep& step);
  Status checkCancelled() const;
  Status readBack(int slot, std::span<std::byte> to);
  Status wait();
  void openProfile(Profile& profile) const;
  void shareOut(Profile& profile) const;

  std::unique_ptr<CudaProgram> program_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<SlotMemory> memory_;  // after the device: it gives back what it took
  std::unique_ptr<HostEvaluation> host_;
  std::vector<const Shape*> argumentShapes_, outputShapes_;
  ModuleId module_ = ModuleId::None;
  std::vector<KernelId> kernels_;
  std::vector<std::byte> parameters_;
  RunOptions options_;          // of the run
  Profile* profile_ = nullptr;  // of the run
  int64_t beginNs_ = 0, nestedNs_ = 0;
  std::mutex mutex_;
};

}  // namespace tessera::cuda
