// Factors of decompositions among a program's outputs: found through guards, transposes and calls; equal when their
// products are, different when one factor alone has other signs.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "core/evaluate/evaluate.h"
#include "core/evaluate/factors.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

using Kind = FactoredOutputs::Kind;

Module factorModule(const std::string& text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  inferModule(*read.module);
  return std::move(*read.module);
}

std::string singular(const std::string& outputs, const std::string& shapes) {
  return fmt::format(R"(HloModule svd
ENTRY main {{
  x = f64[3,2]{{1,0}} constant({{{{1, 2}}, {{3, -4}}, {{5, 7}}}})
  d = (f64[3,2]{{0,1}}, f64[2]{{0}}, f64[3,2]{{0,1}}, f64[2,2]{{0,1}}, s32[]) custom-call(x), )"
                     R"(custom_call_target="lapack_dgesdd_ffi", api_version=API_VERSION_TYPED_FFI, )"
                     R"(backend_config={{mode = 83 : ui8}}
  u = f64[3,2]{{1,0}} get-tuple-element(d), index=2
  s = f64[2]{{0}} get-tuple-element(d), index=1
  vt = f64[2,2]{{1,0}} get-tuple-element(d), index=3
  ROOT r = ({}) tuple({})
}})",
                     shapes, outputs);
}

std::vector<Literal> outputsOf(const Module& module) {
  auto out = evaluateModule(module, {});
  EXPECT_TRUE(out) << out.error().toString();
  return out ? *out : std::vector<Literal>();
}

// The literal with a column or row times -1.
Literal flipped(const Literal& literal, int64_t column, int64_t row) {
  Literal out = Literal::fromBytes(literal.shape(), literal.bytes()).value();
  const int64_t columns = literal.shape().dimensions.back();
  const auto data = out.mutableData<double>();
  for (int64_t i = 0; i < static_cast<int64_t>(data.size()); ++i)
    if (i % columns == column || i / columns == row) data[static_cast<size_t>(i)] *= -1;
  return out;
}

const Tolerance kTolerance{1e-9, 1e-12};

TEST(Factors, SingularVectorsAreEqualUpToSigns) {
  const Module module = factorModule(singular("u, s, vt", "f64[3,2]{1,0}, f64[2]{0}, f64[2,2]{1,0}"));
  const auto groups = factoredOutputs(module);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].kind, Kind::Singular);
  EXPECT_EQ(groups[0].factors[0].output, 0);
  EXPECT_EQ(groups[0].factors[1].output, 1);
  EXPECT_EQ(groups[0].factors[2].output, 2);
  const auto found = outputsOf(module);
  EXPECT_TRUE(compareByReconstruction(groups[0],
                                      std::vector{flipped(found[0], 1, -1), found[1], flipped(found[2], -1, 1)}, found,
                                      kTolerance)
                  .equal);
  EXPECT_FALSE(
      compareByReconstruction(groups[0], std::vector{flipped(found[0], 1, -1), found[1], found[2]}, found, kTolerance)
          .equal);
  EXPECT_FALSE(
      compareByReconstruction(groups[0], std::vector{found[0], flipped(found[1], 0, -1), found[2]}, found, kTolerance)
          .equal);
  EXPECT_FALSE(
      compareByReconstruction(groups[0], std::vector{found[0], found[1], flipped(found[2], 0, -1)}, found, kTolerance)
          .equal);
}

TEST(Factors, AFactorByItselfIsComparedUpToPhases) {
  const Module module = factorModule(singular("u", "f64[3,2]{1,0}"));
  const auto groups = factoredOutputs(module);
  ASSERT_EQ(groups.size(), 1u);
  const auto found = outputsOf(module);
  EXPECT_TRUE(compareByReconstruction(groups[0], std::vector{flipped(found[0], 1, -1)}, found, kTolerance).equal);
  EXPECT_FALSE(compareByReconstruction(groups[0], std::vector{flipped(found[0], -1, 1)}, found, kTolerance).equal);
}

// Eigenvectors through a fusion, a guard against failure and a transpose.
constexpr const char* kGuarded = R"(HloModule eigh
guard (v: f64[2,2]) -> f64[2,2] {
  v = f64[2,2]{1,0} parameter(0)
  yes = pred[] constant(true)
  all = pred[2,2]{1,0} broadcast(yes), dimensions={}
  nan = f64[] constant(nan)
  nans = f64[2,2]{1,0} broadcast(nan), dimensions={}
  ROOT s = f64[2,2]{1,0} select(all, v, nans)
}
ENTRY main {
  x = f64[2,2]{1,0} constant({{2, 1}, {1, 3}})
  d = (f64[2,2]{1,0}, f64[2]{0}) custom-call(x), custom_call_target="Eigh", backend_config="1,1,100,1e-14"
  v = f64[2,2]{1,0} get-tuple-element(d), index=0
  w = f64[2]{0} get-tuple-element(d), index=1
  guarded = f64[2,2]{1,0} fusion(v), kind=kLoop, calls=guard
  t = f64[2,2]{1,0} transpose(guarded), dimensions={1,0}
  twice = f64[2,2]{1,0} add(v, v)
  ROOT r = (f64[2,2]{1,0}, f64[2]{0}, f64[2,2]{1,0}) tuple(t, w, twice)
})";

TEST(Factors, AreFollowedThroughGuardsAndTransposes) {
  const Module module = factorModule(kGuarded);
  const auto groups = factoredOutputs(module);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].kind, Kind::Symmetric);
  EXPECT_EQ(groups[0].factors[0].output, 0);
  EXPECT_TRUE(groups[0].factors[0].transposed);
  EXPECT_FALSE(groups[0].has(2));  // computed from a factor, which is none
  const auto found = outputsOf(module);
  EXPECT_TRUE(
      compareByReconstruction(groups[0], std::vector{flipped(found[0], -1, 0), found[1], found[2]}, found, kTolerance)
          .equal);
  EXPECT_FALSE(
      compareByReconstruction(groups[0], std::vector{flipped(found[0], 0, -1), found[1], found[2]}, found, kTolerance)
          .equal);
}

TEST(Factors, QrThroughItsReflectors) {
  const Module module = factorModule(R"(HloModule qr
ENTRY main {
  x = f64[3,2]{1,0} constant({{1, 2}, {3, -4}, {5, 7}})
  d = (f64[3,2]{1,0}, f64[2]{0}) custom-call(x), custom_call_target="Qr"
  packed = f64[3,2]{1,0} get-tuple-element(d), index=0
  taus = f64[2]{0} get-tuple-element(d), index=1
  q = f64[3,2]{1,0} custom-call(packed, taus), custom_call_target="ProductOfElementaryHouseholderReflectors"
  i = s32[3,2]{1,0} iota(), iota_dimension=0
  j = s32[3,2]{1,0} iota(), iota_dimension=1
  upper = pred[3,2]{1,0} compare(i, j), direction=LE
  zero = f64[] constant(0)
  zeros = f64[3,2]{1,0} broadcast(zero), dimensions={}
  r = f64[3,2]{1,0} select(upper, packed, zeros)
  ROOT t = (f64[3,2]{1,0}, f64[3,2]{1,0}) tuple(q, r)
})");
  const auto groups = factoredOutputs(module);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].kind, Kind::Qr);
  const auto found = outputsOf(module);
  EXPECT_TRUE(compareByReconstruction(groups[0], std::vector{flipped(found[0], 0, -1), flipped(found[1], -1, 0)}, found,
                                      kTolerance)
                  .equal);
  EXPECT_FALSE(
      compareByReconstruction(groups[0], std::vector{flipped(found[0], 0, -1), found[1]}, found, kTolerance).equal);
}

TEST(Factors, AProgramWithoutDecompositionsHasNone) {
  EXPECT_TRUE(factoredOutputs(
                  factorModule("HloModule m\nENTRY main {\n  x = f64[2] parameter(0)\n  ROOT r = f64[2] negate(x)\n}"))
                  .empty());
}

}  // namespace
}  // namespace tessera
