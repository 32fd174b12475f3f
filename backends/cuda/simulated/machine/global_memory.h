// The simulated card's memory: allocations at addresses that never come again, so that what points into released memory
// is found, with a guard between them. Every access of a kernel is looked up here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "backends/cuda/device.h"

namespace tessera::cuda::simulated {

struct MemorySpan {
  uint64_t begin = 0, bytes = 0;
  std::byte* host = nullptr;
  bool holds(uint64_t address, uint64_t size) const {
    return address >= begin && address - begin <= bytes && size <= bytes - (address - begin);
  }
};

class GlobalMemory {
 public:
  explicit GlobalMemory(int64_t bytes) : total_(bytes) {}
  Result<DeviceAddress> allocate(int64_t bytes);
  Status release(DeviceAddress address);
  DeviceMemory amount() const { return {.free = total_ - used_, .total = total_}; }
  // The allocation that holds the address; null: none.
  const MemorySpan* find(uint64_t address) const;
  // Host memory of a range that has to be within one allocation.
  Result<std::byte*> range(DeviceAddress address, int64_t bytes, const char* what) const;
  // "4 bytes behind the 1,024 bytes at 0x7f0000000000", for reports.
  std::string describe(uint64_t address) const;

 private:
  struct FreeBytes {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Allocation {
    MemorySpan span;
    std::unique_ptr<std::byte, FreeBytes> memory;
    bool isReleased = false;
  };
  const Allocation* before(uint64_t address) const;

  std::map<uint64_t, Allocation> allocations_;  // by their begin; released ones without memory
  uint64_t next_ = uint64_t{0x7f} << 40;
  int64_t total_, used_ = 0;
};

}  // namespace tessera::cuda::simulated
