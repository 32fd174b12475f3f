// The kernels whose speed is a card's roofline, as PTX: chains of multiply-adds of each type, products on tensor cores,
// and streams through memory. Used by device_roofline.
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/program/architecture.h"

namespace tessera::cuda {

// A kernel `name(out, rounds)`: each thread or warp does independent operations; nothing is stored.
struct ArithmeticKernel {
  std::string name, type;  // "fma_f32", "f32"
  double flopsPerThreadRound = 0;
};
// By type the fastest that the architecture has.
std::vector<ArithmeticKernel> arithmeticKernels(const Architecture& architecture);

// All of them, and "read(from, out, words)", "write(to, unused, words)" and
// "copy(from, to, words)" over words of 16 bytes, each thread one a step of the grid.
std::string rooflinePtx(const Architecture& architecture);

}  // namespace tessera::cuda
