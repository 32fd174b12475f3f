// Dots and convolutions of the CPU backend against the reference evaluator: random small shapes over all element types,
// all dimension orders, batches, groups, strides, dilations and reversal. The seed is fixed, so a failure repeats.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/hlo_text.h"
#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

using Extents = std::vector<int64_t>;

struct Types {
  const char *lhs, *rhs, *result;
};
constexpr Types kTypes[] = {
    {"f32", "f32", "f32"}, {"f64", "f64", "f64"},       {"bf16", "bf16", "bf16"}, {"bf16", "bf16", "f32"},
    {"f16", "f16", "f16"}, {"f16", "f16", "f32"},       {"f32", "f32", "f64"},    {"bf16", "f32", "f32"},
    {"s8", "s8", "s32"},   {"u8", "s8", "s32"},         {"s8", "u8", "s32"},      {"u8", "u8", "u8"},
    {"s16", "s16", "s16"}, {"s32", "s32", "s32"},       {"u32", "u32", "u32"},    {"s64", "s64", "s64"},
    {"s4", "s4", "s8"},    {"c64", "c64", "c64"},       {"c128", "c128", "c128"}, {"f8e4m3fn", "f8e4m3fn", "f32"},
    {"u64", "u64", "u64"}, {"f8e5m2", "f8e5m2", "bf16"}};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int64_t below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(engine_); }
  int64_t from(std::initializer_list<int64_t> values) {
    return values.begin()[below(static_cast<int64_t>(values.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    std::shuffle(values.begin(), values.end(), engine_);
  }

 private:
  std::mt19937 engine_;
};

std::string listed(const Extents& values) { return fmt::format("{}", fmt::join(values, ",")); }

void expectDot(const std::string& text) { test::expectLikeEvaluator(text, {.fill = {1, 1.0, 251}}); }

// A dot of up to two batch, free and contracting dimensions, in any order.
std::string randomDot(Random& random, const Types& types) {
  struct Role {
    char kind;
    int64_t number, size;
  };
  std::vector<Role> lhs, rhs;
  Extents outBatch, outLeft, outRight;
  auto size = [&] { return random.from({1, 2, 3, 5, 7, 8, 17, 33}); };
  for (int64_t i = 0, n = random.below(3); i < n; ++i) {
    Role role{'b', i, random.from({1, 2, 3})};
    lhs.push_back(role);
    rhs.push_back(role);
  }
  for (int64_t i = 0, n = random.below(3); i < n; ++i) {
    Role role{'k', i, size()};
    lhs.push_back(role);
    rhs.push_back(role);
  }
  for (int64_t i = 0, n = random.below(3); i < n; ++i) lhs.push_back({'f', i, size()});
  for (int64_t i = 0, n = random.below(3); i < n; ++i) rhs.push_back({'f', i, size()});
  random.shuffle(lhs);
  random.shuffle(rhs);
  auto dims = [](const std::vector<Role>& side) {
    Extents out;
    for (const Role& role : side) out.push_back(role.size);
    return out;
  };
  auto find = [](const std::vector<Role>& side, char kind, int64_t number) {
    return std::ranges::find_if(side, [&](const Role& r) { return r.kind == kind && r.number == number; }) -
           side.begin();
  };
  Extents lb, rb, lk, rk, out;
  for (int64_t i = 0; i < 2; ++i) {
    if (auto l = find(lhs, 'b', i); l < static_cast<int64_t>(lhs.size())) {
      lb.push_back(l);
      rb.push_back(find(rhs, 'b', i));
      out.push_back(lhs[static_cast<size_t>(l)].size);
    }
    if (auto l = find(lhs, 'k', i); l < static_cast<int64_t>(lhs.size())) {
      lk.push_back(l);
      rk.push_back(find(rhs, 'k', i));
    }
  }
  for (const Role& role : lhs)
    if (role.kind == 'f') out.push_back(role.size);
  for (const Role& role : rhs)
    if (role.kind == 'f') out.push_back(role.size);
  return fmt::format(
      "HloModule m\n\nENTRY e {{\n  a = {}[{}] parameter(0)\n  b = {}[{}] parameter(1)\n  ROOT d = {}[{}] dot(a, b), "
      "lhs_batch_dims={{{}}}, lhs_contracting_dims={{{}}}, rhs_batch_dims={{{}}}, rhs_contracting_dims={{{}}}\n}}\n",
      types.lhs, listed(dims(lhs)), types.rhs, listed(dims(rhs)), types.result, listed(out), listed(lb), listed(lk),
      listed(rb), listed(rk));
}

struct Spatial {
  int64_t input, window, stride, low, high, windowDilation, baseDilation, output;
  bool reversed;
};

Spatial randomSpatial(Random& random, bool plain) {
  for (;;) {
    Spatial s{random.from({1, 3, 4, 7, 9}),
              random.from({1, 2, 3, 5}),
              random.from({1, 2, 3}),
              random.below(3),
              random.below(3),
              random.from({1, 1, 2}),
              random.from({1, 1, 2, 3}),
              0,
              random.below(2) == 1};
    if (plain)
      s.baseDilation = 1, s.reversed = false;
    else if (random.below(4) == 0)
      s.low -= 2;
    int64_t extent = (s.input - 1) * s.baseDilation + 1 + s.low + s.high,
            window = (s.window - 1) * s.windowDilation + 1;
    if (extent < window) continue;
    s.output = (extent - window) / s.stride + 1;
    return s;
  }
}

// Any labels, groups of features or of the batch, and window attributes.
std::string randomConvolution(Random& random, const Types& types, bool plain) {
  int64_t rank = random.from({1, 2, 2, 3}), featureGroups = 1, batchGroups = 1;
  if (random.below(3) == 0) (plain || random.below(2) ? featureGroups : batchGroups) = random.from({2, 3});
  int64_t depth = random.from({1, 2, 5}), outputs = random.from({1, 3, 8}) * featureGroups * batchGroups,
          batch = random.from({1, 2, 3});
  std::vector<Spatial> spatial;
  for (int64_t d = 0; d < rank; ++d) spatial.push_back(randomSpatial(random, plain));
  auto arrange = [&](const std::string& first, int64_t firstSize, const std::string& second, int64_t secondSize,
                     auto&& sizeOf) {
    std::vector<std::pair<std::string, int64_t>> dims = {{first, firstSize}, {second, secondSize}};
    for (int64_t d = 0; d < rank; ++d) dims.emplace_back(std::to_string(d), sizeOf(spatial[static_cast<size_t>(d)]));
    random.shuffle(dims);
    std::string labels;
    Extents sizes;
    for (auto& [label, size] : dims) {
      labels += label;
      sizes.push_back(size);
    }
    return std::pair(labels, listed(sizes));
  };
  auto [inLabels, in] =
      arrange("b", batch * batchGroups, "f", depth * featureGroups, [](const Spatial& s) { return s.input; });
  auto [kernelLabels, kernel] = arrange("i", depth, "o", outputs, [](const Spatial& s) { return s.window; });
  auto [outLabels, out] = arrange("b", batch, "f", outputs, [](const Spatial& s) { return s.output; });
  std::string size, stride, pad, dilate, base, reversal;
  for (const Spatial& s : spatial) {
    const char* by = size.empty() ? "" : "x";
    size += by + std::to_string(s.window);
    stride += by + std::to_string(s.stride);
    pad += fmt::format("{}{}_{}", by, s.low, s.high);
    dilate += by + std::to_string(s.windowDilation);
    base += by + std::to_string(s.baseDilation);
    reversal += by + std::to_string(s.reversed ? 1 : 0);
  }
  return fmt::format(
      "HloModule m\n\nENTRY e {{\n  a = {}[{}] parameter(0)\n  b = {}[{}] parameter(1)\n  ROOT c = {}[{}] "
      "convolution(a, b), "
      "window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}, dim_labels={}_{}->{}, "
      "feature_group_count={}, batch_group_count={}\n}}\n",
      types.lhs, in, types.rhs, kernel, types.result, out, size, stride, pad, base, dilate, reversal, inLabels,
      kernelLabels, outLabels, featureGroups, batchGroups);
}

class CpuContraction : public testing::Test {
 protected:
  void SetUp() override {
    auto made = makeBackend("cpu");
    ASSERT_TRUE(made) << made.error().toString();
    backend_ = std::move(*made);
  }
  std::unique_ptr<Backend> backend_;
};

TEST_F(CpuContraction, RandomDotsOfAllTypes) {
  Random random(20240501);
  for (int i = 0; i < 4; ++i)
    for (const Types& types : kTypes) expectDot(randomDot(random, types));
}

TEST_F(CpuContraction, RandomConvolutionsOfAllTypes) {
  Random random(7);
  for (int i = 0; i < 3; ++i)
    for (const Types& types : kTypes) expectDot(randomConvolution(random, types, false));
}

TEST_F(CpuContraction, RandomConvolutionsThatALibraryTakes) {
  Random random(11);
  for (int i = 0; i < 30; ++i) expectDot(randomConvolution(random, kTypes[0], i % 2 == 0));
}

// Which step runs the root.
std::string stepOf(Backend& backend, const std::string& text) {
  auto read = readHloText(text);
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(*read.module)) arguments.push_back(fillParameter(shape, 0, {}).value());
  Profile profile;
  auto executable = backend.compile(*read.module);
  if (!executable || !(*executable)->run(arguments, {}, &profile) || profile.steps.empty()) return "";
  return profile.steps.back().what;
}

std::string f32Convolution(const std::string& in, const std::string& kernel, const std::string& out,
                           const std::string& rest) {
  return fmt::format(
      "HloModule m\n\nENTRY e {{\n  a = f32[{}] parameter(0)\n  b = f32[{}] parameter(1)\n"
      "  ROOT c = f32[{}] convolution(a, b), {}\n}}\n",
      in, kernel, out, rest);
}

TEST_F(CpuContraction, FormsOfConvolutionsThatTheLibraryHas) {
  struct Form {
    const char* step;
    std::string text;
  };
  const Form forms[] = {
      {"convolution (oneDNN)", f32Convolution("1,30,30,8", "3,3,8,20", "1,30,30,20",
                                              "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f")},
      {"convolution (oneDNN)",
       f32Convolution("2,9,9,8", "3,3,8,5", "2,9,9,5",
                      "window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f")},
      {"convolution (oneDNN, data)",
       f32Convolution("3,8,8,12", "3,3,7,12", "3,16,16,7",
                      "window={size=3x3 pad=2_1x2_1 lhs_dilate=2x2}, dim_labels=b01f_01oi->b01f")},
      {"convolution (oneDNN, data)",
       f32Convolution("4,8,8,12", "1,1,7,12", "4,16,16,7",
                      "window={size=1x1 pad=0_1x0_1 lhs_dilate=2x2}, dim_labels=b01f_01oi->b01f")},
      {"convolution (oneDNN, weights)", f32Convolution("4,16,16,6", "4,16,16,40", "3,3,6,40",
                                                       "window={size=16x16 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf")},
      {"convolution (oneDNN, weights)",
       f32Convolution("4,16,16,6", "4,8,8,40", "3,3,6,40",
                      "window={size=8x8 pad=0_1x0_1 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf")},
      {"convolution (oneDNN, weights)",
       f32Convolution("4,16,16,6", "4,8,8,40", "1,1,6,40",
                      "window={size=8x8 pad=0_-1x0_-1 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf")},
      // Few features to one, positions side by side: no product.
      {"kernel", f32Convolution("1,1,300", "1,1,31", "1,1,300", "window={size=31 pad=15_15}, dim_labels=bf0_oi0->bf0")},
      {"kernel", f32Convolution("2,3,20,40", "1,3,5,5", "2,1,20,40",
                                "window={size=5x5 pad=2_2x2_2 rhs_reversal=1x1}, dim_labels=bf01_oi01->bf01")},
  };
  for (const Form& form : forms) {
    expectDot(form.text);
    EXPECT_EQ(stepOf(*backend_, form.text), form.step) << form.text;
  }
}

TEST_F(CpuContraction, PointsTimesASmallMatrixAreAKernel) {
  for (const auto& [points, matrix, numbers] :
       {std::array{"1001,3", "3,3", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
        std::array{"1001,3", "3,3", "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
        std::array{"1001,2", "2,3", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"}}) {
    const std::string text = fmt::format(
        "HloModule m\n\nENTRY e {{\n  a = f32[{}] parameter(0)\n  b = f32[{}] parameter(1)\n"
        "  ROOT c = f32[1001,3] dot(a, b), {}\n}}\n",
        points, matrix, numbers);
    expectDot(text);
    EXPECT_EQ(stepOf(*backend_, text), "kernel") << text;
  }
}

TEST_F(CpuContraction, DotsOfSeveralBlocks) {
  for (const char* type : {"f64", "c64", "s32", "f16"})
    expectDot(
        fmt::format("HloModule m\n\nENTRY e {{\n  a = {0}[150,600] parameter(0)\n  b = {0}[600,110] parameter(1)\n"
                    "  ROOT d = {0}[150,110] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n",
                    type));
}

TEST_F(CpuContraction, NothingToSum) {
  expectDot(
      "HloModule m\n\nENTRY e {\n  a = f64[3,0] parameter(0)\n  b = f64[0,4] parameter(1)\n"
      "  ROOT d = f64[3,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
}

// Heads between rows and features: batches that are not at regular distances. Many tiny products, and sums alone.
TEST(CpuDots, BatchesAnywhereAndTinyOnes) {
  const auto dot = [](const std::string& type, const std::string& lhs, const std::string& rhs, const std::string& out,
                      const std::string& numbers) {
    return "HloModule m\n\nENTRY e {\n  x = " + type + lhs + " parameter(0)\n  y = " + type + rhs +
           " parameter(1)\n  ROOT r = " + type + out + " dot(x, y), " + numbers + "\n}\n";
  };
  for (const char* type : {"bf16", "f16", "f32"}) {
    expectDot(dot(type, "[3,40,5,32]", "[3,48,5,32]", "[3,5,40,48]",
                  "lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}"));
    expectDot(dot(type, "[3,5,40,48]", "[3,48,5,32]", "[3,5,40,32]",
                  "lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={1}"));
    expectDot(dot(type, "[100,3,4]", "[100,4,5]", "[100,3,5]",
                  "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"));
    expectDot(dot(type, "[20,300]", "[20,300]", "[20]",
                  "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}"));
  }
}

// Two elements of a step: odd and even numbers of them, with every width of vectors; the largest products that a pair
// can sum, which leave 32 bits.
TEST(CpuDots, NarrowIntegersGoInPairs) {
  const auto product = [](const Types& types, int64_t depth) {
    return fmt::format(
        "HloModule m\n\nENTRY e {{\n  a = {0}[13,{3}] parameter(0)\n  b = {1}[{3},21] parameter(1)\n"
        "  ROOT d = {2}[13,21] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n",
        types.lhs, types.rhs, types.result, depth);
  };
  constexpr std::string_view kLargest =
      "HloModule m\n\nENTRY e {\n  a = s16[13,9] parameter(0)\n  b = s16[9,21] parameter(1)\n"
      "  c = s16[] constant(15)\n  ca = s16[13,9] broadcast(c), dimensions={}\n"
      "  cb = s16[9,21] broadcast(c), dimensions={}\n  l = s16[13,9] shift-left(a, ca)\n"
      "  r = s16[9,21] shift-left(b, cb)\n"
      "  ROOT d = s32[13,21] dot(l, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  for (const std::string isa : {"native", "avx2", "sse4"}) {
    for (const Types& types : {Types{"s8", "s8", "s32"},
                               {"u8", "s8", "s32"},
                               {"u8", "u8", "u32"},
                               {"s16", "s8", "s32"},
                               {"s4", "u4", "s8"},
                               {"pred", "pred", "pred"}})
      for (const int64_t depth : {1, 2, 37, 600})
        test::expectLikeEvaluator(product(types, depth), {.fill = {1, 1.0, 251}, .isa = isa});
    test::expectLikeEvaluator(std::string(kLargest), {.fill = {1, 1.0, 251}, .isa = isa});
  }
  for (const auto& [type, pairs] : {std::pair("u8", true), std::pair("s16", true), std::pair("u16", false)}) {
    const auto executable = test::compiled(test::parsedModule(product({type, type, "s32"}, 600)), 1, "avx2");
    ASSERT_TRUE(executable);
    const auto steps = executable->list(executable->optimized().entryComputation().root, true);
    ASSERT_TRUE(steps && steps->size() == 1);
    EXPECT_EQ((*steps)[0].irBefore.find("pmadd.wd") != std::string::npos, pairs) << type << (*steps)[0].irBefore;
  }
}

// Values are the same whichever way runs: the step's name says which it was.
TEST(CpuDots, EachProductRunsInItsOwnWay) {
  const auto expectStep = [](const std::string& what, const std::string& body) {
    const auto inspect = [&](Executable&, const Profile& profile) {
      EXPECT_TRUE(std::ranges::any_of(profile.steps, [&](const StepProfile& s) { return s.what == what; }))
          << what << " takes no part in\n"
          << body;
    };
    test::expectLikeEvaluator("HloModule m\n\nENTRY e {\n" + body + "}\n", {.fill = {1, 1.0, 251}, .inspect = inspect});
  };
  const auto product = [](const std::string& type, const std::string& result) {
    return "  a = " + type + "[70,90] parameter(0)\n  b = " + type + "[90,80] parameter(1)\n  ROOT d = " + result +
           "[70,80] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  };
  expectStep("dot (sgemm)", product("f32", "f32"));
  expectStep("dot (dgemm)", product("f64", "f64"));
  for (const char* type : {"s16", "s32", "u64", "c64", "c128"}) expectStep("dot (contraction)", product(type, type));
  expectStep("dot (contraction)", product("s4", "s8"));
  expectStep("convolution (contraction)",
             "  x = c64[2,6,14,14] parameter(0)\n  k = c64[8,6,3,3] parameter(1)\n"
             "  ROOT c = c64[2,8,12,12] convolution(x, k), window={size=3x3}, dim_labels=bf01_oi01->bf01\n");
}

// Matrices of two to four rows: scalars, since all that lanes over the batch read would be gathered.
TEST(CpuDots, ManySmallMatricesGatherNothing) {
  for (const char* type : {"f32", "f64", "s32", "c64", "bf16"})
    for (const auto& [lhs, rhs, out] :
         {std::array{"[500,3,3]", "[500,3,3]", "[500,3,3]"}, std::array{"[500,4,4]", "[500,4,4]", "[500,4,4]"},
          std::array{"[50,10,2,3]", "[50,10,3,4]", "[50,10,2,4]"}, std::array{"[500,3,3]", "[500,3]", "[500,3]"}}) {
      const bool isDeep = std::string(lhs).starts_with("[50,");
      const std::string batch = isDeep ? "{0,1}" : "{0}";
      const std::string text = fmt::format(
          "HloModule m\n\nENTRY e {{\n  x = {0}{1} parameter(0)\n  y = {0}{2} parameter(1)\n  ROOT r = {0}{3} dot(x, "
          "y), lhs_batch_dims={4}, rhs_batch_dims={4}, lhs_contracting_dims={{{5}}}, "
          "rhs_contracting_dims={{{6}}}\n}}\n",
          type, lhs, rhs, out, batch, isDeep ? 3 : 2, isDeep ? 2 : 1);
      expectDot(text);
      if (std::string(type) == "bf16") continue;
      EXPECT_EQ(test::rootStep(text).irBefore.find("masked.gather"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace tessera
