// Plan: what an Executable runs: a tree of steps over numbered slots. A slot is an argument, a constant, an output or
// a piece of the one arena; steps hold slot numbers, never addresses, and allocate nothing while they run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/kernel_library.h"
#include "backends/cpu/run_profile.h"
#include "backends/cpu/thread_pool.h"
#include "core/hlo/literal.h"
#include "core/passes/buffer_assignment.h"

namespace tessera {
class Communicator;
}

namespace tessera::cpu {

// A slot of the buffer assignment (scratch memory of steps is added behind its arena), with a constant's value.
struct PlanSlot : Slot {
  LiteralPtr literal;
};

struct RunState {
  std::vector<std::byte*> pointers;  // by slot
  ThreadPool* pool = nullptr;
  const KernelLibrary* kernels = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  RunProfile* profile = nullptr;     // null: not measured
  std::vector<int64_t> blockRuns;    // of the blocks of all regions; regions add to it
  const Module* module = nullptr;    // the optimised one, for steps that evaluate
  uint64_t run = 0;                  // number of this run of the executable, from 1
  Communicator* communicator = nullptr;  // RunOptions::communicator
};

class Step {
 public:
  virtual ~Step() = default;
  virtual Status run(RunState& state) = 0;
  int32_t profileIndex = 0;          // into Plan::names
};
using StepPtr = std::unique_ptr<Step>;

struct Sequence {
  std::vector<StepPtr> steps;
  Status run(RunState& state);

 private:
  Status runMeasured(RunState& state);
};

// An instruction that a region computes.
struct StepPart {
  InstructionId instruction;
  int32_t block = -1;                  // of the region; -1: the step computes it alone
  std::vector<int> operands, results;  // slots
};

struct StepName {
  InstructionId instruction;
  std::string name, what;
  std::vector<int> operands, results;  // slots
  std::vector<size_t> kernels;         // that it runs
  // Of a region: what it computes, the slots that lie in registers, where the runs of its blocks are counted.
  std::vector<StepPart> parts = {};
  std::vector<int> registers = {};
  size_t firstBlock = 0;
};

struct Plan {
  Sequence sequence;
  std::vector<PlanSlot> slots;
  std::vector<StepName> names;
  size_t blocks = 0;  // of all regions
  int64_t arenaBytes = 0;
};

class KernelStep : public Step {
 public:
  KernelStep(size_t kernel, std::vector<int> slots) : kernel_(kernel), slots_(std::move(slots)), buffers_(slots_.size()) {}
  Status run(RunState& state) override;

 private:
  size_t kernel_;
  std::vector<int> slots_;
  std::vector<void*> buffers_;
};

// A region: one function for many instructions. Cancelled between the rounds of its loops.
class RegionCallStep : public Step {
 public:
  RegionCallStep(size_t kernel, std::vector<int> slots, size_t firstBlock)
      : kernel_(kernel), slots_(std::move(slots)), firstBlock_(firstBlock), buffers_(slots_.size() + 2) {}
  Status run(RunState& state) override;

 private:
  size_t kernel_;
  std::vector<int> slots_;
  size_t firstBlock_;
  std::vector<void*> buffers_;
};

class CopyStep : public Step {
 public:
  CopyStep(int from, int to, int64_t bytes) : from_(from), to_(to), bytes_(bytes) {}
  Status run(RunState& state) override;

 private:
  int from_, to_;
  int64_t bytes_;
};

class WhileStep : public Step {
 public:
  Sequence condition, body;
  int predicate = -1;
  Status run(RunState& state) override;
};

class ConditionalStep : public Step {
 public:
  std::vector<Sequence> branches;
  int selector = -1;
  bool byPredicate = false;  // pred: branch 0 when true; else an s32 index, out of range meaning the last
  Status run(RunState& state) override;
};

}  // namespace tessera::cpu
