// One transform of kLanes lines that lie side by side: Stockham's passes, one a radix, from one buffer to the other and back.
// Stands below fft_transform.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace tessera {

inline constexpr size_t kFourierLanes = 8;
inline constexpr size_t kLargestRadix = 31;  // longer prime factors go through the chirp

// Element i of lane l at re[i * kFourierLanes + l], and im.
struct LaneBuffer {
  double* re;
  double* im;
};

// `roots[k]`: exp(∓2πi k / length). True: the result is in `from`, else in `to`.
bool transformLanes(LaneBuffer from, LaneBuffer to, size_t length, std::span<const size_t> factors, std::span<const std::complex<double>> roots);

}  // namespace tessera
