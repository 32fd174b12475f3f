// 32 threads in lockstep. Where a branch divides them they go on as splits, which come together at the branch's
// immediate post-dominator (a join). Splits take turns, so that one may wait for another, as on cards since compute
// capability 7.0. Run by block.h; handlers of instructions (decode/) read and write its rows.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/cuda/simulated/machine/global_memory.h"
#include "backends/cuda/simulated/machine/program.h"

namespace tessera::cuda::simulated {

class Block;

// How a value of T is stored in a lane of a row: its bits, zero-extended.
template <class T>
using SlotOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
T fromSlot(SlotOf<T> slot) {
  if constexpr (sizeof(T) == sizeof(slot))
    return std::bit_cast<T>(slot);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<uint16_t>(slot));
  else
    return std::bit_cast<T>(static_cast<uint8_t>(slot));
}
template <class T>
SlotOf<T> toSlot(T value) {
  if constexpr (sizeof(T) == sizeof(SlotOf<T>))
    return std::bit_cast<SlotOf<T>>(value);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<uint16_t>(value);
  else
    return std::bit_cast<uint8_t>(value);
}

template <class Fn>
void forLanes(LaneMask active, Fn&& fn) {
  if (active == kAllLanes)
    for (int lane = 0; lane < kLanes; ++lane) fn(lane);
  else
    for (LaneMask left = active; left; left &= left - 1) fn(std::countr_zero(left));
}

// A copy to shared memory that cp.async has begun.
struct PendingCopy {
  uint32_t group = 0, site = 0;
  int lane = 0;
  uint64_t to = 0;
  unsigned bytes = 0;
  std::array<std::byte, 16> value = {};
};

// What wgmma has begun: sums that come to registers, and 16 bytes of shared memory each that are read. Both belong to
// the group that was open then.
struct PendingSums {
  uint32_t group = 0, site = 0;
  std::vector<uint32_t> rows;
  std::vector<std::array<uint32_t, kLanes>> values;  // by row
};
struct PendingRead {
  uint32_t group = 0;
  uint64_t address = 0;
};
struct PendingProducts {
  uint32_t group = 0;     // the open one
  bool isFenced = false;  // by wgmma.fence, since the last wait
  std::vector<PendingSums> sums;
  std::vector<PendingRead> reads;
};

class Warp {
 public:
  enum class Outcome : uint8_t { Finished, Waiting, Working };

  explicit Warp(const Kernel& kernel);
  void begin(Block& block, unsigned number, LaneMask lanes);
  // At most that many instructions, fewer where it sleeps.
  Outcome run(int64_t instructions);

  template <class T>
  SlotOf<T>* row(uint32_t offset) {
    return reinterpret_cast<SlotOf<T>*>(rows_.data() + offset);
  }
  LaneMask& predicate(uint32_t number) { return predicates_[number]; }
  std::byte* local(int lane) { return local_.data() + static_cast<size_t>(lane) * localBytes(); }
  uint64_t localBytes() const { return static_cast<uint64_t>(kernel_.localBytes); }
  const Kernel& kernel() const { return kernel_; }
  Block& block() { return *block_; }
  unsigned number() const { return number_; }
  uint32_t thread(int lane) const { return number_ * kLanes + static_cast<uint32_t>(lane); }
  LaneMask live() const { return live_; }
  const MemorySpan*& knownSpan(uint32_t site) { return spans_[site % spans_.size()]; }

  // Lets go what waits at a barrier.
  void passBarrier(uint32_t barrier, uint32_t trueCount, uint32_t allCount);
  bool isReady() const;
  uint32_t site() const;  // the position of one of its splits
                          // The positions of its splits: "warp 0: lanes 0000ffff at line 12: …".
  std::string whereItWaits() const;

  // For bar.red: how many threads came, and with a true predicate.
  uint32_t barrierTrue = 0, barrierAll = 0;
  std::vector<PendingCopy> copies;
  uint32_t copyGroup = 0;
  PendingProducts products;

 private:
  enum class State : uint8_t { Ready, AtBarrier, Converging };
  struct Split {
    uint32_t at = 0;
    LaneMask lanes = 0;
    int32_t join = -1;
    State state = State::Ready;
    uint32_t barrier = 0;
  };
  struct Join {
    uint32_t at = 0;
    LaneMask expected = 0, arrived = 0;
    int32_t parent = -1;
    bool isUsed = false;
  };

  void setSpecials();
  uint32_t specialValue(Special special, int lane) const;
  void runSplit(int64_t& left);
  LaneMask guarded(const Instruction& instruction, LaneMask lanes) const;
  // What a warp's loop does itself; true: the current split goes on, false: one has to be chosen.
  bool control(const Instruction& instruction, LaneMask active);
  bool branch(const Instruction& instruction, LaneMask taken);
  bool branchByTable(const Instruction& instruction, LaneMask active);
  bool converge(const Instruction& instruction, LaneMask active);
  bool waitAtBarrier(const Instruction& instruction, LaneMask active);
  void complainOfDivergence(const Instruction& instruction, LaneMask active);
  bool leave(LaneMask lanes);
  bool trap(const Instruction& instruction, LaneMask active);
  // The current split's lanes that an instruction is not for go on behind it.
  bool passOthers(LaneMask active);
  bool arrive();
  int32_t joinFor(const Instruction& instruction, const Split& split);
  void add(uint32_t at, LaneMask lanes, int32_t join);
  void settle(int32_t join);
  bool choose();
  Split& current() { return splits_.back(); }

  const Kernel& kernel_;
  Block* block_ = nullptr;
  unsigned number_ = 0;
  LaneMask live_ = 0;
  bool sleeps_ = false, hasSpecials_ = false;
  std::vector<std::byte> rows_, local_;
  std::vector<LaneMask> predicates_;
  std::vector<Split> splits_;
  std::vector<Join> joins_;
  std::array<const MemorySpan*, 32> spans_ = {};
};

}  // namespace tessera::cuda::simulated
