// Roofline: what this machine can do at most, measured: multiply-adds a second by type and bytes a second by level of
// memory, on one core and on all. The bound that a kernel is held against. Stands beside the backends; needs none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct ArithmeticPeak {
  std::string type;                  // "f32", "f64", and where the processor has instructions for them "bf16", "s8"
  double oneCore = 0, allCores = 0;  // operations a second, a multiply-add is two
};

struct MemoryPeak {
  std::string level;                 // "L1", "L2", "L3", "memory"
  std::string how;                   // "read", "copy" (bytes read and written)
  double oneCore = 0, allCores = 0;  // bytes a second
  int64_t capacity = 0;              // bytes that those of all cores hold; 0: not told, and of memory
};

struct Roofline {
  int cores = 0;
  std::string processor;
  std::vector<ArithmeticPeak> arithmetic;
  std::vector<MemoryPeak> memory;

  // Least nanoseconds on all cores for so much work on data in memory; 0 where nothing was measured for the type.
  double attainableNs(const std::string& type, double flops, double bytes) const;
};

// Takes about `seconds` a figure; the best of several short tries.
Roofline measureRoofline(double seconds = 0.05);
std::string processorName();  // "": the system does not say

}  // namespace tessera
