// gemm of f32 and f64 against sums of whole numbers, which every order of additions gets right: edges of tiles and
// blocks, every combination of views, every width of vectors that this processor has. What surrounds the matrices is
// NaN and stays so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "backends/runtime/gemm/gemm.h"

namespace tessera::cpu {
namespace {

template <class Real>
constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();

template <class>
class GemmOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(GemmOf, Reals);

// A matrix inside a larger array of NaN.
template <class Real>
struct Inside {
  MatrixView view;
  std::vector<Real> all;
  static constexpr size_t kBefore = 7;
  Inside(int64_t rows, int64_t columns, bool transposed, int64_t gap)
      : view{transposed, (transposed ? rows : columns) + gap},
        all(static_cast<size_t>((transposed ? columns : rows) * view.ld) + 2 * kBefore, kNone<Real>) {}
  Real& at(int64_t i, int64_t j) { return all[kBefore + static_cast<size_t>(i * view.row() + j * view.column())]; }
  Real* data() { return all.data() + kBefore; }
};

std::vector<GemmVectors> widths() {
  std::vector<GemmVectors> out{GemmVectors::Sse};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out.push_back(GemmVectors::Avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) out.push_back(GemmVectors::Avx512);
  return out;
}

int whole(int64_t i, int64_t j, int64_t salt) {
  return static_cast<int>((i * 31 + j * 17 + i * j * 7 + salt) % 15) - 7;
}

struct Size {
  int64_t m, n, k;
};

std::vector<int> expectedOf(const Size& size) {
  std::vector<int> out(static_cast<size_t>(size.m * size.n), 0);
  for (int64_t i = 0; i < size.m; ++i)
    for (int64_t s = 0; s < size.k; ++s)
      for (int64_t j = 0; j < size.n; ++j) out[static_cast<size_t>(i * size.n + j)] += whole(i, s, 1) * whole(s, j, 5);
  return out;
}

struct Form {
  bool leftTransposed, rightTransposed, hasScratch;
  int64_t gap;
  GemmVectors vectors;
};

// As much as a product may ask for, at an aligned place.
template <class Real>
class Scratch {
 public:
  Real* data() { return all_.data() + (64 - reinterpret_cast<uintptr_t>(all_.data()) % 64) % 64 / sizeof(Real); }

 private:
  std::vector<Real> all_ = std::vector<Real>(static_cast<size_t>(gemmScratch<Real>(10'000, 10'000)) + 16, kNone<Real>);
};

template <class Real>
void expectProduct(const Size& size, const std::vector<int>& expected, const Form& form) {
  const auto& [leftTransposed, rightTransposed, hasScratch, gap, vectors] = form;
  Inside<Real> left(size.m, size.k, leftTransposed, gap), right(size.k, size.n, rightTransposed, gap),
      out(size.m, size.n, false, gap);
  for (int64_t i = 0; i < size.m; ++i)
    for (int64_t s = 0; s < size.k; ++s) left.at(i, s) = static_cast<Real>(whole(i, s, 1));
  for (int64_t s = 0; s < size.k; ++s)
    for (int64_t j = 0; j < size.n; ++j) right.at(s, j) = static_cast<Real>(whole(s, j, 5));
  static Scratch<Real> scratch;
  gemm<Real>({size.m, size.n, size.k, left.data(), right.data(), left.view, right.view, out.data(), out.view.ld},
             vectors, hasScratch ? scratch.data() : nullptr);
  const std::string which = std::to_string(size.m) + "x" + std::to_string(size.n) + "x" + std::to_string(size.k) +
                            (leftTransposed ? " T" : " N") + (rightTransposed ? "T" : "N") + " gap " +
                            std::to_string(gap) + " vectors " + std::to_string(static_cast<int>(vectors));
  size_t written = 0;
  for (Real x : out.all) written += std::isnan(x) ? 0 : 1;
  ASSERT_EQ(written, expected.size()) << which;
  for (int64_t i = 0; i < size.m; ++i)
    for (int64_t j = 0; j < size.n; ++j)
      ASSERT_EQ(out.at(i, j), static_cast<Real>(expected[static_cast<size_t>(i * size.n + j)]))
          << which << " at " << i << ", " << j;
}

template <class Real>
void expectAllForms(const Size& size) {
  const std::vector<int> expected = expectedOf(size);
  for (GemmVectors vectors : widths())
    for (bool left : {false, true})
      for (bool right : {false, true})
        for (int64_t gap : {0, 3})
          ASSERT_NO_FATAL_FAILURE(expectProduct<Real>(size, expected, {left, right, gap > 0, gap, vectors}));
}

TYPED_TEST(GemmOf, EdgesOfTiles) {
  for (int64_t m : {1, 2, 3, 4, 5, 7, 11, 12, 13, 25, 70})
    for (int64_t n : {1, 2, 4, 5, 9, 15, 16, 17, 31, 33, 48, 65, 127, 130})
      for (int64_t k : {1, 2, 17, 64, 70}) ASSERT_NO_FATAL_FAILURE(expectAllForms<TypeParam>({m, n, k}));
}

TYPED_TEST(GemmOf, EdgesOfBlocks) {
  for (const Size& size : {Size{26, 300, 400}, Size{13, 129, 769}, Size{1, 200, 800}, Size{3, 520, 385},
                           Size{9, 40, 900}, Size{64, 8, 777}})
    ASSERT_NO_FATAL_FAILURE(expectAllForms<TypeParam>(size));
}

// What one element of a side is, no other row or column sees.
TYPED_TEST(GemmOf, NotANumberStaysInItsRowAndColumn) {
  constexpr int64_t kSize = 20;
  for (GemmVectors vectors : widths())
    for (bool transposed : {false, true}) {
      std::vector<TypeParam> left(kSize * kSize, 1), right(kSize * kSize, 1), out(kSize * kSize);
      left[3 * kSize + 4] = kNone<TypeParam>;
      right[static_cast<size_t>(transposed ? 17 * kSize + 5 : 5 * kSize + 17)] =
          std::numeric_limits<TypeParam>::infinity();
      gemm<TypeParam>(
          {kSize, kSize, kSize, left.data(), right.data(), {false, kSize}, {transposed, kSize}, out.data(), kSize},
          vectors, nullptr);
      for (int64_t i = 0; i < kSize; ++i)
        for (int64_t j = 0; j < kSize; ++j) {
          const TypeParam found = out[static_cast<size_t>(i * kSize + j)];
          if (i == 3)
            EXPECT_TRUE(std::isnan(found));
          else
            EXPECT_EQ(found, j == 17 ? std::numeric_limits<TypeParam>::infinity() : TypeParam(20));
        }
    }
}

// Blocks of rows, as threads take them, have the bits of the whole.
TYPED_TEST(GemmOf, CutsGiveTheSameBits) {
  constexpr int64_t m = 50, n = 150, k = 900;
  std::vector<TypeParam> left(m * k), right(k * n), whole(m * n), cut(m * n);
  for (size_t i = 0; i < left.size(); ++i) left[i] = std::sin(static_cast<TypeParam>(i));
  for (size_t i = 0; i < right.size(); ++i) right[i] = std::cos(static_cast<TypeParam>(3 * i));
  const MatrixView rows{false, k}, columns{false, n};
  Scratch<TypeParam> scratch;
  for (GemmVectors vectors : widths()) {
    gemm<TypeParam>({m, n, k, left.data(), right.data(), rows, columns, whole.data(), n}, vectors, scratch.data());
    for (int64_t first = 0, count; first < m; first += count) {
      count = std::min<int64_t>(17, m - first);
      gemm<TypeParam>({count, n, k, left.data() + first * k, right.data(), rows, columns, cut.data() + first * n, n},
                      vectors, nullptr);
    }
    EXPECT_EQ(std::memcmp(whole.data(), cut.data(), whole.size() * sizeof(TypeParam)), 0);
  }
}

}  // namespace
}  // namespace tessera::cpu
