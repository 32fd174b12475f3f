// PlanDraft: a plan while it is made: its slots, scratch memory and the steps of one instruction. Used by
// device_plan_builder and those that plan a kind of instruction.
#pragma once

#include <vector>

#include "backends/cpu/plan/region_planner.h"
#include "backends/cpu/plan/step_program.h"
#include "backends/cuda/kernels/kernel_set.h"
#include "backends/cuda/program/device_plan.h"

namespace tessera::cuda {

using Steps = std::vector<DeviceStep>;

class PlanDraft {
 public:
  PlanDraft(const Module& module, const BufferAssignment& buffers, KernelSet& kernels);

  const Module& module() const { return module_; }
  std::vector<int> resultsOf(const Instruction& instruction) const { return cpu::resultSlots(buffers_, instruction); }
  std::vector<int> operandsOf(const Instruction& instruction) const {
    return cpu::operandSlots(module_, buffers_, instruction);
  }
  DeviceStep stepOf(const Instruction& instruction, DeviceStep::Kind kind, std::string what) const;

  // A slot for an array that lives while the instruction's steps run.
  Result<int> scratchFor(const Instruction& during, const Shape& shape);
  // A slot for a table that is written once, as a module's constants are; equal tables are one.
  int table(std::string bytes);
  size_t scratchCount() const { return scratch_.size(); }
  void dropScratchFrom(size_t count);

  // Nothing where the two are one.
  void copy(const Instruction& instruction, int from, int to, int64_t bytes, Steps& out) const;
  // ErrorKind::Unsupported where the program has no code.
  Status kernel(const Instruction& instruction, LoopProgram program, std::vector<int> from, std::vector<int> to,
                Steps& out);
  // A kernel that is not of an element program; operands, then results.
  Status kernel(const Instruction& instruction, const KernelTemplate& kernel, std::vector<int> from,
                std::vector<int> to, Steps& out);
  // A region of instructions, named after one of them.
  Status kernel(const Instruction& instruction, const cpu::PlannedRegion& region, Steps& out);
  // Places all slots and numbers the steps.
  Result<DevicePlan> finish();

  DevicePlan plan;

 private:
  void nameSlots();
  void append(const Instruction& instruction, size_t kernel, std::vector<int> from, std::vector<int> to, Steps& out);
  void number(Steps& steps);
  void placeTables(Steps& steps, int first);

  const Module& module_;
  const BufferAssignment& buffers_;
  KernelSet& kernels_;
  std::vector<ScratchNeed> scratch_;  // their slots follow the assignment's, in order
  std::vector<std::string> tables_;   // steps name them by numbers from -2 down until all slots are known
};

}  // namespace tessera::cuda
