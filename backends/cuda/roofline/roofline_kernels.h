// The kernels whose speed is a card's roofline, as PTX: chains of multiply-adds of each type, products on tensor cores,
// and streams through memory. Used by device_roofline.
#pragma once

#include <string>
#include <vector>

namespace tessera::cuda {

// A kernel `name(out, rounds)`: each thread or warp does independent operations; nothing is stored.
struct ArithmeticKernel {
  std::string name, type;  // "fma_f32", "f32"
  double flopsPerThreadRound = 0;
  int firstArchitecture = 70;
};
const std::vector<ArithmeticKernel>& arithmeticKernels();

// All of them that the architecture has, and "read(from, out, words)", "write(to, unused, words)" and
// "copy(from, to, words)" over words of 16 bytes, each thread one a step of the grid.
std::string rooflinePtx(int architecture);

}  // namespace tessera::cuda
