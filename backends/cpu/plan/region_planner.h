// RegionPlanner: finds runs of consecutive instructions that are each too small to be a step:
// chains, loops and branches of them become one function (core/element/region_program.h). Decided by shapes and
// estimated work alone, never by the number of threads. Follows buffer assignment. What makes a member, and what it
// costs, is the target's: RegionMembers. Used by plan_builder, and by the cuda backend for loops.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "backends/cpu/plan/plan.h"
#include "backends/cpu/plan/region_members.h"
#include "core/element/region_program.h"
#include "core/hlo/module.h"
#include "core/passes/buffers/buffer_assignment.h"

namespace tessera {
class CustomCallLibrary;
}

namespace tessera::cpu {

struct PlannedRegion {
  RegionProgram program;
  std::vector<int> slots;       // of the buffers that have memory, in order
  std::vector<int> slotOf;      // of each buffer
  std::vector<int> registers;   // slots that are in registers while it runs
  std::vector<StepPart> parts;  // what it computes, in order
  InstructionId nameSource;     // whose name it bears: its loop, else the last
  int loops = 0;
  size_t end = 0;  // instructions [begin, end) of the computation are in it
};

class RegionPlanner {
 public:
  // members: outlives the planner.
  RegionPlanner(const Module& module, const BufferAssignment& buffers, const RegionMembers& members,
                const CustomCallLibrary* customCalls)
      : module_(module), buffers_(buffers), members_(members), customCalls_(customCalls) {}

  // The region that begins with instruction number `begin` of the computation and is as long as may be; nothing where
  // it would not pay. inLoop: the computation runs many times.
  std::optional<PlannedRegion> plan(ComputationId computation, size_t begin, bool inLoop);

 private:
  // What an instruction brings into a region; steps 0: nothing to do.
  struct Size {
    int steps = 0, programs = 0;
    int products = 0;  // programs that the library would compute else: compiled ahead, so better where they run once
    int loops = 0;
    size_t nodes = 0;
    double ns = 0;  // estimated, of one run; of a loop: of one round
    void add(const Size& other);
  };
  struct Sized {
    std::optional<Size> size;  // nothing: it does not fit
    RegionMember member;       // of an instruction that has a program
  };
  const Sized& sizedOf(InstructionId id);
  Sized measure(const Instruction& instruction);
  Sized measureProgram(const Instruction& instruction);
  bool isSmall(const LoopProgram& program, std::span<const int> operands, std::span<const int> results) const;
  bool isLarge(const Instruction& instruction) const;
  std::optional<Size> measureBlocks(const std::vector<ComputationId>& computations);
  bool pays(const Size& size, bool inLoop) const;
  const RegionLimits& limits() const { return members_.limits; }
  friend class RegionBuilder;

  const Module& module_;
  const BufferAssignment& buffers_;
  const RegionMembers& members_;
  const CustomCallLibrary* customCalls_;
  std::unordered_map<uint32_t, Sized> sized_;  // by instruction
};

}  // namespace tessera::cpu
