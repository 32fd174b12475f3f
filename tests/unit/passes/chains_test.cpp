// Passes behind fusion: reshapes that move no byte, dots with what is done to their rows, convolutions with their ends.
// What they take, what they leave, and that values stay.
#include "core/passes/fusion/convolution_epilogue.h"
#include "core/passes/fusion/gemm_chain.h"
#include "core/passes/layout/bitcast_reshapes.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

using PassFunction = Result<bool> (*)(Module&);

Module afterPass(PassFunction pass, const std::string& entry, bool changes) {
  const std::string turned =
      "turned {\n  p = f32[6,4]{1,0} parameter(0)\n  q = f32[24]{0} reshape(p)\n  ROOT n = f32[24]{0} negate(q)\n}\n\n";
  const Module source = moduleFrom("HloModule m\n\n" + (entry.find("calls=turned") == std::string::npos ? "" : turned) +
                                   "ENTRY e {\n" + entry + "\n}\n");
  Module out = derive(source);
  const auto changed = pass(out);
  EXPECT_TRUE(changed.has_value()) << entry;
  EXPECT_EQ(changed.value_or(!changes), changes) << entry;
  expectSameValues(source, out);
  return out;
}

// Fusions of the kind that a backend runs piece by piece; each of their members has its sources.
int outputFusionsOf(const Module& module) {
  int found = 0;
  for (InstructionId id : module.entryComputation().instructions) {
    const Instruction& in = module.at(id);
    if (in.opcode != Opcode::Fusion || in.attributes->textOr(Attr::kind, "") != "kOutput") continue;
    ++found;
    for (InstructionId member : module.at(module.callees(in)[0]).instructions)
      EXPECT_TRUE(module.at(member).provenance && !module.at(member).provenance->sources.empty())
          << module.at(member).name;
  }
  return found;
}

TEST(PassesBitcastReshapes, RowMajorOnesMoveNothing) {
  const Module m = afterPass(
      bitcastReshapes,
      "x = f32[6,4]{1,0} parameter(0)\n r = f32[2,12]{1,0} reshape(x)\n ROOT n = f32[2,12]{1,0} negate(r)", true);
  EXPECT_EQ(countOf(m, Opcode::Reshape), 0);
  EXPECT_EQ(countOf(m, Opcode::Bitcast), 1);
}
TEST(PassesBitcastReshapes, OtherLayoutsStayReshapes) {
  const Module m =
      afterPass(bitcastReshapes, "x = f32[6,4]{0,1} parameter(0)\n ROOT r = f32[2,12]{1,0} reshape(x)", false);
  EXPECT_EQ(countOf(m, Opcode::Bitcast), 0);
}
TEST(PassesBitcastReshapes, InAFusionTheyAreArithmetic) {
  afterPass(bitcastReshapes, "x = f32[6,4]{1,0} parameter(0)\n ROOT f = f32[24]{0} fusion(x), kind=kLoop, calls=turned",
            false);
}

std::string attention(const std::string& rows, const std::string& keys, const std::string& beside = "") {
  return " q = f32[" + rows + ",8]{1,0} parameter(0)\n k = f32[" + keys + ",8]{1,0} parameter(1)\n v = f32[" + keys +
         ",8]{1,0} parameter(2)\n s = f32[" + rows + "," + keys +
         "]{1,0} dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n t = f32[" + rows + "," + keys +
         "]{1,0} tanh(s)\n o = f32[" + rows +
         ",8]{1,0} dot(t, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" +
         (beside.empty() ? " ROOT n = f32[" + rows + ",8]{1,0} copy(o)"
                         : " ROOT both = (f32[" + rows + ",8]{1,0}, f32[" + rows + "," + keys + "]{1,0}) tuple(o, " +
                               beside + ")");
}
TEST(PassesGemmChains, DotsAndWhatStandsBetween) {
  const Module m = afterPass(fuseGemmChains, attention("64", "1024"), true);
  EXPECT_EQ(outputFusionsOf(m), 1);
  EXPECT_EQ(countOf(m, Opcode::Tanh), 1);
}
TEST(PassesGemmChains, SmallOnesStay) {
  EXPECT_EQ(outputFusionsOf(afterPass(fuseGemmChains, attention("64", "512"), false)), 0);
}
TEST(PassesGemmChains, ScoresThatAreAResultStay) {
  EXPECT_EQ(outputFusionsOf(afterPass(fuseGemmChains, attention("64", "1024", "s"), false)), 0);
}

std::string convolution(const std::string& size) {
  const std::string shape = "f32[1," + size + "," + size + ",16]{3,2,1,0}";
  return " x = f32[1," + size + "," + size +
         ",4]{3,2,1,0} parameter(0)\n w = f32[1,1,4,16]{3,2,1,0} parameter(1)\n c = " + shape +
         " convolution(x, w), window={size=1x1}, dim_labels=b01f_01io->b01f\n ROOT a = " + shape + " abs(c)";
}
TEST(PassesConvolutionEpilogues, AConvolutionAndItsReader) {
  EXPECT_EQ(outputFusionsOf(afterPass(fuseConvolutionEpilogues, convolution("64"), true)), 1);
}
TEST(PassesConvolutionEpilogues, SmallOnesStay) {
  EXPECT_EQ(outputFusionsOf(afterPass(fuseConvolutionEpilogues, convolution("32"), false)), 0);
}

}  // namespace
}  // namespace tessera::test
