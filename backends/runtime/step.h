// Step: what a plan consists of, and the state of one run of it. Steps hold slot numbers, never addresses, and allocate
// nothing while they run. The backend makes them from instructions (cpu/plan_builder); the run-time library makes
// them again from what an object keeps (fields.h, program.h). Knows nothing of modules and of LLVM.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/runtime/fields.h"
#include "backends/runtime/run_profile.h"
#include "backends/runtime/thread_pool.h"
#include "core/base/result.h"

namespace tessera {
class Communicator;
class Module;
}  // namespace tessera

namespace tessera::cpu {

struct CompiledKernel {
  using Function = void (*)(void** buffers, int64_t begin, int64_t end);
  Function function = nullptr;
  int64_t parallelCount = 0;
  double costPerItem = 1;
};

// What random states keep from run to run of a program, by device and instruction.
struct LastingWords {
  std::mutex mutex;
  std::map<std::pair<int64_t, uint32_t>, std::array<uint64_t, 2>> words;
};

struct RunState {
  std::vector<std::byte*> pointers;  // by slot
  ThreadPool* pool = nullptr;
  const CompiledKernel* kernels = nullptr;  // by number
  const std::atomic<bool>* cancel = nullptr;
  RunProfile* profile = nullptr;         // null: not measured
  std::vector<int64_t> blockRuns;        // of the blocks of all regions; regions add to it
  const Module* module = nullptr;        // the optimised one, for steps that evaluate
  uint64_t run = 0;                      // number of this run of the executable, from 1
  Communicator* communicator = nullptr;  // RunOptions::communicator
  LastingWords* lasting = nullptr;       // null: steps keep their own
};

// Memory of a step's own for each thread: pieces of one slot. slot -1: it needs none.
struct ThreadScratch {
  int slot = -1;
  int64_t bytes = 0;  // a thread's
  template <class Real>
  Real* at(const RunState& state, int thread) const {
    return slot < 0 ? nullptr : reinterpret_cast<Real*>(state.pointers[static_cast<size_t>(slot)] + thread * bytes);
  }
};

class Step {
 public:
  virtual ~Step() = default;
  virtual Status run(RunState& state) = 0;
  // The C name of the function that makes the step again from its fields; null: it cannot be kept in an object.
  // "tessera_dnnl_…": it needs oneDNN; "tessera_core_…": libtessera_evaluate.a and libtessera_core.so.
  virtual const char* loader() const { return nullptr; }
  virtual void save(FieldWriter&) {}
  int32_t profileIndex = 0;  // into Plan::names
};
using StepPtr = std::unique_ptr<Step>;

// A step whose class has kLoader and fields(); prepare(), if there is one, follows the reading of them.
template <class Self>
class SerializableStep : public Step {
 public:
  const char* loader() const override { return Self::kLoader; }
  void save(FieldWriter& out) override { static_cast<Self*>(this)->fields(out); }
};

template <class Self>
Step* loadStep(FieldReader& in) {
  auto step = std::make_unique<Self>();
  step->fields(in);
  if (!in.good()) return nullptr;
  if constexpr (requires { step->prepare(); }) {
    if (!step->prepare()) return nullptr;
  }
  return step.release();
}

struct Sequence {
  std::vector<StepPtr> steps;
  Status run(RunState& state);
  template <class Fields>
  void fields(Fields& f) {
    f(steps);
  }

 private:
  Status runMeasured(RunState& state);
};

class KernelStep : public SerializableStep<KernelStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_kernel";
  KernelStep() = default;
  // starts: bytes by slot at which the kernel's array begins in its buffer; 0 where there is none.
  KernelStep(size_t kernel, std::vector<int> slots, std::vector<int64_t> starts = {})
      : kernel_(kernel), slots_(std::move(slots)), starts_(std::move(starts)), buffers_(slots_.size()) {}
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(kernel_, slots_, starts_);
    buffers_.resize(slots_.size());
  }

 private:
  size_t kernel_ = 0;
  std::vector<int> slots_;
  std::vector<int64_t> starts_;
  std::vector<void*> buffers_;
};

// A region: one function for many instructions. Cancelled between the rounds of its loops.
class RegionCallStep : public SerializableStep<RegionCallStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_region";
  RegionCallStep() = default;
  RegionCallStep(size_t kernel, std::vector<int> slots, size_t firstBlock)
      : kernel_(kernel), slots_(std::move(slots)), firstBlock_(firstBlock), buffers_(slots_.size() + 2) {}
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(kernel_, slots_, firstBlock_);
    buffers_.resize(slots_.size() + 2);
  }

 private:
  size_t kernel_ = 0;
  std::vector<int> slots_;
  size_t firstBlock_ = 0;
  std::vector<void*> buffers_;
};

class CopyStep : public SerializableStep<CopyStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_copy";
  CopyStep() = default;
  CopyStep(int from, int to, int64_t bytes) : from_(from), to_(to), bytes_(bytes) {}
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(from_, to_, bytes_);
  }

 private:
  int from_ = -1, to_ = -1;
  int64_t bytes_ = 0;
};

class WhileStep : public SerializableStep<WhileStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_while";
  Sequence condition, body;
  int predicate = -1;
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(condition, body, predicate);
  }
};

class ConditionalStep : public SerializableStep<ConditionalStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_conditional";
  std::vector<Sequence> branches;
  int selector = -1;
  bool byPredicate = false;  // pred: branch 0 when true; else an s32 index, out of range meaning the last
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(branches, selector, byPredicate);
  }
};

// Steps one after the other that are one instruction's.
class CompoundStep : public SerializableStep<CompoundStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_compound";
  std::vector<StepPtr> steps;
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(steps);
  }
};

}  // namespace tessera::cpu
