// The sentences that say why a dimension has its size, from the relations of the op that gives it.
#include <gtest/gtest.h>

#include <string>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/shared/dimension_reasons.h"

namespace tessera {
namespace {

// Of the entry's root.
std::vector<std::string> reasonsIn(const std::string& entry, const std::string& callees = {}) {
  ReadResult read = readHloText(callees + "ENTRY e {\n" + entry + "\n}\n");
  if (!read.module) return {"not read"};
  inferModule(*read.module);
  return dimensionReasons(*read.module, read.module->entryComputation().root);
}

using Words = std::vector<std::string>;

TEST(DimensionReasons, SizesOfOperandsAndOfTheText) {
  const std::string x = "x = f32[3,4] parameter(0)\n";
  EXPECT_EQ(reasonsIn(x + "ROOT r = f32[3,4] negate(x)"),
            (Words{"dimension 0 = 3, as in operand 0", "dimension 1 = 4, as in operand 0"}));
  EXPECT_EQ(reasonsIn(x + "ROOT r = f32[4,3] transpose(x), dimensions={1,0}"),
            (Words{"dimension 0 = 4, as dimension 1 of operand 0", "dimension 1 = 3, as dimension 0 of operand 0"}));
  EXPECT_EQ(reasonsIn(x + "ROOT r = f32[2,3,4] broadcast(x), dimensions={1,2}"),
            (Words{"dimension 0 = 2, given by the instruction's shape: the operand is repeated along it",
                   "dimension 1 = 3, as dimension 0 of operand 0", "dimension 2 = 4, as dimension 1 of operand 0"}));
  EXPECT_EQ(reasonsIn("ROOT r = s32[5] iota(), iota_dimension=0"),
            Words{"dimension 0 = 5, given by the instruction's shape"});
  EXPECT_EQ(reasonsIn("t = (f32[2], f32[3]) parameter(0)\nROOT r = f32[3] get-tuple-element(t), index=1"),
            Words{"dimension 0 = 3, as in array 1 of operand 0"});
  EXPECT_EQ(reasonsIn("x = f32[<=8] parameter(0)\nROOT r = f32[<=8] negate(x)"),
            Words{"dimension 0 <= 8, as in operand 0"});
  EXPECT_TRUE(reasonsIn("x = f32[2] parameter(0)\nROOT r = (f32[2]) tuple(x)").empty());
  EXPECT_TRUE(reasonsIn("x = f32[2] parameter(0)\nROOT r = f32[3] negate(x)").empty()) << "inference gives f32[2]";
}

TEST(DimensionReasons, SizesByARule) {
  const std::string x = "x = f32[10] parameter(0)\n";
  EXPECT_EQ(reasonsIn(x + "y = f32[2] parameter(1)\nROOT r = f32[22] concatenate(x, y, x), dimensions={0}"),
            Words{"dimension 0 = 22: 10 + 2 + 10"});
  EXPECT_EQ(reasonsIn(x + "ROOT r = f32[4] slice(x), slice={[2:6]}"), Words{"dimension 0 = 4: limit 6 - start 2"});
  EXPECT_EQ(reasonsIn(x + "ROOT r = f32[3] slice(x), slice={[2:8:2]}"),
            Words{"dimension 0 = 3: one in 2 of the elements of [2, 8)"});
  EXPECT_EQ(reasonsIn(x + "z = f32[] constant(0)\nROOT r = f32[22] pad(x, z), padding=1_2_1"),
            Words{"dimension 0 = 22: low padding 1 + 10 with 1 between neighbours + high padding 2"});
  EXPECT_EQ(reasonsIn(x + "i = s32[] constant(0)\nROOT r = f32[3] dynamic-slice(x, i), dynamic_slice_sizes={3}"),
            Words{"dimension 0 = 3, part of the 10 of dimension 0 of operand 0"});
  EXPECT_EQ(reasonsIn(x + "ROOT r = c64[6] fft(x), fft_type=RFFT, fft_length={10}"),
            Words{"dimension 0 = 6: the complex side of 10 real numbers"});
  EXPECT_EQ(reasonsIn("x = c64[6] parameter(0)\nROOT r = f32[10] fft(x), fft_type=IRFFT, fft_length={10}"),
            Words{"dimension 0 = 10: dimension 0 of operand 0 is its complex side"});
}

TEST(DimensionReasons, WindowsGroupsAndProducts) {
  const std::string add = "a { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y) }\n";
  EXPECT_EQ(reasonsIn("x = f32[10] parameter(0)\nz = f32[] constant(0)\n"
                      "ROOT r = f32[5] reduce-window(x, z), window={size=3 stride=2 pad=1_0}, to_apply=a",
                      add),
            Words{"dimension 0 = 5: a window of 3 with stride 2 fits so often into 10 padded by 1 and 0"});
  EXPECT_EQ(reasonsIn("x = f32[4,5] parameter(0)\nz = f32[] constant(0)\n"
                      "ROOT r = f32[5] reduce(x, z), dimensions={0}, to_apply=a",
                      add),
            Words{"dimension 0 = 5, as dimension 1 of operand 0"});
  EXPECT_EQ(
      reasonsIn("x = f32[2,3,4] parameter(0)\nROOT r = f32[6,2,2] reshape(x)"),
      (Words{"dimension 0 = 6: the product of dimensions 0 and 1 of operand 0",
             "dimension 1 = 2, given by the instruction's shape: with dimension 2 its product is that of dimension 2 "
             "of operand 0",
             "dimension 2 = 2, given by the instruction's shape: with dimension 1 its product is that of dimension 2 "
             "of operand 0"}));
  EXPECT_EQ(reasonsIn("x = f32[2,3] parameter(0)\ny = f32[3,4] parameter(1)\n"
                      "ROOT r = f32[2,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            (Words{"dimension 0 = 2, as in operand 0", "dimension 1 = 4, as in operand 1"}));
  EXPECT_EQ(reasonsIn("x = f32[7] parameter(0)\nROOT r = f32[7] call(x), to_apply=c",
                      "c { p = f32[7] parameter(0)\n ROOT n = f32[7] negate(p) }\n"),
            Words{"dimension 0 = 7, as the called computation gives"});
}

}  // namespace
}  // namespace tessera
