// A kernel ready to run: instructions with the function that executes each on a warp, and the layout of registers.
// Registers are rows of 32 lanes, 4 or 8 bytes each; numbers and special registers that an instruction reads are rows,
// too, so that every operand is the offset of a row. Predicates are masks of lanes. Made by decode/, run by warp.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/simulated/ptx/types.h"

namespace tessera::cuda::simulated {

class Warp;
struct Instruction;
using LaneMask = uint32_t;
inline constexpr int kLanes = 32;
inline constexpr LaneMask kAllLanes = ~LaneMask{0};

// Executes an instruction for the lanes of `active`, of which there is one at least.
using Handler = void (*)(Warp& warp, const Instruction& instruction, LaneMask active);

// What the warp's loop does itself.
enum class Control : uint8_t {
  None,
  Converge,     // the lanes named by the mask at `a` execute it together; then the handler
  Branch,       // to target
  BranchTable,  // to lists[target + lane's a], of which there are `count`
  Exit,
  Barrier,        // a: its number, b: how many threads (all where hasThreadCount is not set)
  BarrierArrive,  // the same, and goes on
  Yield,          // nanosleep
  Trap,
};

constexpr uint32_t kNoJoin = ~uint32_t{0};

// Instruction::flags of barriers and of accesses.
enum : uint8_t { kAlignedBarrier = 1, kBarrierHasPredicate = 2, kBarrierNegated = 4 };
enum : uint8_t { kNarrowAddress = 1, kStrongAccess = 2 };

struct Instruction {
  Handler run = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0;  // offsets of rows in bytes; of predicates their numbers
  int64_t offset = 0;                   // of an address; or whatever the handler takes
  uint32_t list = 0;                    // begin in Kernel::lists, of vectors' rows
  uint32_t target = 0;                  // of a branch
  uint32_t join = kNoJoin;              // where the two sides of a branch come together again
  int32_t guard = -1;                   // number of a predicate; -1: none
  uint32_t site = 0;                    // in Kernel::sites
  Control control = Control::None;
  Space space = Space::Generic;
  bool isGuardNegated = false;
  bool isJoin = false;  // the join of some branch
  bool hasThreadCount = false;
  uint8_t count = 1;  // elements of a vector; entries of a branch table are in offset
  uint8_t bytes = 0;  // that an access touches, all elements
  uint8_t flags = 0;  // the handler's own
};

struct Site {
  uint32_t line = 0;
  std::string_view text;
};

// Special registers: thread and block indices, sizes.
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLt,
  LanemaskLe,
  LanemaskGt,
  LanemaskGe,
  DynamicSharedSize,
  TotalSharedSize,
  DynamicSharedBegin,
  Zero,
};

struct ConstantRow {
  uint32_t row;
  uint64_t bits;
  bool isWide;
};
struct SpecialRow {
  uint32_t row;
  Special special;
  bool isWide;
  uint64_t further = 0;  // added to it
};

struct Kernel {
  std::string name;
  std::shared_ptr<const std::string> text;  // what sites point into
  std::vector<Instruction> code;
  std::vector<Site> sites;
  std::vector<uint32_t> lists;
  std::vector<ConstantRow> constants;
  std::vector<SpecialRow> specials;
  uint32_t registerBytes = 0;  // of all rows
  uint32_t registerCount = 0;
  uint32_t predicates = 0;
  int64_t sharedBytes = 0;         // static
  int64_t dynamicSharedBegin = 0;  // where dynamic shared memory begins
  int64_t localBytes = 0;          // a lane
  int64_t parameterBytes = 0;
  int maxThreads = 1024;
  unsigned sharedGranule = 4;  // bytes, of the smallest access to shared memory
  // Blocks run one after another, since they may speak to each other: what they compute then depends on nothing else.
  bool isOrdered = false;
};

// Addresses of the generic space that are no memory of the device: windows onto a block's and a thread's own memory.
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;
inline constexpr uint64_t kSharedWindow = uint64_t{0x10} << 40, kLocalWindow = uint64_t{0x20} << 40,
                          kParamWindow = uint64_t{0x30} << 40, kGlobalBegin = uint64_t{0x7f} << 40;
// Where the window of a space begins, 0 of a space that has none.
inline uint64_t windowOf(Space space) {
  switch (space) {
    case Space::Shared: return kSharedWindow;
    case Space::Local: return kLocalWindow;
    case Space::Param: return kParamWindow;
    default: return 0;
  }
}

}  // namespace tessera::cuda::simulated
