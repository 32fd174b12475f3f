// `tessera run --expected` with decompositions: factors that differ only by signs are equal by reconstruction, factors
// whose product is another differ, and so does everything that is no factor.
#include "tests/cli/spawn.h"

namespace tessera {
namespace {

// The singular value decomposition of a 3 × 2 matrix; `u`, `s` and `vt` say what becomes of the factors.
std::string singular(const std::string& u, const std::string& s, const std::string& vt) {
  return "HloModule svd\nENTRY main {\n"
         "  x = f32[3,2]{1,0} constant({{1, 2}, {3, -4}, {5, 7}})\n"
         "  d = (f32[3,2]{0,1}, f32[2]{0}, f32[3,2]{0,1}, f32[2,2]{0,1}, s32[]) custom-call(x), "
         "custom_call_target=\"lapack_sgesdd_ffi\", "
         "operand_layout_constraints={f32[3,2]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config={mode = 83 : "
         "ui8}\n"
         "  u = f32[3,2]{1,0} get-tuple-element(d), index=2\n  s = f32[2]{0} get-tuple-element(d), index=1\n  vt = "
         "f32[2,2]{1,0} get-tuple-element(d), index=3\n"
         "  signs = f32[2]{0} constant({1, -1})\n  two = f32[] constant(2)\n"
         "  columns = f32[3,2]{1,0} broadcast(signs), dimensions={1}\n  rows = f32[2,2]{1,0} broadcast(signs), "
         "dimensions={0}\n"
         "  doubles = f32[2]{0} broadcast(two), dimensions={}\n"
         "  fu = f32[3,2]{1,0} multiply(u, columns)\n  fvt = f32[2,2]{1,0} multiply(vt, rows)\n  fs = f32[2]{0} "
         "multiply(s, doubles)\n"
         "  ROOT r = (f32[3,2]{1,0}, f32[2]{0}, f32[2,2]{1,0}) tuple(" +
         u + ", " + s + ", " + vt + ")\n}\n";
}

class Factors : public testing::Test {
 protected:
  int compare(const std::string& expected, const std::string& found) {
    scratch_.write("expected.hlo", expected);
    scratch_.write("found.hlo", found);
    EXPECT_EQ(scratch_.tessera("run expected.hlo --backend=evaluator --out=expected.npz").exit, 0);
    ran_ = scratch_.tessera("run found.hlo --backend=evaluator --expected=expected.npz");
    return ran_.exit;
  }
  bool says(const std::string& words) const { return ran_.out.find(words) != std::string::npos; }
  Scratch scratch_;
  Ran ran_;
};

TEST_F(Factors, EqualOnesNeedNoReconstruction) {
  EXPECT_EQ(compare(singular("u", "s", "vt"), singular("u", "s", "vt")), 0);
  EXPECT_FALSE(says("reconstruction"));
}
TEST_F(Factors, SignsOfBothSides) {
  EXPECT_EQ(compare(singular("fu", "s", "fvt"), singular("u", "s", "vt")), 0) << ran_.err;
  EXPECT_TRUE(says("out0: a factor, compared by reconstruction")) << ran_.out;
}
TEST_F(Factors, SignsOfOneSideOnly) { EXPECT_EQ(compare(singular("fu", "s", "vt"), singular("u", "s", "vt")), 3); }
TEST_F(Factors, OtherValues) { EXPECT_EQ(compare(singular("fu", "fs", "fvt"), singular("u", "s", "vt")), 3); }
// What is computed from a factor is none.
TEST_F(Factors, ComputedFromAFactor) { EXPECT_EQ(compare(singular("u", "s", "vt"), singular("fu", "s", "fvt")), 3); }

TEST_F(Factors, EigenvectorsBehindATransposeAndAGuard) {
  const auto program = [](const std::string& factor) {
    return "HloModule eigh\nENTRY main {\n  x = f32[2,2]{1,0} constant({{2, 1}, {1, 3}})\n"
           "  d = (f32[2,2]{1,0}, f32[2]{0}) custom-call(x), custom_call_target=\"Eigh\", "
           "backend_config=\"1,1,100,1e-6\"\n"
           "  v = f32[2,2]{1,0} get-tuple-element(d), index=0\n  w = f32[2]{0} get-tuple-element(d), index=1\n"
           "  flips = f32[2,2]{1,0} constant({{-1, 1}, {-1, 1}})\n  flipped = f32[2,2]{1,0} multiply(v, flips)\n"
           "  yes = pred[] constant(true)\n  all = pred[2,2]{1,0} broadcast(yes), dimensions={}\n  nan = f32[] "
           "constant(nan)\n  nans = f32[2,2]{1,0} broadcast(nan), dimensions={}\n"
           "  guarded = f32[2,2]{1,0} select(all, " +
           factor +
           ", nans)\n  t = f32[2,2]{1,0} transpose(guarded), dimensions={1,0}\n"
           "  ROOT r = (f32[2,2]{1,0}, f32[2]{0}) tuple(t, w)\n}\n";
  };
  EXPECT_EQ(compare(program("flipped"), program("v")), 0) << ran_.err;
  EXPECT_TRUE(says("reconstruction"));
}

}  // namespace
}  // namespace tessera
