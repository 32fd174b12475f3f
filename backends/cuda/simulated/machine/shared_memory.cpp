#include "backends/cuda/simulated/machine/shared_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace tessera::cuda::simulated {

namespace {

constexpr int kPattern = 0xcd;  // of memory that nobody wrote

}  // namespace

void SharedMemory::reset(int64_t bytes, unsigned granule, unsigned warps) {
  bytes_ = bytes;
  granule_ = granule;
  granuleShift_ = std::countr_zero(granule);
  warps_ = warps;
  ++block_;
  data_.resize(static_cast<size_t>(bytes));
  if (bytes) std::memset(data_.data(), kPattern, data_.size());
  const size_t granules = (static_cast<size_t>(bytes) + granule - 1) / granule;
  if (granules_.size() < granules) granules_.resize(granules);
  clocks_.assign(size_t{warps} * warps, 0);
  for (unsigned warp = 0; warp < warps; ++warp) clock(warp, warp) = 1;
  fenced_.assign(warps, 0);
  fencedWrites_.assign(size_t{warps} * kLanes, 0);
  writes_ = 0;
}

SharedConflict SharedMemory::noteGranule(Access access, uint32_t thread, uint32_t site, Granule& granule) {
  using Kind = SharedConflict::Kind;
  if (granule.block != block_) granule = {.block = block_};
  SharedConflict conflict;
  if (granule.copy.happened())
    conflict = {.kind = Kind::Race, .thread = granule.copy.thread, .site = granule.copy.site, .wasWrite = true};
  auto race = [&](const Moment& moment, bool wasWrite) {
    if (conflict.kind == Kind::None && !isBefore(moment, thread))
      conflict = {.kind = Kind::Race, .thread = moment.thread, .site = moment.site, .wasWrite = wasWrite};
  };
  const bool reads = access == Access::Read || access == Access::Product;
  if (!reads && granule.products > 0 && conflict.kind == Kind::None)
    conflict = {.kind = Kind::InProduct, .thread = granule.product.thread, .site = granule.product.site};
  if (access != Access::Write && !granule.write.happened() && conflict.kind == Kind::None)
    conflict.kind = Kind::Uninitialised;
  if (access != Access::Atomic || !granule.write.isAtomic) race(granule.write, true);
  if (!reads) {
    race(granule.read, false);
    race(granule.otherRead, false);
  }
  if (access == Access::Product && conflict.kind == Kind::None && granule.write.happened() && !isFenced(granule))
    conflict = {.kind = Kind::Unfenced, .thread = granule.write.thread, .site = granule.write.site, .wasWrite = true};
  remember(access, thread, site, granule);
  return conflict;
}

void SharedMemory::remember(Access access, uint32_t thread, uint32_t site, Granule& granule) {
  const unsigned warp = thread / kLanes;
  const Moment now{.thread = thread, .clock = clock(warp, warp), .site = site, .isAtomic = access == Access::Atomic};
  if (access == Access::Product) {
    ++granule.products;
    granule.product = now;
  }
  if (access == Access::Write || access == Access::Atomic) {
    granule.write = now;
    granule.writeNumber = ++writes_;
  } else if (granule.read.thread == thread) {
    granule.read = now;
  } else {
    granule.otherRead = std::exchange(granule.read, now);
  }
}

SharedConflict SharedMemory::note(Access access, uint32_t thread, uint32_t site, uint64_t address, unsigned bytes) {
  SharedConflict first;
  overGranules(address, bytes, [&](Granule& granule) {
    const SharedConflict conflict = noteGranule(access, thread, site, granule);
    if (first.kind == SharedConflict::Kind::None) first = conflict;
  });
  return first;
}

void SharedMemory::beginCopy(uint32_t thread, uint32_t site, uint64_t address, unsigned bytes) {
  const unsigned warp = thread / kLanes;
  overGranules(address, bytes,
               [&](Granule& granule) { granule.copy = {.thread = thread, .clock = clock(warp, warp), .site = site}; });
}

void SharedMemory::endCopy(uint64_t address, unsigned bytes) {
  overGranules(address, bytes, [](Granule& granule) { granule.copy = {}; });
}

void SharedMemory::endProduct(uint64_t address, unsigned bytes) {
  overGranules(address, bytes, [](Granule& granule) { --granule.products; });
}

void SharedMemory::blockBarrier(std::span<const unsigned> warps) {
  for (unsigned at = 0; at < warps_; ++at) {
    uint32_t latest = 0;
    for (const unsigned warp : warps) latest = std::max(latest, clock(warp, at));
    for (const unsigned warp : warps) clock(warp, at) = latest;
  }
  for (const unsigned warp : warps) ++clock(warp, warp);
}

void SharedMemory::fence(unsigned warp) {
  for (unsigned at = 0; at < warps_; ++at) {
    const uint32_t latest = std::max(fenced_[at], clock(warp, at));
    fenced_[at] = latest;
    if (at != warp) clock(warp, at) = latest;
  }
  ++clock(warp, warp);
}

}  // namespace tessera::cuda::simulated
