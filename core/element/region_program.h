// RegionProgram: many small programs as one function: chains, loops and branches whose steps are too small to be called
// one by one. Plain data, comparable: blocks of steps over numbered buffers. Built from a scheduled module with
// assigned buffers, read by code generation; what a buffer is outside (argument, arena) is the builder's business.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/element/element_program.h"

namespace tessera {

struct RegionBuffer {
  int64_t bytes = 0;
  // Every access is at constant indices: the region keeps it in registers.
  bool inRegister = false;
  // It begins as memory has it; its last value is read afterwards. A register that is neither has no memory at all.
  bool in = false, out = false;
  bool hasMemory() const { return !inRegister || in || out; }
  bool operator==(const RegionBuffer&) const = default;
};

struct RegionStep {
  enum class Kind : uint8_t {
    Program,  // programs[program]; buffers: its operands, then its outputs
    Copy,     // buffers: from, to; `bytes` of them
    While,    // buffers: the predicate; blocks: condition, body
    Choice,   // buffers: the selector; blocks: the branches
  };
  Kind kind = Kind::Program;
  bool byPredicate = false;  // Choice: pred, block 0 when true; else an s32 index, out of range meaning the last
  uint32_t program = 0;
  int64_t bytes = 0;
  std::vector<uint32_t> buffers;
  std::vector<uint32_t> blocks;
  bool operator==(const RegionStep&) const = default;
};

// blocks[0] is run once. A block belongs to one step, which is in a block of lower number.
struct RegionProgram {
  std::vector<RegionBuffer> buffers;
  std::vector<LoopProgram> programs;  // may read and write the same buffer, as their steps would one by one
  std::vector<std::vector<RegionStep>> blocks;
  // Pairs of buffers (lower, higher; sorted) of which one may share memory with the other before or after its
  // live range. All other pairs that are not registers do not alias.
  std::vector<std::pair<uint32_t, uint32_t>> mayAlias;
  bool operator==(const RegionProgram&) const = default;
};

}  // namespace tessera
