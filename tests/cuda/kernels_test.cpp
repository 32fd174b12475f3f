// Memory, atomics, warps, barriers, control flow and tensor cores on the simulated device: small kernels of PTX with
// results that are known.
#include <numeric>

#include "core/hlo/numbers.h"
#include "tests/cuda/snippet_case.h"

namespace tessera::cuda {
namespace {

class CudaKernels : public SnippetCase {
 protected:
  // A kernel `k` of one parameter, the address of its results: %out in global memory, %x the thread, %lane the lane.
  static std::string kernel(const std::string& body, const std::string& declarations = "") {
    return header() + declarations +
           ".visible .entry k(.param .u64 p) {\n.reg .pred %p<8>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 "
           "%w<16>, %out, "
           "%at; .reg .b16 %h<8>; .reg .f64 %d<8>; .reg .u32 %x, %lane;\n"
           "ld.param.u64 %out, [p]; cvta.to.global.u64 %out, %out; mov.u32 %x, %tid.x; mov.u32 %lane, %laneid;\n.local "
           ".align 4 .b8 l[16];\n"
           "mul.wide.u32 %at, %x, 4; add.s64 %at, %at, %out;\n" +
           body + "\nret;\n}\n";
  }
  // Runs it with a block of `threads`; a result of 32 bits a thread, where the body stores %r0.
  std::vector<uint32_t> results(const std::string& body, unsigned threads = 32, const std::string& declarations = "") {
    load(kernel(body + "\nst.global.u32 [%at], %r0;", declarations));
    const auto out = zeros<uint32_t>(threads);
    run("k", {1}, {threads}, Arguments(out));
    return download<uint32_t>(out, threads);
  }
  template <class Fn>
  static std::vector<uint32_t> each(unsigned threads, Fn fn) {
    std::vector<uint32_t> values(threads);
    for (unsigned i = 0; i < threads; ++i) values[i] = static_cast<uint32_t>(fn(i));
    return values;
  }
};

// --- memory

TEST_F(CudaKernels, NarrowValuesAreExtendedAndVectorsMoved) {
  load(kernel(
      "ld.global.s8 %r0, [%out+3]; ld.global.u16 %r1, [%out+2]; ld.global.v2.b32 {%r2, %r3}, [%out+8];"
      "ld.global.nc.L1::no_allocate.v4.u16 {%h0,%h1,%h2,%h3}, [%out]; st.global.v4.b32 [%out+16], {%r0,%r1,%r3,%r2};"
      "mov.b32 %r4, {%h1, %h0}; st.global.cs.u8 [%out+32], %r4; st.global.b16 [%out+34], %h3;"));
  const auto memory = upload(std::vector<uint32_t>{0x87654321, 0xcafebabe, 11, 22, 0, 0, 0, 0, 0xffffffff});
  run("k", {1}, {1}, Arguments(memory));
  EXPECT_EQ(download<uint32_t>(memory, 9),
            (std::vector<uint32_t>{0x87654321, 0xcafebabe, 11, 22, 0xffffff87, 0x8765, 22, 11, 0xcafeff65}));
}

TEST_F(CudaKernels, GenericAddressesReachEverySpace) {
  const auto found = results(
      "mov.u64 %w0, s; cvta.shared.u64 %w0, %w0; mul.wide.u32 %w1, %x, 4; add.s64 %w0, %w0, %w1; add.u32 %r1, %x, 5;"
      "st.u32 [%w0], %r1; mov.u64 %w2, l; cvta.local.u64 %w3, %w2; st.u32 [%w3+4], 100; ld.local.u32 %r2, [%w2+4];"
      "ld.shared.u32 %r3, [%w1]; add.u32 %r0, %r2, %r3; isspacep.shared %p0, %w0; @%p0 add.u32 %r0, %r0, 1000;"
      "isspacep.global %p1, %w0; @%p1 add.u32 %r0, %r0, 5000; ld.global.u32 %r4, [table+8]; add.u32 %r0, %r0, %r4;"
      "cvta.to.shared.u64 %w4, %w0; ld.shared.u32 %r5, [%w4]; sub.u32 %r5, %r5, %r3; add.u32 %r0, %r0, %r5;",
      32, ".shared .align 4 .b8 s[128];\n.global .align 4 .u32 table[3] = {1, 2, 7};\n");
  EXPECT_EQ(found, each(32, [](unsigned i) { return i + 5 + 100 + 1000 + 7; }));
}

TEST_F(CudaKernels, InitialValuesMayBeAddresses) {
  EXPECT_EQ(
      results("ld.global.u64 %w0, [pointer]; ld.u32 %r0, [%w0]; ld.const.u32 %r1, [c+4]; add.u32 %r0, %r0, %r1;", 1,
              ".global .u32 t[2] = {5, 6};\n.global .u64 pointer = generic(t)+4;\n.const .u32 c[2] = {1, 30};\n"),
      std::vector<uint32_t>{36});
}

// --- atomics

TEST_F(CudaKernels, AtomicsGiveTheOldValueAndChangeTheNew) {
  load(kernel(
      "atom.global.add.u32 %r0, [%out], 3; atom.global.max.s32 %r1, [%out+4], -5; atom.global.min.u32 %r1, [%out+8], 9;"
      "atom.global.exch.b32 %r1, [%out+12], 77; atom.global.cas.b32 %r2, [%out+16], 4, 40;"
      "atom.global.inc.u32 %r3, [%out+20], 7; atom.global.dec.u32 %r3, [%out+24], 7; red.global.or.b32 [%out+28], 6;"
      "red.relaxed.gpu.global.add.f32 [%out+32], 0f3F000000; atom.global.and.b32 %r4, [%out+36], 12;"
      "atom.add.noftz.f16x2 %r5, [%out+40], 0x3c003c00; atom.acq_rel.sys.global.xor.b32 %r6, [%out+44], 255;"
      "red.global.add.f64 [%out+48], 0d3FF0000000000000; atom.global.cas.b64 %w0, [%out+56], 5, 6;"));
  const auto memory = upload(
      std::vector<uint32_t>{1, uint32_t(-9), 10, 5, 4, 7, 0, 9, 0x3f800000, 7, 0x3c004000, 1, 0, 0x40000000, 5, 0});
  run("k", {1}, {1}, Arguments(memory));
  EXPECT_EQ(download<uint32_t>(memory, 16), (std::vector<uint32_t>{4, uint32_t(-5), 9, 77, 40, 0, 7, 15, 0x3fc00000, 4,
                                                                   0x40004200, 254, 0, 0x40080000, 6, 0}));
}

TEST_F(CudaKernels, SumsOfFloatsAreTheSameEachTime) {
  load(kernel(
      "cvt.rn.f32.u32 %f0, %x; mov.u32 %r1, %ctaid.x; cvt.rn.f32.u32 %f1, %r1; fma.rn.f32 %f0, %f1, 0f3DCCCCCD, %f0;"
      "div.rn.f32 %f0, %f0, 0f40400000; red.global.add.f32 [%out], %f0;"));
  std::vector<float> sums;
  for (int i = 0; i < 3; ++i) {
    const auto memory = zeros<float>(1);
    run("k", {40}, {256}, Arguments(memory));
    sums.push_back(download<float>(memory, 1)[0]);
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
}

// --- warps

TEST_F(CudaKernels, ShufflesStayInTheirSegments) {
  EXPECT_EQ(results("shfl.sync.down.b32 %r0|%p0, %lane, 3, 31, -1; @!%p0 mov.u32 %r0, 99;"),
            each(32, [](unsigned i) { return i + 3 < 32 ? i + 3 : 99; }));
  EXPECT_EQ(results("shfl.sync.up.b32 %r0, %lane, 5, 0x1800, -1;"),
            each(32, [](unsigned i) { return i % 8 >= 5 ? i - 5 : i; }));
  EXPECT_EQ(results("shfl.sync.bfly.b32 %r0, %lane, 17, 31, -1;"), each(32, [](unsigned i) { return i ^ 17; }));
  EXPECT_EQ(results("shfl.sync.idx.b32 %r0, %lane, 2, 0x1c1f, -1;"),
            each(32, [](unsigned i) { return i / 4 * 4 + 2; }));
}

TEST_F(CudaKernels, VotesMatchesAndReductions) {
  EXPECT_EQ(results("setp.gt.u32 %p0, %lane, 20; vote.sync.ballot.b32 %r0, %p0, -1;"),
            each(32, [](unsigned) { return 0xffe00000; }));
  EXPECT_EQ(results("setp.gt.u32 %p0, %lane, 20; vote.sync.any.pred %p1, %p0, -1; vote.sync.all.pred %p2, !%p0, -1;"
                    "selp.u32 %r0, 1, 0, %p1; @%p2 add.u32 %r0, %r0, 2;"),
            each(32, [](unsigned) { return 1; }));
  EXPECT_EQ(results("and.b32 %r1, %lane, 1; match.any.sync.b32 %r0, %r1, -1;"),
            each(32, [](unsigned i) { return i % 2 ? 0xaaaaaaaa : 0x55555555; }));
  EXPECT_EQ(results("match.all.sync.b32 %r0|%p0, 5, -1; @!%p0 mov.u32 %r0, 0;"),
            each(32, [](unsigned) { return ~0u; }));
  EXPECT_EQ(results("redux.sync.add.s32 %r0, %lane, -1; sub.s32 %r1, 3, %lane; redux.sync.min.s32 %r2, %r1, -1; "
                    "add.s32 %r0, %r0, %r2;"),
            each(32, [](unsigned) { return 496 - 28; }));
  EXPECT_EQ(results("setp.lt.u32 %p0, %lane, 4; mov.u32 %r0, 0; @!%p0 bra L; activemask.b32 %r0; L: "),
            each(32, [](unsigned i) { return i < 4 ? 15 : 0; }));
}

TEST_F(CudaKernels, LanesThatCameAlongDifferentWaysMeetAtAShuffle) {
  // Both sides hold the same shuffle for all lanes: they meet there by its mask.
  EXPECT_EQ(
      results("setp.lt.u32 %p0, %lane, 16; mov.u32 %r1, %lane; @%p0 bra M; add.u32 %r1, %r1, 100; M: bar.warp.sync -1;"
              "shfl.sync.idx.b32 %r0, %r1, 31, 31, -1;"),
      each(32, [](unsigned) { return 131; }));
}

TEST_F(CudaKernels, LanesThatAreGoneAreNotWaitedFor) {
  EXPECT_EQ(
      results("mov.u32 %r1, 7; setp.lt.u32 %p0, %lane, 20; @!%p0 bra GONE; shfl.sync.idx.b32 %r0, %lane, 3, 31, -1;"
              "st.global.u32 [%at], %r0; exit; GONE: mov.u32 %r0, %r1; st.global.u32 [%at], %r0; exit;"),
      each(32, [](unsigned i) { return i < 20 ? 3 : 7; }));
}

// --- control flow

TEST_F(CudaKernels, LanesLeaveLoopsAtTheirOwnTime) {
  EXPECT_EQ(
      results(
          "mov.u32 %r0, 0; mov.u32 %r1, 0; LOOP: setp.ge.u32 %p0, %r1, %lane; @%p0 bra DONE; and.b32 %r2, %r1, 1;"
          "setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN; add.u32 %r0, %r0, 10; bra NEXT; EVEN: add.u32 %r0, %r0, 1;"
          "NEXT: add.u32 %r1, %r1, 1; bra LOOP; DONE: shfl.sync.idx.b32 %r3, %r0, 31, 31, -1; add.u32 %r0, %r0, %r3;"),
      each(32, [](unsigned i) { return i / 2 * 10 + (i + 1) / 2 + 166; }));
}

TEST_F(CudaKernels, BranchesByTable) {
  EXPECT_EQ(results("rem.u32 %r1, %lane, 3; T: .branchtargets A, B, C; brx.idx %r1, T; A: mov.u32 %r0, 10; bra E; B: "
                    "mov.u32 %r0, 20;"
                    "bra E; C: mov.u32 %r0, 30; E: add.u32 %r0, %r0, %lane;"),
            each(32, [](unsigned i) { return i % 3 * 10 + 10 + i; }));
}

TEST_F(CudaKernels, FunctionsReturnEarlyAndAreCalledUnderGuards) {
  const std::string half =
      ".func (.param .b32 q) half(.param .b32 v) {\n.reg .b32 %r<4>; .reg .pred %p<2>;\nld.param.b32 %r1, [v];"
      "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; st.param.b32 [q], 1000; @!%p1 ret; shr.u32 %r3, %r1, 1;"
      "st.param.b32 [q], %r3; ret;\n}\n";
  EXPECT_EQ(
      results("mov.u32 %r0, 7; setp.gt.u32 %p0, %lane, 3; { .param .b32 a; .param .b32 b; st.param.b32 [a+0], %lane;"
              "@%p0 call.uni (b), half, (a); @%p0 ld.param.b32 %r0, [b+0]; }",
              32, half),
      each(32, [](unsigned i) { return i <= 3  ? 7
                                       : i % 2 ? 1000
                                               : i / 2; }));
}

// --- barriers

TEST_F(CudaKernels, BarriersCountTrueThreads) {
  EXPECT_EQ(results("and.b32 %r1, %x, 3; setp.eq.u32 %p0, %r1, 0; barrier.cta.red.popc.aligned.u32 %r0, 0, %p0;"
                    "bar.red.and.pred %p1, 0, %p0; bar.red.or.pred %p2, 0, %p0; @%p1 add.u32 %r0, %r0, 100; @%p2 "
                    "add.u32 %r0, %r0, 1000;",
                    96),
            each(96, [](unsigned) { return 1024; }));
}

TEST_F(CudaKernels, ProducersArriveAndConsumersWait) {
  // Warp 0 makes, warp 1 takes; neither waits for warp 2.
  EXPECT_EQ(
      results(
          "mov.u64 %w0, s; mul.wide.u32 %w1, %lane, 4; add.s64 %w0, %w0, %w1; mov.u32 %r0, 0; setp.ge.u32 %p0, %x, 64;"
          "@%p0 bra END; setp.ge.u32 %p1, %x, 32; @%p1 bra TAKE; st.shared.u32 [%w0], %x; bar.arrive 3, 64; bra END;"
          "TAKE: bar.sync 3, 64; ld.shared.u32 %r0, [%w0]; END: ",
          96, ".shared .align 4 .b8 s[128];\n"),
      each(96, [](unsigned i) { return i / 32 == 1 ? i - 32 : 0; }));
  EXPECT_EQ(errors(), "");
}

// --- tensor cores

double tf32(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & ~0x1fffu); }

TEST_F(CudaKernels, TensorProductsOfTf32) {
  // a[row][k] = row + k/8, b[k][column] = k - column; fragments as the PTX documentation lays them out.
  load(kernel(
      "shr.u32 %r1, %lane, 2; and.b32 %r2, %lane, 3; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;"
      "fma.rn.f32 %f3, %f2, 0f3E000000, %f1; add.f32 %f4, %f3, 0f41000000; add.f32 %f5, %f3, 0f3F000000;"
      "add.f32 %f6, %f4, 0f3F000000; sub.f32 %f7, %f2, %f1; add.f32 %f8, %f7, 0f40800000;"
      "mov.b32 %r3, %f3; mov.b32 %r4, %f4; mov.b32 %r5, %f5; mov.b32 %r6, %f6; mov.b32 %r7, %f7; mov.b32 %r8, %f8;"
      "mov.f32 %f9, 0f3F800000; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f10,%f11,%f12,%f13},"
      "{%r3,%r4,%r5,%r6}, {%r7,%r8}, {%f9,%f9,%f9,%f9}; mul.lo.u32 %r9, %r1, 8; mad.lo.u32 %r9, %r2, 2, %r9;"
      "mul.wide.u32 %w1, %r9, 4; add.s64 %w1, %w1, %out; st.global.v2.f32 [%w1], {%f10,%f11}; st.global.v2.f32 "
      "[%w1+256], {%f12,%f13};"));
  const auto memory = zeros<float>(128);
  run("k", {1}, {32}, Arguments(memory));
  const auto found = download<float>(memory, 128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      double sum = 1;
      for (int k = 0; k < 8; ++k) sum += tf32(row + k / 8.0f) * tf32(static_cast<float>(k - column));
      EXPECT_EQ(found[row * 8 + column], static_cast<float>(sum));
    }
}

TEST_F(CudaKernels, TensorProductsOfDoublesAndBytes) {
  load(kernel(
      "shr.u32 %r1, %lane, 2; and.b32 %r2, %lane, 3; cvt.rn.f64.u32 %d0, %r1; cvt.rn.f64.u32 %d1, %r2; fma.rn.f64 %d2, "
      "%d0, 0d4024000000000000, %d1;"
      "mov.f64 %d3, 0d3FE0000000000000; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d4,%d5}, {%d2}, {%d2}, "
      "{%d3,%d3};"
      "mad.lo.u32 %r3, %lane, 16, 0; cvt.u64.u32 %w1, %r3; add.s64 %w1, %w1, %out; st.global.v2.f64 [%w1], {%d4,%d5};"
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r4,%r5}, {0x02ff01fe}, {0x01010101}, {0,1};"
      "add.s64 %w2, %at, 512; st.global.u32 [%w2], %r4; st.global.u32 [%w2+128], %r5;"));
  const auto memory = zeros<double>(128);
  run("k", {1}, {32}, Arguments(memory));
  const auto found = download<double>(memory, 128);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) {
      double sum = 0.5;
      for (int k = 0; k < 4; ++k) sum += (row * 10 + k) * (column * 10 + k);
      EXPECT_EQ(found[row * 8 + column], sum);
    }
  const auto words = download<int32_t>(memory + 512, 64);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(words[i], 0);  // four times 2 - 1 + 1 - 2
    EXPECT_EQ(words[32 + i], 1);
  }
}

TEST_F(CudaKernels, MatricesAreLoadedPlainAndTransposed) {
  // Row r of the matrix holds the halves 8r … 8r+7.
  const std::string fill =
      "and.b32 %r9, %lane, 7; mul.lo.u32 %r9, %r9, 16; cvt.u64.u32 %w0, %r9; mov.u64 %w1, s; add.s64 %w1, %w1, %w0;"
      "mul.lo.u32 %r1, %lane, 2; shl.b32 %r2, %r1, 16; add.u32 %r2, %r2, 65536; or.b32 %r2, %r2, %r1;"
      "mul.wide.u32 %w2, %lane, 4; mov.u64 %w3, s; add.s64 %w3, %w3, %w2; st.shared.u32 [%w3], %r2; bar.warp.sync -1;";
  const std::string shared = ".shared .align 16 .b8 s[128];\n";
  EXPECT_EQ(results(fill + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%w1];", 32, shared),
            each(32, [](unsigned i) { return 2 * i | (2 * i + 1) << 16; }));
  EXPECT_EQ(results(fill + "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r0}, [%w1];", 32, shared),
            each(32, [](unsigned i) { return (i % 4 * 16 + i / 4) | (i % 4 * 16 + 8 + i / 4) << 16; }));
  EXPECT_EQ(errors(), "");
}

TEST_F(CudaKernels, CopiesBesideTheComputationArriveWhenWaitedFor) {
  const std::string copy =
      "mov.u64 %w0, s; mul.wide.u32 %w1, %x, 16; add.s64 %w0, %w0, %w1; add.s64 %w2, %out, %w1;"
      "cp.async.cg.shared.global.L2::128B [%w0], [%w2], 16; cp.async.commit_group;";
  const std::string use = "ld.shared.u32 %r0, [%w0+4];";
  const std::string shared = ".shared .align 16 .b8 s[512];\n";
  auto runWith = [&](const std::string& wait) {
    load(kernel(copy + wait + use + "add.u32 %r0, %r0, 1; st.global.u32 [%w2+4], %r0;", shared));
    std::vector<uint32_t> values(128);
    std::iota(values.begin(), values.end(), 0);
    const auto memory = upload(values);
    run("k", {1}, {32}, Arguments(memory));
    return download<uint32_t>(memory, 128)[4 * 9 + 1];
  };
  EXPECT_EQ(runWith("cp.async.wait_group 0;"), 38u);
  EXPECT_EQ(errors(), "");
  runWith("cp.async.wait_group 1;");
  EXPECT_FALSE(reportsOf("race on shared memory").empty());
}

// Memory that has been used before is nobody's, too, from the copy's beginning to its wait.
TEST_F(CudaKernels, CopiesToMemoryInUseAreRaces) {
  const std::string shared = ".shared .align 16 .b8 s[1024];\n";
  const auto errorsWith = [&](const std::string& before, const std::string& after) {
    device->clearReports();
    load(
        kernel("mov.u64 %w0, s; mul.wide.u32 %w1, %x, 16; add.s64 %w0, %w0, %w1; add.s64 %w2, %out, %w1;"
               "xor.b32 %r9, %x, 32; mul.wide.u32 %w3, %r9, 16; mov.u64 %w4, s; add.s64 %w3, %w4, %w3;"
               "mov.u32 %r1, 7; st.shared.u32 [%w0], %r1; bar.sync 0; ld.shared.u32 %r0, [%w3];" +
                   before + "cp.async.ca.shared.global [%w0], [%w2], 4; cp.async.commit_group;" + after +
                   "ld.shared.u32 %r2, [%w0]; add.u32 %r0, %r0, %r2; st.global.u32 [%w2+4], %r0;",
               shared));
    run("k", {1}, {64}, Arguments(zeros<uint32_t>(256)));
    return reportsOf("race on shared memory").size();
  };
  EXPECT_EQ(errorsWith("bar.sync 0;", "cp.async.wait_group 0;"), 0u);
  EXPECT_GT(errorsWith("", "cp.async.wait_group 0;"), 0u);
  EXPECT_GT(errorsWith("bar.sync 0;", "cp.async.wait_group 1;"), 0u);
}

}  // namespace
}  // namespace tessera::cuda
