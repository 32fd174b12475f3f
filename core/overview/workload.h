// What overview and findings look at, worked out once: which instructions are kernels, how often they run, what a run
// of them costs, and the measured times where a profile is given.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/cost.h"
#include "core/hlo/module.h"
#include "core/hlo/place_text.h"
#include "core/overview/execution.h"
#include "core/profile/profile.h"

namespace tessera {

// Of what a compiler has made of a module, by what it left in it.
struct ModuleStage {
  bool optimised = false;       // fusions, or a schedule
  bool scheduled = false;       // the order of instructions is the order of execution
  std::string_view device;      // "CPU", "GPU", "TPU"; empty: not told
  std::string_view deviceSign;  // by what it was told
};
ModuleStage stageOf(const Module& module);

class Workload {
 public:
  // The module and the profile must outlive it. profile: of a run of this module, or null.
  Workload(const Module& module, const Profile* profile);

  const Module& module;
  const UserTable users;
  const Execution execution;
  const ModuleStage stage;

  // Whole runs: loops by their trips where known. Zero for what is not executed by itself, and for calls, loops and
  // branches, whose bodies count.
  const Cost& costOf(InstructionId id) const { return costs_[id.value]; }
  double timesOf(InstructionId id) const { return execution.of(module.at(id).computation).times; }
  // Something runs for it: no parameter, constant, tuple, bitcast, call or half of a pair that is only waited for.
  bool isKernel(const Instruction& instruction) const;
  const Cost& total() const { return total_; }

  bool measured() const { return !times_.empty(); }
  double timeOf(InstructionId id) const { return measured() ? times_[id.value] : 0; }  // nanoseconds of one run

  // The one scale for things that cost flops, bytes, launches or time: nanoseconds, estimated for a machine that does
  // 50 flops and moves 10 bytes in each. Only good for an order, and for shares.
  static double estimatedNs(const Cost& cost);
  double weightOf(InstructionId id) const { return measured() ? timeOf(id) : estimatedNs(costOf(id)); }
  double totalWeight() const { return totalWeight_; }

  // The computation that an instruction is a fusion of; null: it is no fusion.
  const Computation* fusedBy(const Instruction& instruction) const;

 private:
  void addKernel(InstructionId id, Cost cost);

  std::vector<Cost> costs_;    // by InstructionId value
  std::vector<double> times_;  // the same; empty without a profile
  Cost total_;
  double totalWeight_ = 0;
};

}  // namespace tessera
