// Comparison of values: tolerances at an array's own scale, what has no tolerance, and what never counts as equal.
#include "core/evaluate/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

namespace tessera {
namespace {

using E = ElementType;
constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
Literal arrayOf(E type, std::vector<T> values) {
  Shape shape = Shape::arrayRowMajor(type, {static_cast<int64_t>(values.size())});
  return Literal::fromBytes(shape, std::as_bytes(std::span<const T>(values))).value();
}
Literal comparedFloats(std::vector<float> values) { return arrayOf(E::F32, std::move(values)); }
Literal complexes(std::vector<std::complex<float>> values) { return arrayOf(E::C64, std::move(values)); }

Comparison compare(const Literal& expected, const Literal& found) {
  return compareLiterals(expected, found, defaultTolerance(expected.shape().type), "out0");
}
bool equal(const Literal& expected, const Literal& found) { return compare(expected, found).equal; }

TEST(Compare, TheScaleIsTheArraysOwn) {
  for (const float scale : {1e-30f, 1e-6f, 1.0f, 1e6f, 1e30f}) {
    const Literal expected = comparedFloats({scale, scale / 2, 0});
    EXPECT_TRUE(equal(expected, comparedFloats({scale * 1.001f, scale / 2, scale * 5e-5f}))) << scale;
    EXPECT_FALSE(equal(expected, comparedFloats({scale * 1.003f, scale / 2, 0}))) << scale;
    EXPECT_FALSE(equal(expected, comparedFloats({scale, scale / 2, scale * 2e-4f}))) << scale;
    EXPECT_FALSE(equal(expected, comparedFloats({0, 0, 0}))) << scale;
  }
}

TEST(Compare, TheScaleIsOfFiniteValuesAndOfWhatIsExpected) {
  EXPECT_EQ(scaleOf(comparedFloats({NAN, -3, kInf, 2})), 3);
  EXPECT_EQ(scaleOf(comparedFloats({})), 0);
  EXPECT_EQ(scaleOf(arrayOf<int32_t>(E::S32, {7})), 0);
  EXPECT_FALSE(equal(comparedFloats({kInf, 1}), comparedFloats({kInf, 2})));
  EXPECT_FALSE(equal(comparedFloats({1e-6f, 1e-6f}), comparedFloats({1e6f, 0})));
}

TEST(Compare, ZerosWantZerosButForWhatXlaFlushes) {
  EXPECT_TRUE(equal(comparedFloats({0, 0}), comparedFloats({1e-39f, -0.0f})));
  EXPECT_FALSE(equal(comparedFloats({0, 0}), comparedFloats({1e-9f, 0})));
  EXPECT_TRUE(compareLiterals(comparedFloats({0}), comparedFloats({1e-9f}), {0, 0, 1e-8}, "").equal);
  EXPECT_TRUE(compareLiterals(comparedFloats({0}), comparedFloats({1e-9f}), {1e-3, 1e-3, 1e-8}, "").equal);
  EXPECT_FALSE(compareLiterals(comparedFloats({0}), comparedFloats({1e-39f}), {}, "").equal);
}

TEST(Compare, IntegersAndPredicatesAreExactWhateverTheTolerance) {
  const Tolerance loose{1, 1, 100};
  EXPECT_FALSE(
      compareLiterals(arrayOf<int32_t>(E::S32, {100, 5}), arrayOf<int32_t>(E::S32, {100, 6}), loose, "").equal);
  EXPECT_FALSE(compareLiterals(arrayOf<uint8_t>(E::Pred, {1}), arrayOf<uint8_t>(E::Pred, {0}), loose, "").equal);
  const int64_t large = (int64_t{1} << 60) + 1;  // one number with the next in double precision
  EXPECT_FALSE(
      compareLiterals(arrayOf<int64_t>(E::S64, {large}), arrayOf<int64_t>(E::S64, {large - 1}), loose, "").equal);
}

TEST(Compare, NanAndInfinitiesStandInTheSamePlaces) {
  EXPECT_TRUE(equal(comparedFloats({NAN, kInf, 1}), comparedFloats({NAN, kInf, 1.001f})));
  for (const auto& [expected, found] : {std::pair(1.0f, NAN), std::pair(NAN, 1.0f), std::pair(kInf, -kInf),
                                        std::pair(kInf, 3e38f), std::pair(3e38f, kInf), std::pair(kInf, NAN)}) {
    EXPECT_FALSE(equal(comparedFloats({expected, 1}), comparedFloats({found, 1}))) << expected << " " << found;
    EXPECT_FALSE(equal(complexes({{1, expected}}), complexes({{1, found}}))) << expected << " " << found;
  }
  EXPECT_TRUE(equal(complexes({{NAN, kInf}}), complexes({{NAN, kInf}})));
  EXPECT_FALSE(equal(complexes({{NAN, 1}}), complexes({{1, NAN}})));
}

TEST(Compare, ComplexNumbersByMagnitude) {
  EXPECT_TRUE(equal(complexes({{3e-9f, 4e-9f}, {0, 0}}), complexes({{3e-9f, 4.004e-9f}, {1e-13f, 0}})));
  EXPECT_FALSE(equal(complexes({{3e-9f, 4e-9f}}), complexes({{3e-9f, -4e-9f}})));
}

TEST(Compare, ShapesAndTuples) {
  EXPECT_EQ(compare(comparedFloats({1}), comparedFloats({1, 2})).firstMismatch,
            "out0: expected shape f32[1], found f32[2]");
  const Literal pair = Literal::tuple({comparedFloats({1}), comparedFloats({2})});
  EXPECT_TRUE(compareLiterals(pair, pair, {}, "t").equal);
  const Comparison wrong = compareLiterals(pair, Literal::tuple({comparedFloats({1}), comparedFloats({3})}), {}, "t");
  EXPECT_EQ(wrong.firstMismatch, "t.1[0]: expected 2, found 3");
  EXPECT_FALSE(compareLiterals(pair, Literal::tuple({comparedFloats({1})}), {}, "t").equal);
}

TEST(Compare, SumsUp) {
  Comparison all = compare(comparedFloats({1, kInf}), comparedFloats({1.5f, -kInf}));
  EXPECT_EQ(all.mismatches, 2);
  EXPECT_EQ(all.firstMismatch, "out0[0]: expected 1, found 1.5");
  EXPECT_TRUE(std::isnan(all.maxAbsError));
  EXPECT_NEAR(compare(comparedFloats({1}), comparedFloats({1.5f})).worstShare, 0.5 / 2.1e-3, 1e-6);
  Comparison sum;
  sum.add(compare(comparedFloats({1}), comparedFloats({1})));
  EXPECT_TRUE(sum.equal);
  sum.add(all);
  sum.add(compare(comparedFloats({2}), comparedFloats({1})));
  EXPECT_FALSE(sum.equal);
  EXPECT_EQ(sum.mismatches, 3);
  EXPECT_EQ(sum.firstMismatch, all.firstMismatch);
  EXPECT_TRUE(std::isnan(sum.maxAbsError));
}

}  // namespace
}  // namespace tessera
