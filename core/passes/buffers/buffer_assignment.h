// Buffer assignment: the memory of every array value of a scheduled module while it runs. Runs last, after copy
// insertion: aliasing was decided there and every forced copy is an HLO `copy`, so here values only get memory.
// Backends read it to turn instructions into steps over numbered slots.
//
// A value is (instruction, leaf of its shape). Values that share memory (tuple, get-tuple-element, bitcast, while
// carries, conditional results, elementwise results, dynamic-update-slice and scatter in place) have the same slot, so
// whoever finds the slot of a result equal to that of an operand knows that the operation works in place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"
#include "core/passes/buffers/arena_packing.h"

namespace tessera {

enum class SlotKind : uint8_t {
  Parameter,  // an argument of the run, read only: `index` is its leaf number (leaves of entry parameters, tokens
              // skipped)
  Output,     // a result of the run: `index` is the leaf number of the entry's root (tokens skipped); own memory
  Constant,   // the literal of `constant`, read only
  Temp,       // bytes [offset, offset + bytes) of the arena, or of a result that is not computed yet
};

struct Slot {
  SlotKind kind = SlotKind::Temp;
  int32_t index = -1;      // Parameter and Output
  InstructionId constant;  // Constant
  int32_t lender = -1;     // Temp: the result (its leaf number) whose memory it uses; -1: the arena
  int64_t offset = 0;      // Temp: a multiple of 64; up to kSmallBufferBytes, of the element's size
  int64_t bytes = 0;       // of the buffer in memory, layout padding included; 1 byte an element for sub-byte types
};

constexpr int64_t kSmallBufferBytes = 32;  // up to here values share cache lines

// "argument 0", "arena": for people.
std::string placeText(const Slot& slot);

// Memory that a step takes beside operands and results while an instruction runs.
struct ScratchNeed {
  InstructionId during;
  int64_t bytes = 0;
};

class BufferAssignment {
 public:
  static constexpr int32_t kNoSlot = -1;  // tokens, opaque values, and instructions that are not scheduled

  std::vector<Slot> slots;
  int64_t arenaBytes = 0;  // size of the one arena, which should be aligned to 64 bytes

  // Slot of one array leaf (order of leavesOf(shape)) of an instruction of the entry, a while body or condition, or a
  // branch. Instructions inside fusions, reducers and comparators have none.
  // Every root leaf of the entry has an Output slot of its own, filled when the last step has run.
  int32_t slotOf(InstructionId instruction, size_t leaf = 0) const {
    const uint32_t begin = first_[instruction.value];
    return begin == UINT32_MAX ? kNoSlot : slotOfValue_[begin + leaf];
  }
  // The slots never share a byte: they are live at the same time, or no temporary could be placed there. Every
  // step can count on it for its operands and results, which all live while it runs: two of them are one slot or lie
  // apart.
  bool areDisjoint(int32_t slot, int32_t other) const;
  // Packs all temporaries again, with scratch among them: a slot of its own for each need, in order, behind the others.
  // hasMemory (by slot): false for temporaries that backends keep in registers, which then take none.
  Status addScratch(std::span<const ScratchNeed> needs, const std::vector<bool>& hasMemory);

 private:
  friend class BufferAssigner;
  struct Interval {
    int64_t begin = 0, end = 0;
  };
  struct Packing;
  Result<Packing> packTemporaries(const std::vector<bool>& hasMemory) const;
  std::vector<Interval> liveRanges_;  // by slot
  std::vector<Interval> times_;       // by instruction id, of those that are scheduled
  std::vector<ArenaLender> lenders_;  // results that lend their memory, …
  std::vector<int32_t> lenderIndex_;  // … and their leaf numbers
  std::vector<uint32_t> first_;       // by instruction id; UINT32_MAX: not scheduled
  std::vector<int32_t> slotOfValue_;
};

// The module must be scheduled (each computation's instruction order is the order of execution) and have passed copy
// insertion. What runs, runs in that order; a while keeps what it calls alive; steps may use all cores inside.
// Which instructions need no step: parameter, constant, tuple, get-tuple-element, bitcast, add-dependency,
// optimization-barrier, after-all, and a `while` needs no copies in or out: its operand, its result, the parameters of
// its condition and body and the body's root share their slots leaf by leaf. A conditional's branches write their
// roots into the conditional's own slots; branch parameters share the slots of the branch operands.
// lendsResults: temporaries may use the memory of results that are computed later.
// Fails (ErrorKind::Runtime) when sizes overflow, (ErrorKind::Invalid) on a module that was not prepared.
Result<BufferAssignment> assignBuffers(const Module& module, bool lendsResults = true);

}  // namespace tessera
