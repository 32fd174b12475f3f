// See roofline_kernels.h.
#include "backends/cuda/roofline/roofline_kernels.h"

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

constexpr int kChains = 8, kUnrolled = 8;  // independent sums of a thread; operations on each in a round

// Registers of PTX in which a number is kept, and its one as an immediate.
struct ChainType {
  const char *type, *reg, *one;
};
constexpr ChainType kChainTypes[] = {{"f32", "f32", "0f3F800000"}, {"f64", "f64", "0d3FF0000000000000"}};

// Tensor cores: matrices of 16 by 8 sums, `depth` products deep, from registers of 32 bits.
struct MatrixType {
  const char *name, *shape, *types, *sum;
  int depth;
};
constexpr MatrixType kMatrixTypes[] = {
    {"f16", "m16n8k16", "f32.f16.f16.f32", "f32", 16},
    {"bf16", "m16n8k16", "f32.bf16.bf16.f32", "f32", 16},
    {"tf32", "m16n8k8", "f32.tf32.tf32.f32", "f32", 8},
    {"s8", "m16n8k32", "s32.s8.s8.s32", "s32", 32},
};
constexpr int kMatrixSums = 4;
// By wgmma: 64 by 256 sums of 128 threads, from shared memory; factors are 32 bytes deep, in blocks of 8 by 16 bytes.
constexpr int kGroupRows = 64, kGroupColumns = 256, kGroupThreads = 128, kGroupSums = 128, kDepthBytes = 32,
              kGroupUnrolled = 4;

std::string opening(const std::string& name) {
  return fmt::format(
      ".visible .entry {}(.param .u64 out, .param .u32 rounds) {{\n"
      "  .reg .b64 %out; .reg .b32 %left; .reg .pred %more, %never;\n"
      "  ld.param.u64 %out, [out]; ld.param.u32 %left, [rounds]; cvta.to.global.u64 %out, %out;\n",
      name);
}

// Sums are used where a condition holds that never does, so that no compiler drops them.
std::string closing(const char* type, const std::string& sum) {
  return fmt::format(
      "  sub.u32 %left, %left, 1; setp.ne.u32 %more, %left, 0; @%more bra round;\n"
      "  setp.eq.u64 %never, %out, 1; @%never st.global.{} [%out], {};\n  ret;\n}}\n",
      type, sum);
}

std::string chainKernel(const ChainType& type) {
  std::string out = opening(fmt::format("fma_{}", type.type));
  out += fmt::format("  .reg .{} %s<{}>, %a;\n  mov.{} %a, {};\n", type.reg, kChains, type.reg, type.one);
  for (int chain = 0; chain < kChains; ++chain) out += fmt::format("  mov.{} %s{}, %a;\n", type.reg, chain);
  out += "round:\n";
  for (int i = 0; i < kUnrolled * kChains; ++i)
    out += fmt::format("  fma.rn.{0} %s{1}, %s{1}, %a, %a;\n", type.type, i % kChains);
  return out + closing(type.type, "%s0");
}

std::string matrixKernel(const MatrixType& type) {
  std::string out = opening(fmt::format("mma_{}", type.name));
  out += fmt::format("  .reg .b32 %a<4>, %b<2>; .reg .{} %s<{}>;\n", type.sum, 4 * kMatrixSums);
  for (int r = 0; r < 4; ++r) out += fmt::format("  mov.b32 %a{}, 0;\n", r);
  for (int r = 0; r < 2; ++r) out += fmt::format("  mov.b32 %b{}, 0;\n", r);
  for (int s = 0; s < 4 * kMatrixSums; ++s)
    out += fmt::format("  mov.{} %s{}, {};\n", type.sum, s, std::string_view(type.sum) == "f32" ? "0f00000000" : "0");
  out += "round:\n";
  for (int i = 0; i < kUnrolled; ++i) {
    const int s = 4 * (i % kMatrixSums);
    const std::string sums = fmt::format("{{%s{}, %s{}, %s{}, %s{}}}", s, s + 1, s + 2, s + 3);
    out += fmt::format("  mma.sync.aligned.{}.row.col.{} {}, {{%a0, %a1, {}}}, {{{}}}, {};\n", type.shape, type.types,
                       sums, "%a2, %a3", "%b0, %b1", sums);
  }
  return out + closing(type.sum, "%s0");
}

// Descriptors of factors without a permutation of lines: 128 bytes from one 16 bytes of the depth to the next, 256 from
// eight rows to the next.
std::string warpgroupKernel(const MatrixType& type) {
  constexpr int kLeftBytes = kGroupRows * kDepthBytes, kBytes = kLeftBytes + kGroupColumns * kDepthBytes;
  const std::string_view sum = type.sum;
  std::string out = opening(fmt::format("mma_{}", type.name));
  out += fmt::format(
      "  .shared .align 128 .b8 factors[{}]; .reg .b32 %base, %t, %at, %end; .reg .b64 %a, %b; .reg .pred %adds, "
      "%fills;\n"
      "  .reg .{} %s<{}>;\n"
      "  mov.u32 %base, factors; add.u32 %end, %base, {}; mov.u32 %t, %tid.x; shl.b32 %at, %t, 2;\n"
      "  add.u32 %at, %at, %base; mov.u32 %t, %ntid.x; shl.b32 %t, %t, 2;\n"
      "fill:\n  st.shared.u32 [%at], 0; add.u32 %at, %at, %t; setp.lt.u32 %fills, %at, %end; @%fills bra fill;\n"
      "  fence.proxy.async.shared::cta; bar.sync 0; setp.eq.u64 %adds, 0, 0;\n"
      "  shr.u32 %t, %base, 4; cvt.u64.u32 %a, %t; or.b64 %a, %a, {}; add.u64 %b, %a, {};\n",
      kBytes, sum, kGroupSums, kBytes, uint64_t{256 / 16} << 32 | uint64_t{128 / 16} << 16, kLeftBytes / 16);
  std::string sums;
  for (int s = 0; s < kGroupSums; ++s) {
    out += fmt::format("  mov.{} %s{}, {};\n", sum, s, sum == "f32" ? "0f00000000" : "0");
    sums += fmt::format("{}%s{}", s == 0 ? "" : ", ", s);
  }
  const bool is16Bits = type.depth == 16;
  out += "round:\n  wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < kGroupUnrolled; ++i)
    out += fmt::format("  wgmma.mma_async.sync.aligned.m64n256k{}.{}.{}.{} {{{}}}, %a, %b, %adds{}{};\n", type.depth,
                       sum, type.name, type.name, sums, sum == "f32" ? ", 1, 1" : "", is16Bits ? ", 0, 0" : "");
  return out + "  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n" + closing(type.sum, "%s0");
}

// Each thread starts at its own word and steps over the grid. action: on the word at %at of both arrays.
std::string streamKernel(const char* name, const char* action) {
  return fmt::format(
      ".visible .entry {}(.param .u64 from, .param .u64 to, .param .u64 words) {{\n"
      "  .reg .b64 %from, %to, %words, %i, %step, %at, %wide; .reg .b32 %b, %n, %t, %v<4>, %sum; .reg .pred %p;\n"
      "  ld.param.u64 %from, [from]; ld.param.u64 %to, [to]; ld.param.u64 %words, [words];\n"
      "  cvta.to.global.u64 %from, %from; cvta.to.global.u64 %to, %to;\n"
      "  mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x;\n"
      "  mul.wide.u32 %i, %b, %n; cvt.u64.u32 %wide, %t; add.s64 %i, %i, %wide;\n"
      "  mov.u32 %b, %nctaid.x; mul.wide.u32 %step, %b, %n;\n"
      "  mov.u32 %sum, 0; mov.u32 %v0, 1; mov.u32 %v1, 1; mov.u32 %v2, 1; mov.u32 %v3, 1;\n"
      "next:\n"
      "  setp.ge.u64 %p, %i, %words; @%p bra done;\n"
      "  shl.b64 %at, %i, 4;\n{}"
      "  add.s64 %i, %i, %step; bra next;\n"
      "done:\n"
      "  setp.eq.u32 %p, %sum, 1234567; @%p st.global.u32 [%to], %sum;\n"
      "  ret;\n}}\n",
      name, action);
}

constexpr const char* kRead =
    "  add.s64 %wide, %from, %at; ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%wide];\n"
    "  xor.b32 %sum, %sum, %v0; xor.b32 %sum, %sum, %v1; xor.b32 %sum, %sum, %v2; xor.b32 %sum, %sum, %v3;\n";
constexpr const char* kWrite = "  add.s64 %wide, %from, %at; st.global.v4.u32 [%wide], {%v0, %v1, %v2, %v3};\n";
constexpr const char* kCopy =
    "  add.s64 %wide, %from, %at; ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%wide];\n"
    "  add.s64 %wide, %to, %at; st.global.v4.u32 [%wide], {%v0, %v1, %v2, %v3};\n";

}  // namespace

std::vector<ArithmeticKernel> arithmeticKernels(const Architecture& architecture) {
  std::vector<ArithmeticKernel> out;
  for (const ChainType& type : kChainTypes)
    out.push_back({fmt::format("fma_{}", type.type), type.type, 2.0 * kChains * kUnrolled});
  if (architecture.number < kFirstWithMatrices) return out;
  const double sumsOfRound = architecture.hasWarpgroupProducts
                                 ? 1.0 * kGroupRows * kGroupColumns / kGroupThreads * kGroupUnrolled
                                 : 16.0 * 8 / 32 * kUnrolled;
  for (const MatrixType& type : kMatrixTypes)
    out.push_back({fmt::format("mma_{}", type.name), type.name, 2 * sumsOfRound * type.depth});
  return out;
}

std::string rooflinePtx(const Architecture& architecture) {
  const bool hasMatrices = architecture.number >= kFirstWithMatrices, hasGroups = architecture.hasWarpgroupProducts;
  std::string out = fmt::format(".version {}\n.target {}\n.address_size 64\n", hasGroups ? "8.0" : "7.0",
                                hasGroups     ? architecture.name
                                : hasMatrices ? "sm_80"
                                              : "sm_70");
  for (const ChainType& type : kChainTypes) out += chainKernel(type);
  if (hasMatrices)
    for (const MatrixType& type : kMatrixTypes) out += hasGroups ? warpgroupKernel(type) : matrixKernel(type);
  return out + streamKernel("read", kRead) + streamKernel("write", kWrite) + streamKernel("copy", kCopy);
}

}  // namespace tessera::cuda
