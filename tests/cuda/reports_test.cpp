// What the simulated device complains of: each kind provoked by a kernel, and not by the one that does it right.
#include "tests/cuda/snippet_case.h"

namespace tessera::cuda {
namespace {

class CudaReports : public SnippetCase {
 protected:
  // A kernel over one array: %out, %x the thread, %at the address of its 4 bytes; shared memory `s` of 4096 bytes, %sat
  // the address of the thread's 4 bytes there.
  static std::string kernel(const std::string& body) {
    return header() +
           ".shared .align 16 .b8 s[4096];\n.visible .entry k(.param .u64 p) {\n"
           ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %w<8>, %out, %at, %sat, %off; .reg .u32 %x; .local .align 4 "
           ".b8 l[8];\n"
           "ld.param.u64 %out, [p]; mov.u32 %x, %tid.x; mul.wide.u32 %off, %x, 4; add.s64 %at, %out, %off;\n"
           "mov.u64 %sat, s; add.s64 %sat, %sat, %off;\n" +
           body + "\nret;\n}\n";
  }
  Status runBody(const std::string& body, unsigned threads = 64, size_t words = 1024) {
    device->clearReports();
    load(kernel(body));
    return launch("k", {1}, {threads}, Arguments(zeros<uint32_t>(words)));
  }
  // The body is fine: no complaint at all of this kind.
  void expectQuiet(const std::string& kind, const std::string& body, unsigned threads = 64) {
    const Status status = runBody(body, threads);
    EXPECT_TRUE(status) << status.error().toString();
    EXPECT_TRUE(reportsOf(kind).empty()) << reportsOf(kind)[0].place << ": " << reportsOf(kind)[0].text;
  }
  Report expectReport(const std::string& kind, const std::string& body, unsigned threads = 64) {
    (void)runBody(body, threads);
    const auto found = reportsOf(kind);
    EXPECT_FALSE(found.empty()) << body << "\n" << errors();
    return found.empty() ? Report{} : found[0];
  }
};

TEST_F(CudaReports, OutOfBounds) {
  expectQuiet("out of bounds", "st.global.u32 [%at], 1;");
  const Report report = expectReport("out of bounds", "\nst.global.u32 [%at+4092], 1;");
  EXPECT_EQ(report.kernel, "k");
  EXPECT_TRUE(report.isError);
  EXPECT_EQ(report.place, "line 10: st.global.u32 [%at+4092], 1");
  EXPECT_EQ(report.count, 63);
  EXPECT_EQ(report.text.substr(0, 58), "thread (1,0,0) of block (0,0,0) writes 4 bytes at address ") << report.text;
  EXPECT_NE(report.text.find("0 bytes behind the end of the 4,096 bytes at 0x7f"), std::string::npos) << report.text;
}

TEST_F(CudaReports, OutOfBoundsIsTheDriversErrorToo) {
  const Status status = runBody("ld.global.u32 %r0, [%at+4096];");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Runtime);
  EXPECT_NE(status.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << status.error().message;
  EXPECT_TRUE(runBody("ld.global.u32 %r0, [%at];"));  // the next one runs
}

TEST_F(CudaReports, OutOfBoundsOfOtherSpaces) {
  expectReport("out of bounds", "st.shared.u32 [%sat+4000], 1;");
  expectReport("out of bounds", "st.local.u32 [l+8], 1;", 1);
  expectReport("out of bounds", "ld.global.u32 %r0, [64];", 1);
  expectQuiet("out of bounds", "st.local.u32 [l+4], 1; st.shared.u32 [%sat], 1;");
}

TEST_F(CudaReports, ReleasedMemoryIsOutOfBounds) {
  load(kernel("ld.global.u32 %r0, [%at];"));
  const auto memory = zeros<uint32_t>(64);
  ASSERT_TRUE(device->release(memory));
  EXPECT_FALSE(launch("k", {1}, {64}, Arguments(memory)));
  ASSERT_EQ(reportsOf("out of bounds").size(), 1u);
  EXPECT_NE(reportsOf("out of bounds")[0].text.find("which were released"), std::string::npos);
}

TEST_F(CudaReports, MisalignedAccess) {
  expectQuiet("misaligned access", "ld.global.v2.u32 {%r0, %r1}, [%out+8];");
  expectReport("misaligned access", "ld.global.v2.u32 {%r0, %r1}, [%out+4];", 1);
}

const std::string kNeighbour = "xor.b32 %r1, %x, 32; mul.wide.u32 %w0, %r1, 4; mov.u64 %w1, s; add.s64 %w1, %w1, %w0;";

TEST_F(CudaReports, RaceBetweenWarps) {
  expectQuiet("race on shared memory", kNeighbour + "st.shared.u32 [%sat], %x; bar.sync 0; ld.shared.u32 %r0, [%w1];");
  const Report report = expectReport("race on shared memory",
                                     kNeighbour + "bar.sync 0; st.shared.u32 [%sat], %x;\nld.shared.u32 %r0, [%w1];");
  EXPECT_TRUE(report.isError);
  EXPECT_EQ(report.count, 32);  // the warp that comes second
  EXPECT_EQ(
      report.text,
      "thread (0,0,0) of block (0,0,0) writes 4 bytes at shared address 0, which thread (32,0,0) of block (0,0,0) "
      "read at line 10: ld.shared.u32 %r0, [%w1], without a barrier between");
}

TEST_F(CudaReports, RaceWithinAWarpNeedsABarrierOfTheWarp) {
  const std::string mirror = "xor.b32 %r1, %x, 1; mul.wide.u32 %w0, %r1, 4; mov.u64 %w1, s; add.s64 %w1, %w1, %w0;";
  expectQuiet("race on shared memory",
              mirror + "st.shared.u32 [%sat], %x; bar.warp.sync -1; ld.shared.u32 %r0, [%w1];");
  expectReport("race on shared memory", mirror + "st.shared.u32 [%sat], %x; ld.shared.u32 %r0, [%w1];");
}

TEST_F(CudaReports, RacesOfReadsAndWrites) {
  // Reads before a write, two writes of one place; atomics do not race with each other.
  expectReport("race on shared memory", "st.shared.u32 [%sat], 0; bar.sync 0;" + kNeighbour +
                                            "ld.shared.u32 %r0, [%w1]; st.shared.u32 [%sat], 1;");
  expectReport("race on shared memory", "st.shared.u32 [s], %x;", 2);
  expectQuiet("race on shared memory",
              "setp.eq.u32 %p0, %x, 0; @%p0 st.shared.u32 [s], 0; bar.sync 0;"
              "atom.shared.add.u32 %r0, [s], 1; bar.sync 0; ld.shared.u32 %r1, [s];");
  // Neighbours' bytes of one word.
  expectQuiet("race on shared memory",
              "mov.u64 %w0, s; cvt.u64.u32 %w1, %x; add.s64 %w0, %w0, %w1; st.shared.u8 [%w0], 1;");
}

TEST_F(CudaReports, UninitialisedSharedMemory) {
  expectQuiet("uninitialised shared memory", "st.shared.u32 [%sat], 1; ld.shared.u32 %r0, [%sat];");
  expectReport("uninitialised shared memory", "ld.shared.u32 %r0, [%sat+1024];");
}

TEST_F(CudaReports, DivergentBarrier) {
  expectQuiet("divergent barrier", "bar.sync 0;");
  expectQuiet("divergent barrier", "setp.lt.u32 %p0, %x, 32; @%p0 bra A; add.u32 %r0, %x, 1; A: bar.sync 0;");
  // The lanes of a warp come to one barrier by two ways.
  expectReport("divergent barrier", "setp.lt.u32 %p0, %x, 16; @!%p0 bra A; bar.sync 0; A: mov.u32 %r0, 0;", 32);
}

TEST_F(CudaReports, BarrierThatNotAllReach) {
  const Status status = runBody("setp.lt.u32 %p0, %x, 32; @%p0 bra A; bar.sync 0, 64; A: bar.sync 1, 64;", 64);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("threads wait for each other"), std::string::npos) << status.error().message;
  EXPECT_FALSE(reportsOf("divergent barrier").empty());
}

TEST_F(CudaReports, UncoalescedAccess) {
  expectQuiet("uncoalesced access", "ld.global.u32 %r0, [%at];");
  expectQuiet("uncoalesced access", "ld.global.u32 %r0, [%at+4];");  // one sector more
  expectQuiet("uncoalesced access", "ld.global.u32 %r0, [%out];");   // all lanes the same
  const Report report =
      expectReport("uncoalesced access", "mul.wide.u32 %w0, %x, 64; add.s64 %w0, %w0, %out; ld.global.u32 %r0, [%w0];");
  EXPECT_FALSE(report.isError);
  EXPECT_EQ(report.text, "2 accesses of warps touch 64 sectors of 32 bytes; their bytes would fill 8");
}

TEST_F(CudaReports, BankConflict) {
  const std::string fill = "st.shared.u32 [%sat], 0; st.shared.u32 [%sat+2048], 0; bar.sync 0;";
  expectQuiet("bank conflict", fill + "ld.shared.u32 %r0, [%sat];");
  expectQuiet("bank conflict", fill + "ld.shared.u32 %r0, [s];");  // one word for all
  const Report report = expectReport("bank conflict",
                                     "shl.b64 %w0, %off, 5; mov.u64 %w1, s; add.s64 %w0, %w0, %w1;"
                                     "st.shared.u32 [%w0], 0;",
                                     32);
  EXPECT_FALSE(report.isError);
  EXPECT_EQ(report.text, "1 accesses of warps take 32 rounds of the 32 banks; without conflicts it were 1");
}

TEST_F(CudaReports, AreTheSameEachTime) {
  const std::string body =
      "mov.u32 %r1, %ctaid.x; mul.wide.u32 %w0, %r1, 64; add.s64 %w0, %w0, %at; ld.global.u32 %r0, [%w0+3900];";
  std::vector<std::string> texts;
  for (int i = 0; i < 5; ++i) {
    auto fresh = makeSimulatedDevice("sm_90");
    device.swap(fresh);
    load(kernel(body));
    (void)launch("k", {200}, {64}, Arguments(zeros<uint32_t>(1024)));
    std::string text;
    for (const Report& report : device->reports()) text += report.text + std::to_string(report.count);
    texts.push_back(text);
  }
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

}  // namespace
}  // namespace tessera::cuda
