// GEMM chains: dots and what is done to their rows as one fusion that runs by tiles. Which graphs become one, that
// values are the evaluator's and the same bits on any number of threads, and that the arrays between are not in memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

constexpr const char* kChainReducers =
    "HloModule m\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\n"
    "most {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] maximum(a, b)\n}\n\n";

int chainsOf(const Module& module) {
  int count = 0;
  for (InstructionId id : module.entryComputation().instructions)
    count += module.at(id).opcode == Opcode::Fusion && module.at(id).attributes->textOr(Attr::kind, "") == "kOutput";
  return count;
}

constexpr const char *kDots = "tiles of rows: dots and kernel", *kDot = "tiles of rows: dot and kernel";

// Values and bits; how many chains there are; the step of each is `what`. Gives the peak memory.
int64_t expectChains(const std::string& text, int chains, const std::string& what = kDot) {
  auto read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  if (!read.module) return 0;
  std::vector<Literal> arguments, first;
  uint64_t leaf = 0;
  for (const Shape& shape : entryArgumentShapes(*read.module))
    arguments.push_back(fillParameter(shape, leaf++, FillRule{3, 1.0, 8}).value());
  auto expected = evaluateModule(*read.module, arguments);
  EXPECT_TRUE(expected) << expected.error().toString();
  int64_t peak = 0;
  for (int threads : {1, 2, 5, 5}) {
    CompileOptions options;
    options.threads = threads;
    auto executable = makeBackend("cpu").value()->compile(*read.module, options);
    EXPECT_TRUE(executable) << executable.error().toString();
    if (!executable) return 0;
    if (threads == 2) peak = (*executable)->peakBytes();
    const Module& optimized = (*executable)->optimized();
    EXPECT_EQ(chainsOf(optimized), chains) << text;
    for (InstructionId id : optimized.entryComputation().instructions) {
      if (optimized.at(id).opcode != Opcode::Fusion || optimized.at(id).attributes->textOr(Attr::kind, "") != "kOutput")
        continue;
      auto steps = (*executable)->list(id, false);
      EXPECT_TRUE(steps && steps->size() == 1 && (*steps)[0].what == what) << text;
    }
    auto results = (*executable)->run(arguments);
    EXPECT_TRUE(results) << results.error().toString();
    if (first.empty()) first = *results;
    EXPECT_TRUE(test::sameValues(first, *results, test::kSameBits)) << text;
  }
  EXPECT_TRUE(test::sameValues(*expected, first, {Tolerance{1e-4, 1e-5}})) << text;
  return peak;
}

std::string array(std::initializer_list<int64_t> dims) {
  std::string out = "f32[";
  for (int64_t d : dims) out += (out.size() > 4 ? "," : "") + std::to_string(d);
  return out + "]";
}

// softmax(q·kᵀ / 4 + mask) · v; the scores on the left or on the right of the second dot.
std::string attention(int64_t batch, int64_t rows, int64_t keys, int64_t depth, bool onRight) {
  const std::string b = std::to_string(batch) + ",", s = array({batch, rows, keys}), r = array({batch, rows}),
                    out = onRight ? array({batch, depth, rows}) : array({batch, rows, depth});
  return std::string(kChainReducers) + "ENTRY e {\n  q = " + array({batch, rows, depth}) +
         " parameter(0)\n  k = " + array({batch, keys, depth}) + " parameter(1)\n  v = " + array({batch, keys, depth}) +
         " parameter(2)\n  mask = " + array({rows, keys}) + " parameter(3)\n  p = " + s +
         " dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}\n  c "
         "= f32[] constant(0.25)\n  cb = " +
         s + " broadcast(c), dimensions={}\n  a = " + s + " multiply(p, cb)\n  mk = " + s +
         " broadcast(mask), dimensions={1,2}\n  am = " + s + " add(a, mk)\n  low = f32[] constant(-inf)\n  mx = " + r +
         " reduce(am, low), dimensions={2}, to_apply=most\n  mb = " + s +
         " broadcast(mx), dimensions={0,1}\n  su = " + s + " subtract(am, mb)\n  ex = " + s +
         " exponential(su)\n  z = f32[] constant(0)\n  sm = " + r +
         " reduce(ex, z), dimensions={2}, to_apply=sum\n  sb = " + s + " broadcast(sm), dimensions={0,1}\n  w = " + s +
         " divide(ex, sb)\n  ROOT o = " + out + " dot(" +
         (onRight
              ? "v, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={2}"
              : "w, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}") +
         "\n}\n";
}

std::string dense(const std::string& work, int64_t m, int64_t n, int64_t k) {
  std::string out = std::string(kChainReducers) + "ENTRY e {\n  a = " + array({m, k}) +
                    " parameter(0)\n  w = " + array({k, n}) + " parameter(1)\n  b = " + array({n}) +
                    " parameter(2)\n  d = ";
  return out + array({m, n}) + " dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" + work + "}\n";
}

TEST(CpuGemmChain, AttentionRunsByTiles) {
  expectChains(attention(4, 256, 256, 16, false), 1, kDots);
  expectChains(attention(4, 256, 256, 16, true), 1, kDots);
  expectChains(attention(3, 201, 333, 24, false), 1, kDots);  // a tile that is not full, rows that fill no vector
  expectChains(attention(3, 201, 333, 24, true), 1, kDots);
}

TEST(CpuGemmChain, ScoresAreNotInMemory) {
  const int64_t scores = 16 * 512 * 512 * 4, outside = (4 * 16 * 512 * 16 + 512 * 512) * 4;
  EXPECT_LT(expectChains(attention(16, 512, 512, 16, false), 1, kDots), outside + scores / 8);
}

// The kernel reads elements that it has stored over by then: the tile behind it is another one.
TEST(CpuGemmChain, RowsThatAreReadBackwardsAreNotOverwritten) {
  const std::string s = array({300, 260});
  expectChains(dense("  x = " + s + " reverse(d), dimensions={1}\n  y = " + s + " subtract(x, d)\n  t = " + s +
                         " tanh(y)\n  v = f32[260,30] parameter(3)\n  ROOT o = f32[300,30] dot(t, v), "
                         "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
                     300, 260, 40),
               1, kDots);
}

TEST(CpuGemmChain, SmallScoresStayApart) { expectChains(attention(2, 64, 64, 8, false), 0); }

TEST(CpuGemmChain, WorkBehindADotJoinsIt) {
  const std::string s = array({300, 260});
  expectChains(
      dense("  bb = " + s + " broadcast(b), dimensions={1}\n  x = " + s + " add(d, bb)\n  ROOT t = " + s + " tanh(x)\n",
            300, 260, 40),
      1);
  // all elements alike: the kernel walks them as one dimension
  expectChains(
      dense("  t = " + array({256, 512}) + " tanh(d)\n  ROOT u = " + array({256, 512}) + " add(t, d)\n", 256, 512, 40),
      1);
  // the bias is another order's
  expectChains(dense("  bb = " + s + " broadcast(b), dimensions={1}\n  x = " + s +
                         " add(bb, d)\n  y = f32[2,150,260] reshape(x)\n  ROOT t = f32[2,150,260] tanh(y)\n",
                     300, 260, 40),
               1);
}

// A dot is where its end's result will, unless elements are needed once more after that or are of another width.
TEST(CpuGemmChain, EndsAreWrittenOverTheirDot) {
  const std::string s = array({700, 260}), bias = "  bb = " + s + " broadcast(b), dimensions={1}\n";
  const int64_t arguments = 4 * (700 * 40 + 40 * 260 + 260);
  EXPECT_EQ(expectChains(dense(bias + "  x = " + s + " add(d, bb)\n  ROOT t = " + s + " tanh(x)\n", 700, 260, 40), 1),
            arguments + 4 * 700 * 260);
  EXPECT_GT(expectChains(
                dense("  x = " + s + " reverse(d), dimensions={1}\n  ROOT y = " + s + " add(x, d)\n", 700, 260, 40), 1),
            arguments + 4 * 700 * 260);
  EXPECT_GT(expectChains(dense(bias + "  ROOT y = pred[700,260] compare(d, bb), direction=GT\n", 700, 260, 40), 1),
            arguments + 700 * 260);
  const std::string t = array({3, 200, 256});
  expectChains("HloModule m\n\nENTRY e {\n  a = f32[3,200,50] parameter(0)\n  b = f32[3,50,256] parameter(1)\n  r = " +
                   t + " parameter(2)\n  d = " + t +
                   " dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                   "rhs_contracting_dims={1}\n  ROOT y = " +
                   t + " subtract(r, d)\n}\n",
               1);
}

// All of a row is read by loops, which end before the first of its elements is stored.
TEST(CpuGemmChain, RowStatisticsAreWrittenOverTheirDot) {
  const std::string s = array({300, 260}), r = array({300});
  const int64_t arguments = 4 * (300 * 40 + 40 * 260 + 260);
  EXPECT_EQ(expectChains(dense("  low = f32[] constant(-inf)\n  mx = " + r +
                                   " reduce(d, low), dimensions={1}, to_apply=most\n  mb = " + s +
                                   " broadcast(mx), dimensions={0}\n  su = " + s +
                                   " subtract(d, mb)\n  ROOT ex = " + s + " exponential(su)\n",
                               300, 260, 40),
                         1),
            arguments + 4 * 300 * 260);
}

// Each element of a row is summed up from all of the row's products, so none may be stored before the last is made.
TEST(CpuGemmChain, RowsThatEachElementReadsKeepTheirDot) {
  const std::string s = array({512, 128}), c = array({512, 128, 128});
  const int64_t arguments = 4 * (512 * 40 + 40 * 128 + 128 + 128 * 128);
  EXPECT_GT(expectChains(
                dense("  m = f32[128,128] parameter(3)\n  db = " + c + " broadcast(d), dimensions={0,2}\n  mb = " + c +
                          " broadcast(m), dimensions={2,1}\n  x = " + c +
                          " maximum(db, mb)\n  z = f32[] constant(0)\n  ROOT t = " + s +
                          " reduce(x, z), dimensions={2}, to_apply=sum\n",
                      512, 128, 40),
                1),
            arguments + 4 * 512 * 128);
}

TEST(CpuGemmChain, TwoDotsOneKernel) {
  const std::string s = array({300, 260});
  expectChains(dense("  g = " + array({300, 40}) + " parameter(3)\n  e = " + s +
                         " dot(g, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  l = " + s +
                         " logistic(e)\n  ROOT t = " + s + " multiply(d, l)\n",
                     300, 260, 40),
               1);  // the first is in the result, the other in tiles
}

TEST(CpuGemmChain, DenseLayersInARow) {
  const std::string s = array({300, 260});
  expectChains(dense("  t = " + s +
                         " tanh(d)\n  v = f32[260,30] parameter(3)\n  ROOT o = f32[300,30] dot(t, v), "
                         "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
                     300, 260, 40),
               1, kDots);
}

// The second dot's rows are other pieces of memory than the first one's: it stays apart.
TEST(CpuGemmChain, RowsOfAnotherLengthEndTheChain) {
  const std::string s = array({300, 260});
  for (const char* dot : {"f32[150,30] dot(u, v)", "f32[30,150] dot(v, u)"}) {
    const bool onRight = std::string(dot).find("(v, u)") != std::string::npos;
    expectChains(
        dense("  t = " + s + " tanh(d)\n  u = f32[150,520] reshape(t)\n  v = f32[520,30] parameter(3)\n  ROOT o = " +
                  dot + ", lhs_contracting_dims={" + (onRight ? "0" : "1") + "}, rhs_contracting_dims={" +
                  (onRight ? "1" : "0") + "}\n",
              300, 260, 40),
        1, kDot);
  }
}

// Values that somebody else reads as well must be in memory.
TEST(CpuGemmChain, AnotherReaderKeepsTheDotApart) {
  const std::string s = array({300, 260});
  expectChains(dense("  t = " + s + " tanh(d)\n  ROOT o = (" + s + ", " + s + ") tuple(t, d)\n", 300, 260, 40), 0);
}

// Rows in another order than they are made in: whole arrays, in three steps.
TEST(CpuGemmChain, KernelsThatMixRowsRunOverWholeArrays) {
  const std::string s = array({300, 260});
  expectChains(dense("  x = " + s + " reverse(d), dimensions={0}\n  y = " + s + " add(x, d)\n  t = " + s +
                         " tanh(y)\n  v = f32[260,30] parameter(3)\n  ROOT o = f32[300,30] dot(t, v), "
                         "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
                     300, 260, 40),
               1, "dots and kernel");
  expectChains(dense("  x = " + s + " reverse(d), dimensions={1}\n  ROOT y = " + s + " add(x, d)\n", 300, 260, 40),
               1);  // within a row it may
}

}  // namespace
}  // namespace tessera
