// Sizes that follow through operations of few programs: transforms, batch norm, top-k, scan, grouped and scaled
// products, solvers, gathers over devices. Each is resized at one spot and verified; what cannot follow says why.
#include <gtest/gtest.h>

#include "core/edit/sizes/sizes.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

Module readClean(const std::string& body, const std::string& before = "") {
  ReadResult read = readHloText("HloModule m\n" + before + "\nENTRY main {\n" + body + "}\n");
  EXPECT_TRUE(read.module) << (read.diagnostics.empty() ? "" : read.diagnostics.items()[0].toString());
  if (!read.module) return Module();
  inferModule(*read.module);
  const Diagnostics found = verify(*read.module);
  EXPECT_FALSE(found.hasErrors()) << found.items()[0].toString();
  return std::move(*read.module);
}

struct ResizedModule {
  Module module;
  std::vector<std::string> stops;
  std::string shape(const char* name) const {
    return toString(module.shapeOf(module.findInstruction(name).value()), false);
  }
};

ResizedModule resizedAt(const Module& module, const char* spot, int64_t size) {
  const Sizes sizes(module);
  const SizeWish wish{dimensionNamed(module, spot).value(), size};
  const Resizing resizing = sizes.resized(std::span(&wish, 1)).value();
  auto done = apply(module, resizing.edit);
  EXPECT_TRUE(done) << done.error().toString();
  ResizedModule out{done ? done->module : module, {}};
  for (const auto& stop : resizing.stops) out.stops.push_back(stop.text);
  return out;
}

// Resized without a stop, verified, and back again as it was.
ResizedModule clean(const Module& module, const char* spot, int64_t size) {
  ResizedModule out = resizedAt(module, spot, size);
  for (const std::string& stop : out.stops) ADD_FAILURE() << spot << ": " << stop;
  const Diagnostics found = verify(out.module);
  EXPECT_FALSE(found.hasErrors()) << spot << ": " << (found.empty() ? "" : found.items()[0].toString()) << "\n"
                                  << printHloText(out.module);
  const std::string name = std::string(spot).substr(0, std::string(spot).find(':'));
  const auto before = module.shapeOf(module.findInstruction(name).value())
                          .dimensions[std::stoul(std::string(spot).substr(name.size() + 1))];
  EXPECT_EQ(printHloText(resizedAt(out.module, spot, before).module), printHloText(module)) << spot;
  return out;
}

TEST(SizesOfOps, TransformsKeepTheirLengths) {
  const Module m =
      readClean("  x = c64[3,8]{1,0} parameter(0)\n  ROOT f = c64[3,8]{1,0} fft(x), fft_type=FFT, fft_length={8}\n");
  EXPECT_EQ(clean(m, "x:0", 5).shape("f"), "c64[5,8]");
  const ResizedModule longer = clean(m, "x:1", 12);
  EXPECT_EQ(longer.shape("f"), "c64[3,12]");
  EXPECT_NE(printHloText(longer.module).find("fft_length={12}"), std::string::npos);
}

TEST(SizesOfOps, RealTransformsHaveAHalf) {
  const Module m = readClean(R"(  x = f32[3,8]{1,0} parameter(0)
  f = c64[3,5]{1,0} fft(x), fft_type=RFFT, fft_length={8}
  ROOT back = f32[3,8]{1,0} fft(f), fft_type=IRFFT, fft_length={8}
)");
  const ResizedModule out = clean(m, "x:1", 16);
  EXPECT_EQ(out.shape("f"), "c64[3,9]");
  EXPECT_EQ(out.shape("back"), "f32[3,16]");
}

TEST(SizesOfOps, BatchNormHasOneElementAFeature) {
  const Module m = readClean(R"(  x = f32[4,5,6]{2,1,0} parameter(0)
  scale = f32[6]{0} parameter(1)
  shift = f32[6]{0} parameter(2)
  norm = (f32[4,5,6]{2,1,0}, f32[6]{0}, f32[6]{0}) batch-norm-training(x, scale, shift), epsilon=0.001, )"
                             R"(feature_index=2
  y = f32[4,5,6]{2,1,0} get-tuple-element(norm), index=0
  mean = f32[6]{0} get-tuple-element(norm), index=1
  var = f32[6]{0} get-tuple-element(norm), index=2
  again = f32[4,5,6]{2,1,0} batch-norm-inference(y, scale, shift, mean, var), epsilon=0.001, feature_index=2
  ROOT grad = (f32[4,5,6]{2,1,0}, f32[6]{0}, f32[6]{0}) batch-norm-grad(x, scale, mean, var, again), )"
                             R"(epsilon=0.001, feature_index=2
)");
  const ResizedModule features = clean(m, "scale:0", 9);
  EXPECT_EQ(features.shape("x"), "f32[4,5,9]");
  EXPECT_EQ(features.shape("grad"), "(f32[4,5,9], f32[9], f32[9])");
  EXPECT_EQ(clean(m, "x:0", 7).shape("again"), "f32[7,5,6]");
}

TEST(SizesOfOps, TopKOfLongerLinesAndMoreOfThem) {
  const Module m =
      readClean("  x = f32[4,9]{1,0} parameter(0)\n  ROOT t = (f32[4,3]{1,0}, s32[4,3]{1,0}) topk(x), k=3\n");
  EXPECT_EQ(clean(m, "x:1", 20).shape("t"), "(f32[4,3], s32[4,3])");
  EXPECT_EQ(clean(m, "x:0", 6).shape("t"), "(f32[6,3], s32[6,3])");
  EXPECT_FALSE(verify(resizedAt(m, "x:1", 2).module).hasErrors() &&
               resizedAt(m, "x:1", 2).stops.empty());  // fewer than k
}

TEST(SizesOfOps, AScanHasMoreStepsOrWiderSlices) {
  const Module m = readClean(R"(  x = f32[7,5]{1,0} parameter(0)
  c = f32[5]{0} parameter(1)
  ROOT s = (f32[7,5]{1,0}, f32[5]{0}) scan(x, c), dimensions={0}, num_carries=1, to_apply=next
)",
                             R"(next {
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  d = f32[5]{0} add(a, b)
  ROOT t = (f32[5]{0}, f32[5]{0}) tuple(d, d)
}
)");
  EXPECT_EQ(clean(m, "x:0", 11).shape("s"), "(f32[11,5], f32[5])");
  const ResizedModule wide = clean(m, "c:0", 3);
  EXPECT_EQ(wide.shape("s"), "(f32[7,3], f32[3])");
  EXPECT_EQ(wide.shape("d"), "f32[3]");
}

TEST(SizesOfOps, RaggedProducts) {
  const Module m = readClean(R"(  x = f32[11,5]{1,0} parameter(0)
  w = f32[3,5,7]{2,1,0} parameter(1)
  g = s32[3]{0} parameter(2)
  ROOT r = f32[11,7]{1,0} ragged-dot(x, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, )"
                             R"(lhs_ragged_dims={0}, rhs_group_dims={0}
)");
  EXPECT_EQ(clean(m, "g:0", 4).shape("w"), "f32[4,5,7]");
  EXPECT_EQ(clean(m, "x:1", 6).shape("w"), "f32[3,6,7]");
  EXPECT_EQ(clean(m, "w:2", 2).shape("r"), "f32[11,2]");
  EXPECT_EQ(clean(m, "x:0", 20).shape("r"), "f32[20,7]");
}

TEST(SizesOfOps, ScalesOfBlocksFollowTheirBlocks) {
  const Module m = readClean(R"(  x = f32[4,64]{1,0} parameter(0)
  w = f32[64,6]{1,0} parameter(1)
  xs = f32[4,2]{1,0} parameter(2)
  ws = f32[2,6]{1,0} parameter(3)
  ROOT r = f32[4,6]{1,0} scaled-dot(x, w, xs, ws), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)");
  const ResizedModule out = clean(m, "x:1", 128);
  EXPECT_EQ(out.shape("xs"), "f32[4,4]");
  EXPECT_EQ(out.shape("ws"), "f32[4,6]");
  EXPECT_EQ(clean(m, "x:0", 9).shape("xs"), "f32[9,2]");
}

TEST(SizesOfOps, SolversAndGathersOverDevices) {
  const Module m = readClean(R"(  a = f32[2,5,5]{2,1,0} parameter(0)
  b = f32[2,5,3]{2,1,0} parameter(1)
  ROOT x = f32[2,5,3]{2,1,0} triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, )"
                             R"(transpose_a=NO_TRANSPOSE
)");
  EXPECT_EQ(clean(m, "a:1", 8).shape("x"), "f32[2,8,3]");
  EXPECT_EQ(clean(m, "b:2", 4).shape("a"), "f32[2,5,5]");
  const Module g = readClean(
      "  x = f32[3,4]{1,0} parameter(0)\n  ROOT all = f32[6,4]{1,0} all-gather(x), dimensions={0}, "
      "replica_groups={{0,1}}\n");
  EXPECT_EQ(clean(g, "x:0", 5).shape("all"), "f32[10,4]");
}

TEST(SizesOfOps, WhatOnlyItsTargetKnowsIsNamed) {
  const Module m = readClean(
      "  x = f32[3,4]{1,0} parameter(0)\n  ROOT c = f32[3,4]{1,0} custom-call(x), custom_call_target=\"mine\"\n");
  const ResizedModule out = resizedAt(m, "x:0", 5);
  ASSERT_FALSE(out.stops.empty());
  EXPECT_NE(out.stops[0].find("custom-call"), std::string::npos) << out.stops[0];
  EXPECT_NE(out.stops[0].find("target"), std::string::npos) << out.stops[0];
}

}  // namespace
}  // namespace tessera
