// Plan: what an Executable runs: a tree of steps over numbered slots. A slot is an argument, a constant, an output or
// a piece of the one arena; steps hold slot numbers, never addresses, and allocate nothing while they run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/runtime/step.h"
#include "core/hlo/literal.h"
#include "core/passes/buffers/buffer_assignment.h"

namespace tessera::cpu {

// A slot of the buffer assignment (scratch memory of steps is added behind its arena), with a constant's value.
struct PlanSlot : Slot {
  LiteralPtr literal;
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
  // Of a region: what it computes, the slots that are in registers, where the runs of its blocks are counted.
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

}  // namespace tessera::cpu
