// A block's shared memory with shadow memory: the last writer and readers of each granule. Finds races and reads of
// uninitialised bytes. Each warp has a logical clock, which barriers synchronise (as in FastTrack): an
// access happened before another if its warp's clock then is known to the other's warp now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/simulated/machine/program.h"

namespace tessera::cuda::simulated {

// Product: wgmma reads it, from then on until the product has been waited for.
enum class Access : uint8_t { Read, Write, Atomic, Product };

// What an access to shared memory is at odds with.
struct SharedConflict {
  // InProduct: a product still reads it. Unfenced: written without fence.proxy.async before a product reads it.
  enum class Kind : uint8_t { None, Race, Uninitialised, InProduct, Unfenced };
  Kind kind = Kind::None;
  uint32_t thread = 0, site = 0;  // of the earlier access
  bool wasWrite = false;
};

class SharedMemory {
 public:
  // For a block that begins; keeps its memory from the one before, filled with a pattern.
  void reset(int64_t bytes, unsigned granule, unsigned warps);
  std::byte* data() { return data_.data(); }
  int64_t bytes() const { return bytes_; }

  // The first conflict of a thread's access to bytes that exist.
  SharedConflict note(Access access, uint32_t thread, uint32_t site, uint64_t address, unsigned bytes);
  // A copy is on its way to bytes that exist, or has come there: until then every other access is a race with it.
  void beginCopy(uint32_t thread, uint32_t site, uint64_t address, unsigned bytes);
  void endCopy(uint64_t address, unsigned bytes);
  // A product that has read the bytes (Access::Product) is there.
  void endProduct(uint64_t address, unsigned bytes);
  // fence.proxy.async: what the thread wrote before can be read by products.
  void fenceForProducts(uint32_t thread) { fencedWrites_[thread] = writes_; }
  // All lanes of a warp have waited for each other.
  void warpBarrier(unsigned warp) { ++clock(warp, warp); }
  // These warps have waited for each other.
  void blockBarrier(std::span<const unsigned> warps);
  // A fence: what came before in any warp that fenced is before what follows here.
  void fence(unsigned warp);

 private:
  struct Moment {
    uint32_t thread = ~uint32_t{0}, clock = 0, site = 0;
    bool isAtomic = false;
    bool happened() const { return thread != ~uint32_t{0}; }
  };
  struct Granule {
    uint32_t block = 0;                   // which block's; another one's: nothing happened yet
    Moment write, read, otherRead, copy;  // copy: has not come yet
    uint32_t writeNumber = 0;             // of all writes of the block
    uint32_t products = 0;                // that have not ended
    Moment product;                       // the last of these
  };
  // Calls visit with each granule of the bytes.
  template <class Visit>
  void overGranules(uint64_t address, unsigned bytes, const Visit& visit) {
    const uint64_t end = (address + bytes + granule_ - 1) >> granuleShift_;
    for (uint64_t granule = address >> granuleShift_; granule < end; ++granule) visit(granules_[granule]);
  }
  uint32_t& clock(unsigned of, unsigned at) { return clocks_[size_t{of} * warps_ + at]; }
  bool isBefore(const Moment& moment, uint32_t thread) {
    if (!moment.happened() || moment.thread == thread) return true;
    const unsigned mine = thread / kLanes, its = moment.thread / kLanes;
    return mine == its ? moment.clock < clock(mine, mine) : moment.clock <= clock(mine, its);
  }
  SharedConflict noteGranule(Access access, uint32_t thread, uint32_t site, Granule& granule);
  void remember(Access access, uint32_t thread, uint32_t site, Granule& granule);
  bool isFenced(const Granule& granule) const { return granule.writeNumber <= fencedWrites_[granule.write.thread]; }

  std::vector<std::byte> data_;
  std::vector<Granule> granules_;
  std::vector<uint32_t> clocks_, fenced_;
  std::vector<uint32_t> fencedWrites_;  // by thread
  uint32_t writes_ = 0;
  int64_t bytes_ = 0;
  unsigned granule_ = 4, warps_ = 1;
  int granuleShift_ = 2;
  uint32_t block_ = 0;
};

}  // namespace tessera::cuda::simulated
