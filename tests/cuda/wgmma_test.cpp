// wgmma on the simulated device: factors in every layout that a descriptor can name, against products in C++; and what
// is reported where it is used wrongly.
#include <bit>

#include <fmt/format.h>

#include "tests/cuda/device_case.h"

namespace tessera::cuda {
namespace {

constexpr int kRows = 64, kColumns = 16, kDepth = 32, kSteps = 2;  // two products, each 16 deep

// The layout of one factor of 16-bit elements: `count` rows or columns, kDepth deep.
struct Layout {
  int lineBytes = 16;  // 128, 64, 32: chunks of 16 bytes are permuted; 16: they are not
  bool isAcross = false;
  int count = kRows;

  int lineElements() const { return lineBytes / 2; }
  // The number of lines of a block of memory in which chunks are permuted, as TMA's documentation draws it.
  int permuted(int line, int chunk) const {
    switch (lineBytes) {
      case 128: return chunk ^ line % 8;
      case 64: return chunk ^ line / 2 % 4;
      case 32: return chunk ^ line / 4 % 2;
      default: return chunk;
    }
  }
  int leading() const {
    if (lineBytes == 16) return count / 8 * 128;
    return (isAcross ? kDepth : count) * lineBytes;  // from one block of lines to the next
  }
  int stride() const { return lineBytes == 16 ? 128 : 8 * lineBytes; }
  int bytes() const { return std::max(count, lineElements()) * std::max(kDepth, lineElements()) * 2; }
  // Of an element in shared memory.
  int place(int row, int k) const {
    if (lineBytes == 16)  // blocks of 8 lines of 16 bytes
      return isAcross ? row / 8 * stride() + k / 8 * leading() + k % 8 * 16 + row % 8 * 2
                      : row / 8 * stride() + k / 8 * leading() + row % 8 * 16 + k % 8 * 2;
    const int line = isAcross ? k : row, along = isAcross ? row : k;
    const int chunk = permuted(line % 8, along % lineElements() / 8);
    return along / lineElements() * leading() + line / 8 * stride() + line % 8 * lineBytes + chunk * 16 + along % 8 * 2;
  }
  // From one product to the next, 16 deeper.
  int step() const {
    if (lineBytes == 16) return 2 * leading();
    if (isAcross) return 2 * stride();
    return lineBytes == 32 ? leading() : 32;
  }
  uint64_t descriptor() const {
    const uint64_t kind = lineBytes == 128 ? 1 : lineBytes == 64 ? 2 : lineBytes == 32 ? 3 : 0;
    return kind << 62 | static_cast<uint64_t>(stride() / 16) << 32 | static_cast<uint64_t>(leading() / 16) << 16;
  }
};

struct Factors {
  Layout left, right{.count = kColumns};
  const char* type = "bf16";
};

class Wgmma : public DeviceCase, public testing::WithParamInterface<Factors> {
 protected:
  // Copies `bytes` to shared memory, then `body`; the sums are %f0 to %f7, and stored. Descriptors of the first
  // product: %a and %b; %yes is true.
  static std::string kernel(const Factors& of, int bytes, const std::string& fence, const std::string& body) {
    std::string text = fmt::format(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
        ".visible .entry k(.param .u64 from, .param .u64 to) {{\n.reg .pred %p<3>, %yes; .reg .b32 %r<9>; .reg .f32 "
        "%f<9>; .reg .b64 %w<9>, %a, %b;\n"
        "ld.param.u64 %w0, [from]; ld.param.u64 %w1, [to]; mov.u32 %r0, %tid.x; setp.eq.u32 %yes, 1, 1;\n"
        "mov.u32 %r1, s; mov.u32 %r2, %r0;\n"
        "copy: mul.lo.u32 %r3, %r2, 4; add.u32 %r4, %r1, %r3; cvt.u64.u32 %w2, %r3; add.u64 %w2, %w2, %w0;\n"
        "ld.global.u32 %r5, [%w2]; st.shared.u32 [%r4], %r5; add.u32 %r2, %r2, 128; setp.lt.u32 %p0, %r2, {};\n"
        "@%p0 bra copy;\n{} bar.sync 0;\n"
        "shr.u32 %r6, %r1, 4; cvt.u64.u32 %w3, %r6; or.b64 %a, %w3, {}; add.u64 %w3, %w3, {}; or.b64 %b, %w3, {};\n",
        bytes / 4, fence, of.left.descriptor(), of.left.bytes() / 16, of.right.descriptor());
    for (int i = 0; i < 8; ++i) text += fmt::format("mov.f32 %f{}, 0f3F800000;\n", i);
    text += body + "\nmul.lo.u32 %r7, %r0, 32; cvt.u64.u32 %w4, %r7; add.u64 %w4, %w4, %w1;\n";
    for (int i = 0; i < 8; ++i) text += fmt::format("st.global.f32 [%w4+{}], %f{};\n", 4 * i, i);
    return text + "ret;\n}\n";
  }
  static std::string product(const Factors& of, int step, const std::string& sign = "1") {
    return fmt::format(
        "add.u64 %w5, %a, {}; add.u64 %w6, %b, {};\nwgmma.mma_async.sync.aligned.m64n16k16.f32.{}.{} "
        "{{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}}, %w5, %w6, %yes, {}, 1, {:d}, {:d};\n",
        step * of.left.step() / 16, step * of.right.step() / 16, of.type, of.type, sign, of.left.isAcross,
        of.right.isAcross);
  }

  // Small whole numbers, in both types.
  static float leftAt(int row, int k) { return static_cast<float>((row * 5 + k * 3) % 13 - 6); }
  static float rightAt(int column, int k) { return static_cast<float>((column * 7 + k * 2) % 11 - 5); }
  static uint16_t bitsOf(const char* type, float value) {
    if (std::string(type) == "bf16") return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
    if (value == 0) return 0;
    const int exponent = std::ilogb(value);
    const auto fraction =
        static_cast<uint16_t>(std::lround((std::fabs(value) / std::ldexp(1.0f, exponent) - 1) * 1024));
    return static_cast<uint16_t>((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 | fraction);
  }
  static std::vector<uint16_t> image(const Factors& of) {
    std::vector<uint16_t> out(static_cast<size_t>(of.left.bytes() + of.right.bytes()) / 2);
    for (int k = 0; k < kDepth; ++k) {
      for (int row = 0; row < kRows; ++row)
        out[static_cast<size_t>(of.left.place(row, k)) / 2] = bitsOf(of.type, leftAt(row, k));
      for (int column = 0; column < kColumns; ++column)
        out[static_cast<size_t>(of.left.bytes() + of.right.place(column, k)) / 2] = bitsOf(of.type, rightAt(column, k));
    }
    return out;
  }
  std::vector<float> runBody(const Factors& of, const std::string& body,
                             const std::string& fence = "fence.proxy.async.shared::cta;") {
    device->clearReports();
    const std::vector<uint16_t> shared = image(of);
    const auto bytes = static_cast<int>(shared.size() * 2);
    load(kernel(of, bytes, fence, body));
    const auto out = zeros<float>(kRows * kColumns);
    run("k", {1}, {128}, Arguments(upload(shared), out), static_cast<unsigned>(bytes));
    const auto found = download<float>(out, kRows * kColumns);
    std::vector<float> sums(found.size());
    for (int thread = 0; thread < 128; ++thread)
      for (int i = 0; i < 8; ++i) {
        const int lane = thread % 32, row = thread / 32 * 16 + lane / 4 + 8 * (i / 2 % 2),
                  column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        sums[static_cast<size_t>(row * kColumns + column)] = found[static_cast<size_t>(thread * 8 + i)];
      }
    return sums;
  }
  static std::vector<float> expected(int steps, float sign = 1) {
    std::vector<float> out;
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column) {
        float sum = 0;
        for (int k = 0; k < 16 * steps; ++k) sum += leftAt(row, k) * rightAt(column, k);
        out.push_back(1 + sign * sum);
      }
    return out;
  }
};

const std::string kFence = "wgmma.fence.sync.aligned;\n", kCommit = "wgmma.commit_group.sync.aligned;\n",
                  kWait = "wgmma.wait_group.sync.aligned 0;\n";

TEST_P(Wgmma, MultipliesFactorsAsTheyLie) {
  const Factors& of = GetParam();
  EXPECT_EQ(runBody(of, kFence + product(of, 0) + product(of, 1) + kCommit + kWait), expected(kSteps));
  EXPECT_EQ(errors(), "");
}

Factors factors(int lineBytes, bool leftAcross, bool rightAcross, const char* type = "bf16") {
  return {{lineBytes, leftAcross, kRows}, {lineBytes, rightAcross, kColumns}, type};
}
INSTANTIATE_TEST_SUITE_P(All, Wgmma,
                         testing::Values(factors(16, false, false), factors(32, false, false),
                                         factors(64, false, false), factors(128, false, false), factors(16, true, true),
                                         factors(32, true, true), factors(64, true, true), factors(128, true, true),
                                         factors(128, false, true, "f16"), factors(128, true, false, "f16")),
                         [](const auto& info) {
                           const Factors& of = info.param;
                           return fmt::format("{}_lines_of_{}{}{}", of.type, of.left.lineBytes,
                                              of.left.isAcross ? "_left_across" : "",
                                              of.right.isAcross ? "_right_across" : "");
                         });

class WgmmaReports : public Wgmma {
 protected:
  const Factors of_ = factors(128, false, false);
  void expectReport(const std::string& kind, const std::string& word, const std::string& body,
                    const std::string& fence = "fence.proxy.async.shared::cta;") {
    runBody(of_, body, fence);
    const auto found = reportsOf(kind);
    ASSERT_FALSE(found.empty()) << body << errors();
    EXPECT_TRUE(found[0].isError);
    EXPECT_NE(found[0].text.find(word), std::string::npos) << found[0].text;
  }
};

TEST_F(WgmmaReports, NothingOfGroupsInFlight) {
  const std::string both = kFence + product(of_, 0, "-1") + kCommit + product(of_, 1, "-1") + kCommit;
  EXPECT_EQ(runBody(of_, both + "wgmma.wait_group.sync.aligned 1;\n" + kWait), expected(2, -1));
  EXPECT_EQ(errors(), "");
}

TEST_F(WgmmaReports, SharedMemoryThatIsNotFenced) {
  expectReport("race on shared memory", "without fence.proxy.async", kFence + product(of_, 0) + kCommit + kWait, "");
}

TEST_F(WgmmaReports, SharedMemoryThatChangesBelowAProduct) {
  const std::string write = "bar.sync 0; mad.lo.u32 %r8, %r0, 4, %r1; st.shared.u32 [%r8], 0;\n",
                    begin = kFence + product(of_, 0) + kCommit;
  expectReport("race on shared memory", "without wgmma.wait_group", begin + write + kWait);
  runBody(of_, begin + kWait + write);
  EXPECT_EQ(errors(), "");
}

TEST_F(WgmmaReports, RegistersBeforeTheirProduct) {
  const std::string begin = kFence + product(of_, 0) + kCommit;
  expectReport("race on registers", "changes a register", begin + "mov.f32 %f1, 0f00000000;\n" + kWait);
  expectReport("race on registers", "without wgmma.fence", product(of_, 0) + kCommit + kWait);
  EXPECT_TRUE(std::isnan(runBody(of_, begin)[0]));  // nobody waits
}

TEST_F(WgmmaReports, WhatIsNoProduct) {
  const auto refused = [&](const std::string& body) { return !device->assemble(kernel(of_, 4, "", body)); };
  EXPECT_FALSE(refused(product(of_, 0)));
  std::string text = kernel(of_, 4, "", product(of_, 0));
  text.replace(text.find("sm_90a"), 6, "sm_90 ");
  EXPECT_FALSE(device->assemble(text));
  EXPECT_TRUE(refused("wgmma.mma_async.sync.aligned.m64n12k16.f32.bf16.bf16 {%f0}, %a, %b, %yes, 1, 1, 0, 0;"));
  EXPECT_TRUE(
      refused("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.f16 {%f0,%f1,%f2,%f3}, %a, %b, %yes, 1, 1, 0, 0;"));
  EXPECT_TRUE(
      refused("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0,%f1,%f2,%f3}, %a, %b, %yes, 1, 2, 0, 0;"));
  auto older = makeSimulatedDevice("sm_80");
  EXPECT_FALSE(older->assemble(kernel(of_, 4, "", product(of_, 0))));
}

}  // namespace
}  // namespace tessera::cuda
