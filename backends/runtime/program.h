// Program: an executable that was compiled ahead of time. Its object (aot/program_object) holds one Program with all
// that it points to, and a C function that calls tessera_program_run with it. The first run makes steps of the plan's
// bytes; they are kept for the next. Runs may overlap: each has steps and state of its own. Written by
// aot/program_object, called from C.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/runtime/step.h"

namespace tessera::cpu {

constexpr uint64_t kProgramVersion = 3;  // of the structures below and of all steps' fields

// What a program's functions answer. The headers of programs name them.
enum ProgramAnswer : int {
  kProgramFine = 0,
  kProgramArgument = 1,   // a pointer is null, not aligned, or memory of a result belongs to another array, too
  kProgramProcessor = 2,  // this processor lacks what the kernels use
  kProgramMemory = 3,
  kProgramFailed = 4,  // a step failed, or this run-time library is of another version
};

enum class ProgramSlotKind : uint64_t { Argument, Result, Constant, Workspace };

struct ProgramSlot {
  ProgramSlotKind kind;
  uint64_t at;  // number of the argument or result; offset in the workspace
  const void* constant;
};

// A program for several devices runs on all of them at once: its arrays are those of the first device, then those of
// the second, and so on, and so are the pieces of its workspace.
using DeviceRun = Status (*)(void* context, int64_t device, Communicator& communicator);
using DevicesFunction = Status (*)(int64_t replicas, int64_t partitions, DeviceRun run, void* context);

// An argument or a result.
struct ProgramArray {
  uint64_t bytes, alignment;
  int64_t argument;  // of a result: the argument in whose memory it may be stored; -1: none
  uint64_t spare;    // there it is made until the run ends: offset in the device's workspace
};

struct Program {
  uint64_t version;
  const char* features;  // of the processor, that kernels use: "avx2,fma"
  const CompiledKernel* kernels;
  const ProgramSlot* slots;
  uint64_t slotCount;
  const char* plan;  // a Sequence's fields
  uint64_t planBytes;
  const StepLoader* loaders;
  uint64_t loaderCount;
  const ProgramArray* arguments;
  uint64_t argumentCount;
  const ProgramArray* results;
  uint64_t resultCount;
  uint64_t blocks;          // of all regions
  uint64_t workspaceBytes;  // of all devices
  uint64_t threads;         // at most: scratch memory is cut among so many
  uint64_t replicas, partitions;
  DevicesFunction onDevices;  // null: there is one device
  void* ready;                // what runs keep; null before the first
};

}  // namespace tessera::cpu

extern "C" int tessera_program_run(const void* const* arguments, void* const* results, void* workspace, char* error,
                                   size_t errorBytes, tessera::cpu::Program* program);
