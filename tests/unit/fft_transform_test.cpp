// FourierTransform against sums over all elements: each radix, chirps, lines alone (cut into matrices) and side by side,
// one after the other and interleaved.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/ops/fft_transform.h"

namespace tessera {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> examples(size_t count) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> real(-1, 1);
  std::vector<Complex> out(count);
  for (Complex& x : out) x = {real(random), real(random)};
  return out;
}

// The largest error of a line's transform, as a part of the largest element.
double errorOf(size_t length, size_t count, bool interleaved, bool inverse, size_t line) {
  const size_t lineStep = interleaved ? 1 : length, step = interleaved ? count : 1;
  const std::vector<Complex> given = examples(length * count);
  std::vector<Complex> found = given;
  FourierTransform(length, inverse).apply({found.data(), count, lineStep, step});
  std::vector<Complex> roots(length);
  for (size_t k = 0; k < length; ++k) roots[k] = rootOfUnity(k, length, inverse ? 1 : -1);
  double error = 0, largest = 0;
  for (size_t k = 0; k < length; ++k) {
    Complex sum = 0;
    for (size_t j = 0; j < length; ++j) sum += given[line * lineStep + j * step] * roots[j * k % length];
    if (inverse) sum /= static_cast<double>(length);
    error = std::max(error, std::abs(sum - found[line * lineStep + k * step]));
    largest = std::max(largest, std::abs(sum));
  }
  return error / largest;
}

TEST(FourierTransform, OfLinesSideBySideAndAlone) {
  for (const size_t length : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 29, 30, 31, 32, 37, 60, 127, 256, 257, 360, 961, 1024})
    for (const size_t count : {1, 8, 11})
      for (const bool interleaved : {false, true})
        for (const bool inverse : {false, true})
          EXPECT_LT(errorOf(length, count, interleaved, inverse, count - 1), 1e-13) << length << " x " << count << (interleaved ? " interleaved" : "") << (inverse ? " inverse" : "");
}

// A line's infinities stay in it.
TEST(FourierTransform, KeepsLinesApart) {
  std::vector<Complex> values = examples(8 * 12), clean = values;
  values[12 * 3 + 5] = std::nan("");
  FourierTransform transform(12, false);
  transform.apply({values.data(), 8, 12, 1});
  transform.apply({clean.data(), 8, 12, 1});
  for (size_t i = 0; i < values.size(); ++i) {
    if (i / 12 == 3) EXPECT_TRUE(std::isnan(values[i].real())) << i;
    else EXPECT_EQ(values[i], clean[i]) << i;
  }
}

TEST(FourierTransform, OfNoLinesAndOfNoElements) {
  FourierTransform(8, true).apply({nullptr, 0, 8, 1});
  FourierTransform(0, true).apply({nullptr, 3, 0, 1});
}

}  // namespace
}  // namespace tessera
