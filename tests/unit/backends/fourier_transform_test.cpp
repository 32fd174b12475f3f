// FourierTransform against sums over all elements, in both precisions: each radix, chirps, lines alone (cut into
// matrices) and side by side, one after the other and interleaved, in place and not; lines of real numbers as complex
// ones of half the length. With vectors of each width that the processor has.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "core/fourier/transform.h"

namespace tessera {
namespace {

template <class Real>
std::vector<std::complex<Real>> examples(size_t count) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> real(-1, 1);
  std::vector<std::complex<Real>> out(count);
  for (auto& x : out) x = std::complex<Real>(static_cast<Real>(real(random)), static_cast<Real>(real(random)));
  return out;
}

template <class Real>
void transform(const FourierTransform<Real>& transform, const FourierLines<Real>& from, const FourierLines<Real>& to) {
  std::vector<Real> line(transform.lineSize()), lanes(transform.lanesSize());
  transform.apply(from, to, {line.data(), lanes.data(), {}});
}

// fn() with each width of vectors.
template <class Fn>
void forWidths(const Fn& fn) {
  for (const size_t bytes : {16, 32, 64}) {
    limitFourierVectors(bytes);
    fn();
  }
}

// The largest error of a line's transform, as a part of the largest element.
template <class Real>
double errorOf(size_t length, size_t count, bool interleaved, bool inverse, size_t line, bool inPlace) {
  const size_t lineStep = interleaved ? 1 : length, step = interleaved ? count : 1;
  std::vector<std::complex<Real>> given = examples<Real>(length * count);
  const FourierTransform<Real> transformOfLength(length, inverse, interleaved);
  std::vector<std::vector<std::complex<Real>>> found;  // by width
  forWidths([&] {
    auto& to = found.emplace_back(given);
    transform(transformOfLength, {inPlace ? to.data() : given.data(), count, lineStep, step},
              {to.data(), count, lineStep, step});
  });
  std::vector<std::complex<double>> roots(length);
  for (size_t k = 0; k < length; ++k) roots[k] = rootOfUnity(k, length, inverse ? 1 : -1);
  double error = 0, largest = 0;
  for (size_t k = 0; k < length; ++k) {
    std::complex<double> sum = 0;
    for (size_t j = 0; j < length; ++j)
      sum += std::complex<double>(given[line * lineStep + j * step]) * roots[j * k % length];
    if (inverse) sum /= static_cast<double>(length);
    for (const auto& each : found)
      error = std::max(error, std::abs(sum - std::complex<double>(each[line * lineStep + k * step])));
    largest = std::max(largest, std::abs(sum));
  }
  return error / largest;
}

TEST(FourierTransform, OfLinesSideBySideAndAlone) {
  for (const size_t length : {1,  2,  3,   4,   5,   6,   7,   8,   12,  16,   29,   30,   31,  32,
                              37, 60, 127, 256, 257, 347, 360, 401, 961, 1009, 1024, 1280, 2310})
    for (const size_t count : {1, 19})
      for (const bool interleaved : {false, true})
        for (const bool inverse : {false, true}) {
          const std::string what = std::to_string(length) + " x " + std::to_string(count) +
                                   (interleaved ? " interleaved" : "") + (inverse ? " inverse" : "");
          for (const size_t line : {size_t{0}, count - 1}) {  // among many, and of those that are left
            EXPECT_LT(errorOf<double>(length, count, interleaved, inverse, line, inverse), 2e-15 * 8) << what;
            EXPECT_LT(errorOf<float>(length, count, interleaved, inverse, line, inverse), 1e-6) << what;
          }
        }
}

// Of 2·half real numbers as `half` complex ones, and back.
template <class Real>
double errorOfHalves(size_t half) {
  const std::vector<std::complex<Real>> given = examples<Real>(half);
  std::vector<std::complex<Real>> whole(2 * half), line(half + 1), back(half);
  for (size_t i = 0; i < half; ++i) {
    whole[2 * i] = given[i].real();
    whole[2 * i + 1] = given[i].imag();
    line[i] = given[i];
  }
  const auto roots = rootsOfUnity<Real>(2 * half, -1);
  transform(FourierTransform<Real>(half, false, false), {line.data(), 1, half, 1}, {line.data(), 1, half, 1});
  joinHalves<Real>(line.data(), half, roots.data());
  transform(FourierTransform<Real>(2 * half, false, false), {whole.data(), 1, half, 1}, {whole.data(), 1, half, 1});
  double error = 0, largest = 0;
  for (size_t k = 0; k <= half; ++k) {
    error = std::max<double>(error, std::abs(line[k] - whole[k]));
    largest = std::max<double>(largest, std::abs(whole[k]));
  }
  line[0].imag(7);
  line[half].imag(-3);
  partHalves<Real>(line.data(), back.data(), half, roots.data());
  transform(FourierTransform<Real>(half, true, false), {back.data(), 1, half, 1}, {back.data(), 1, half, 1});
  for (size_t i = 0; i < half; ++i) error = std::max<double>(error, std::abs(back[i] - given[i]));
  return error / largest;
}

// 256 has small factors, 508 = 4 · 127 has not.
TEST(FourierTransform, OfPrimesNextToSmallFactorsNeedsNoPadding) {
  const auto elements = [](size_t length) {
    return FourierTransform<float>(length, false, false).lanesSize() / kLaneElement<float>;
  };
  EXPECT_EQ(elements(257), 2 * 257u);
  EXPECT_EQ(elements(401), 2 * 401u);
  EXPECT_EQ(elements(509), 2 * 1024u);
}

TEST(FourierTransform, OfRealLinesAsHalfAsManyComplexNumbers) {
  forWidths([] {
    for (const size_t half : {1, 2, 3, 4, 15, 16, 31, 32, 33, 34, 35, 64, 200, 1000}) {
      EXPECT_LT(errorOfHalves<double>(half), 2e-15) << half;
      EXPECT_LT(errorOfHalves<float>(half), 1e-6) << half;
    }
  });
}

// A line's infinities stay in it.
TEST(FourierTransform, KeepsLinesApart) {
  auto values = examples<float>(16 * 12), clean = values;
  values[12 * 3 + 5] = std::nanf("");
  const FourierTransform<float> transformOf12(12, false, false);
  transform(transformOf12, {values.data(), 16, 12, 1}, {values.data(), 16, 12, 1});
  transform(transformOf12, {clean.data(), 16, 12, 1}, {clean.data(), 16, 12, 1});
  for (size_t i = 0; i < values.size(); ++i) {
    if (i / 12 == 3)
      EXPECT_TRUE(std::isnan(values[i].real())) << i;
    else
      EXPECT_EQ(values[i], clean[i]) << i;
  }
}

TEST(FourierTransform, KnowsWhatIsNotFinite) {
  std::vector<float> values(100, 3e38F);
  EXPECT_TRUE(allFinite(values.data(), values.size()));
  forWidths([&] {
    for (const size_t at : {0, 15, 16, 95, 96, 99}) {
      for (const float bad : {INFINITY, -INFINITY, std::nanf("")}) {
        values[at] = bad;
        EXPECT_FALSE(allFinite(values.data(), values.size())) << at;
      }
      values[at] = 0;
    }
  });
}

TEST(FourierTransform, OfNoLinesAndOfNoElements) {
  transform(FourierTransform<double>(8, true, false), {nullptr, 0, 8, 1}, {nullptr, 0, 8, 1});
  transform(FourierTransform<double>(0, true, false), {nullptr, 3, 0, 1}, {nullptr, 3, 0, 1});
}

}  // namespace
}  // namespace tessera
