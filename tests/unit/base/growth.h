// How work grows with its size, independent of the machine's speed and load: a ratio of processor times in one
// process.
#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace tessera::test {

constexpr double kNearLinear = 9;  // half-way to quadratic

// Of work(size) to work(size / 4): 4 where it is linear, 16 where it is quadratic. Each is the least of several, since
// a cache that was emptied meanwhile or the first use of memory costs as much as a short work. Where four rounds look
// worse than linear, there are more: what a neighbour of the processor takes from some of them is in none of the least.
template <class Work>
double growthToFourfold(int size, Work&& work) {
  constexpr int kRounds = 4, kMostRounds = 16;
  const auto seconds = [&](int of) {
    const std::clock_t begin = std::clock();
    work(of);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  double fewer = std::numeric_limits<double>::max();
  double more = fewer;
  for (int round = 0; round < kRounds || (round < kMostRounds && more > kNearLinear * fewer); ++round) {
    fewer = std::min(fewer, seconds(size / 4));
    more = std::min(more, seconds(size));
  }
  return more / fewer;
}

}  // namespace tessera::test
