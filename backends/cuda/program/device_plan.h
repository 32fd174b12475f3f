// DevicePlan: what an executable does on a device: a tree of steps over numbered slots. A slot is an argument, a
// constant, an output or a piece of the one arena, all in the device's memory; steps hold slot numbers, never
// addresses. Plain data without a module: plans are kept in the kernel cache and in programs compiled ahead of time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/program/library_call.h"
#include "core/base/ids.h"
#include "core/passes/buffers/buffer_assignment.h"

namespace tessera::cuda {

// How a kernel is launched: the addresses of its arrays are its parameters, operands first.
struct KernelLaunch {
  std::string name;
  int64_t blocks = 1;
  unsigned blockThreads = 1;
  unsigned dynamicSharedBytes = 0;
  std::string text;  // how items are spread, for readers

  template <class Archive>
  void fields(Archive& archive) {
    archive(name, blocks, blockThreads, dynamicSharedBytes, text);
  }
};

// A slot of the buffer assignment; scratch memory of steps is added behind its arena.
struct DeviceSlot {
  SlotKind kind = SlotKind::Temp;
  int32_t index = -1;   // Parameter and Output: the leaf
  int32_t lender = -1;  // Temp: the output in whose memory it lies; -1: the arena
  int64_t offset = 0, bytes = 0;
  std::string owner;                 // the first instruction whose value it is, for messages; "": a step's scratch
  std::span<const std::byte> value;  // Constant; whoever has the plan keeps the bytes
  int64_t valueAt = -1;              // Constant: its number; in a program compiled ahead of time the value's offset
  int64_t table = -1;                // Constant: the plan's own table that is its value

  template <class Archive>
  void fields(Archive& archive) {
    archive(kind, index, lender, offset, bytes, owner, valueAt, table);
  }
};

struct DeviceStep {
  enum class Kind : uint8_t {
    Kernel,   // over the addresses of operands, then results
    Copy,     // of `bytes` from operands[0] to results[0]
    Library,  // a library's, over the addresses of operands, then results; the last result is its workspace, if any
    Host,     // the instruction by the evaluator, its arrays copied there and back
    While,    // operands: the predicate; blocks: condition, body
    Choice,   // operands: the selector; blocks: the branches
  };
  Kind kind = Kind::Kernel;
  InstructionId instruction;
  std::string what;                    // "kernel: a warp an item, 4096 items"
  std::vector<int> operands, results;  // slots; -1: a token
  size_t kernel = 0;                   // index of its launch
  std::vector<int64_t> starts;         // by operand, in bytes: where it begins; empty: at 0
  int64_t bytes = 0;
  bool byPredicate = false;  // Choice: pred, block 0 when true; else an s32 index, out of range meaning the last
  LibraryCall call;          // Library
  int64_t trips = -1;        // While: how often the body runs; -1: the predicate tells
  std::vector<std::vector<DeviceStep>> blocks;
  int32_t number = 0;                // in the order of the plan, for profiles
  std::vector<InstructionId> parts;  // Kernel: what it computes where that is more than the instruction

  template <class Archive>
  void fields(Archive& archive) {
    archive(kind, instruction, what, operands, results, kernel, starts, bytes, byPredicate, call, trips, blocks, number,
            parts);
  }
};

struct DevicePlan {
  std::vector<DeviceStep> steps;
  std::vector<DeviceSlot> slots;
  std::vector<std::string> tables;  // values that steps need beside the module's constants
  int64_t arenaBytes = 0;
  int32_t count = 0;  // of all steps

  template <class Archive>
  void fields(Archive& archive) {
    archive(steps, slots, tables, arenaBytes, count);
  }
};

// Slots of tables point into the plan, which stays where it is.
inline void bindTables(DevicePlan& plan) {
  for (DeviceSlot& slot : plan.slots)
    if (slot.table >= 0) slot.value = std::as_bytes(std::span(plan.tables[static_cast<size_t>(slot.table)]));
}

// A plan with the code of its kernels.
struct DeviceProgram {
  DevicePlan plan;
  std::vector<KernelLaunch> launches;
  std::string architecture;      // "sm_90"
  std::vector<std::string> ptx;  // modules that hold the kernels; the one of launches[k] is moduleOf[k]
  std::vector<uint32_t> moduleOf;
  bool isFromCache = false;

  template <class Archive>
  void fields(Archive& archive) {
    archive(plan, launches, architecture, ptx, moduleOf);
  }
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
