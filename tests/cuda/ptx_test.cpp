// Bad PTX: an error that names the line and what is wrong, at load time. Good PTX of every outer form is read.
#include "tests/cuda/device_case.h"

namespace tessera::cuda {
namespace {

class CudaPtx : public DeviceCase {
 protected:
  static std::string module(const std::string& body) {
    return ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
           ".reg .b32 %r<8>; .reg .b64 %w<8>; .reg .pred %p<4>; .reg .f32 %f<4>;\n" +
           body + "\nret;\n}\n";
  }
  void refused(const std::string& text, uint32_t line, const std::string& words) {
    const auto code = device->assemble(text);
    ASSERT_FALSE(code) << text;
    EXPECT_EQ(code.error().position.line, line) << code.error().toString();
    EXPECT_NE(code.error().toString().find(words), std::string::npos) << code.error().toString();
  }
  void accepted(const std::string& text) {
    const auto code = device->assemble(text);
    EXPECT_TRUE(code) << code.error().toString() << "\n" << text;
  }
};

TEST_F(CudaPtx, UnknownInstructionsAreNamedWithTheirLine) {
  refused(module("add.u32 %r1, %r2, %r3;\nfrobnicate.u32 %r1, %r2;"), 7, "the instruction frobnicate.u32 is not known");
  refused(module("add.fast.u32 %r1, %r2, %r3;"), 6, "\".fast\" of the instruction add.fast.u32");
  refused(module("wgmma.fence.sync.aligned;"), 6, "wgmma is of one architecture alone");
  refused(module("shfl.sync.sideways.b32 %r1, %r2, 1, 31, -1;"), 6, "shfl without its mode");
  refused(module("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1}, {%r1}, {%r1}, {%r1};"), 6,
          "the product mma.sync");
}

TEST_F(CudaPtx, OperandsHaveToFit) {
  refused(module("add.u32 %r1, %r2;"), 6, "number of operands");
  refused(module("add.u64 %w1, %w2, %r3;"), 6, "%r3 has another width");
  refused(module("add.u32 %r1, %r2, %r9;"), 6, "%r9 is no register and no variable");
  refused(module("add.u32 %p1, %r2, %r3;"), 6, "no register of numbers");
  refused(module("setp.lt.u32 %r1, %r2, %r3;"), 6, "no predicate");
  refused(module("ld.global.u32 %r1, %w1;"), 6, "no address");
  refused(module("ld.global.v4.u32 {%r1, %r2}, [%w1];"), 6, "a vector has another length");
  refused(module("ld.global.u64 %r1, [%w1];"), 6, "narrower");
  refused(module("cvt.f16.f32 %r1, %f1;"), 6, "does not say how");
  refused(module("@%r1 add.u32 %r1, %r2, %r3;"), 6, "the guard %r1 is no predicate");
  refused(module("bra nowhere;"), 6, "there is no label nowhere");
}

TEST_F(CudaPtx, CallsThatCannotBe) {
  refused(module("call nothing, ();"), 6, "the function nothing has no body");
  const std::string recursive = ".func again() { call again, (); ret; }\n";
  refused(".version 7.8\n.target sm_80\n.address_size 64\n" + recursive +
              ".visible .entry k() {\ncall again, ();\nret;\n}\n",
          4, "again calls itself");
}

TEST_F(CudaPtx, BrokenText) {
  refused("", 1, "this is no PTX");
  refused("hello", 1, "unknown directive");
  refused(".version 7.8\n.target sm_80\n.address_size 32\n", 3, "64 bits");
  refused(module("add.u32 %r1, %r2, 0x;"), 6, "no number");
  refused(module("add.u32 %r1, %r2, 5"), 7, "\";\"");
  refused(".version 7.8\n.target sm_80\n.visible .entry k() {\n", 4, "\"}\"");
  refused(".version 7.8\n.target sm_80\n.global .u32 t[2] = {1, 2, 3};\n", 3, "more initial values than elements");
  refused(".version 7.8\n.target sm_80\n.global .u32 t[99999999999999];\n", 3, "out of range");
  refused(module("L: L: add.u32 %r1, %r2, 5;"), 6, "twice");
  refused(module(std::string(300, '{')), 6, "nested too deep");
}

TEST_F(CudaPtx, ANewerArchitectureIsRefused) {
  device = makeSimulatedDevice("sm_75");
  const auto code = device->assemble(module(""));
  ASSERT_FALSE(code);
  EXPECT_NE(code.error().toString().find("expected sm_75 or older"), std::string::npos) << code.error().toString();
}

TEST_F(CudaPtx, OuterFormsAreRead) {
  accepted(
      "// a comment\n/* another\n */ .version 8.3\n.target sm_80, debug\n.address_size 64\n.file 1 \"a.cu\"\n"
      ".weak .global .align 16 .f32 t[4] = {0f3F800000, 1.5, -2.0, 1};\n.extern .shared .align 8 .b8 dynamic[];\n"
      ".const .align 8 .f64 c = 0d4000000000000000;\n.global .attribute(.managed) .u8 text[] = {104, 105, 0};\n"
      ".visible .entry k(.param .align 8 .b8 pp[24], .param .u64 .ptr .global .align 16 q)\n"
      ".maxntid 128, 1, 1\n.minnctapersm 2\n.maxnreg 64\n{\n.loc 1 3 0\n.reg .pred p; .reg .b32 a, b<3>;\n.pragma "
      "\"nounroll\";\n"
      "{ .reg .b32 a; mov.b32 a, 5; LOCAL: setp.eq.s32 p|_, a, 5; @!p bra.uni LOCAL; }\n{ LOCAL: mov.u32 a, %clock; }\n"
      "ld.param.u32 b1, [pp+16]; mov.u32 b2, WARP_SZ; st.shared.u32 [dynamic], b1; membar.gl; fence.acq_rel.gpu;\n"
      "prefetch.global.L2 [t]; nanosleep.u32 100; exit;\n}\n.section .debug_info {\n.b8 1\n.b32 2\n}\n");
}

}  // namespace
}  // namespace tessera::cuda
