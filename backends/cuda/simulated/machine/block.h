// A block of threads: its warps, shared memory and barriers. A block can be left and gone on with, since one may wait
// for what another does. Run by grid.h.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/simulated/machine/access_patterns.h"
#include "backends/cuda/simulated/machine/shared_memory.h"
#include "backends/cuda/simulated/machine/warp.h"

namespace tessera::cuda::simulated {

// What all blocks of a launch share.
struct GridSetting {
  const Kernel& kernel;
  Extent3 grid, block;
  unsigned dynamicSharedBytes = 0;
  std::span<const std::byte> parameters;
  const GlobalMemory& memory;
  const std::atomic<bool>* cancel = nullptr;
  uint32_t gridNumber = 0;

  uint64_t blocks() const { return uint64_t{grid.x} * grid.y * grid.z; }
  unsigned threads() const { return block.x * block.y * block.z; }
  bool isCancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
};

// What one thread of the CPU learns while it runs blocks.
struct Findings {
  explicit Findings(size_t sites) : patterns(sites) {}
  ReportList reports;
  AccessPatterns patterns;
  std::optional<std::string> failure;  // a trap, or a deadlocked block
  uint64_t failedBlock = 0;
};

class Block {
 public:
  enum class Outcome : uint8_t { Finished, Working, Failed };

  Block(const GridSetting& setting, Findings& findings);
  // Memory of the host that a block's registers and local memory take.
  static int64_t bytesFor(const GridSetting& setting);
  void begin(uint64_t number);
  // Each warp in turn, at most `turns` times.
  Outcome run(int turns);

  const GridSetting& setting() const { return setting_; }
  Findings& findings() { return findings_; }
  SharedMemory& shared() { return shared_; }
  uint64_t number() const { return number_; }
  Extent3 index() const { return index_; }
  // "thread (1,0,0) of block (2,0,0)"
  std::string nameOfThread(uint32_t thread) const;

  // Lanes of a warp come to a barrier of so many threads (0: all that live), isTrue with a true predicate.
  void arrive(Warp& warp, LaneMask lanes, uint32_t barrier, uint32_t threads, LaneMask isTrue);
  void noteExit();
  void fail(std::string message);
  bool hasFailed() const { return hasFailed_; }
  int64_t sharedBytes() const { return shared_.bytes(); }

 private:
  struct Barrier {
    uint32_t arrived = 0, expected = 0, trueCount = 0;  // expected 0: all threads that live
    uint64_t warps = 0;                                 // a bit each
  };
  uint32_t liveThreads() const;
  void checkBarrier(uint32_t number);
  bool anyCanWork() const;
  void standStill();
  uint32_t waitingSite() const;

  const GridSetting& setting_;
  Findings& findings_;
  SharedMemory shared_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::array<Barrier, 16> barriers_;
  uint64_t number_ = 0;
  Extent3 index_;
  bool hasFailed_ = false;
};

}  // namespace tessera::cuda::simulated
