// DevicePlan: what an executable does on a device: a tree of steps over numbered slots. A slot is an argument, a
// constant, an output or a piece of the one arena, all in the device's memory; steps hold slot numbers, never
// addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/passes/buffers/buffer_assignment.h"

namespace tessera::cuda {

// A slot of the buffer assignment (scratch memory of steps is added behind its arena), with a constant's value.
struct DeviceSlot : Slot {
  LiteralPtr literal;
  InstructionId owner;  // whose value it is, for messages; invalid: a step's scratch
};

struct DeviceStep {
  enum class Kind : uint8_t {
    Kernel,  // over the addresses of operands, then results
    Copy,    // of `bytes` from operands[0] to results[0]
    Host,    // the instruction by the evaluator, its arrays copied there and back
    While,   // operands: the predicate; blocks: condition, body
    Choice,  // operands: the selector; blocks: the branches
  };
  Kind kind = Kind::Kernel;
  InstructionId instruction;
  std::string what;                    // "kernel: a warp an item, 4096 items"
  std::vector<int> operands, results;  // slots; -1: a token
  size_t kernel = 0;                   // of the kernel set
  std::vector<int64_t> starts;         // by operand, in bytes: where it begins; empty: at 0
  int64_t bytes = 0;
  bool byPredicate = false;  // Choice: pred, block 0 when true; else an s32 index, out of range meaning the last
  std::vector<std::vector<DeviceStep>> blocks;
  int32_t number = 0;  // in the order of the plan, for profiles
};

struct DevicePlan {
  std::vector<DeviceStep> steps;
  std::vector<DeviceSlot> slots;
  int64_t arenaBytes = 0;
  int32_t count = 0;  // of all steps
};

// Each step, those of loops and branches behind their own.
template <class Visit>
void forEachStep(const std::vector<DeviceStep>& steps, const Visit& visit) {
  for (const DeviceStep& step : steps) {
    visit(step);
    for (const std::vector<DeviceStep>& block : step.blocks) forEachStep(block, visit);
  }
}

}  // namespace tessera::cuda
