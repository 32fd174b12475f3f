// How work grows with its size, told apart from the machine's speed and load: a ratio of processor times in one
// process.
#pragma once

#include <ctime>

namespace tessera::test {

// Of work(size) to work(size / 4): 4 where it is linear, 16 where it is quadratic.
template <class Work>
double growthToFourfold(int size, Work&& work) {
  const auto seconds = [&](int of) {
    const std::clock_t begin = std::clock();
    work(of);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double fewer = seconds(size / 4);
  return seconds(size) / fewer;
}

constexpr double kNearLinear = 9;  // half-way to quadratic

}  // namespace tessera::test
