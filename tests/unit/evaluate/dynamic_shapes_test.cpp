// Values with run-time sizes: what goes in and out of the entry, and random programs on which the evaluator (elements
// that count alone) and the padded program (masks over bounds) must agree.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "backends/backend.h"
#include "core/evaluate/dynamic_values.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/passes/dynamic/dynamic_padding.h"
#include "core/passes/pipeline.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

Module dynamicModule(const std::string& text) {
  auto read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  if (!read.module) return Module();
  const Diagnostics found = verify(*read.module);
  for (const Diagnostic& d : found.items()) ADD_FAILURE() << d.toString() << "\n" << text;
  return std::move(*read.module);
}

Literal floats(std::vector<int64_t> dims, std::vector<float> values) {
  return Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, std::move(dims)), std::as_bytes(std::span(values)))
      .value();
}

std::vector<Literal> runOn(std::string_view backendName, const Module& module, std::vector<Literal> arguments) {
  auto backend = makeBackend(backendName);
  CompileOptions options;
  options.threads = 1;
  auto executable = (*backend)->compile(module, options);
  EXPECT_TRUE(executable) << backendName << ": " << executable.error().toString() << "\n" << printHloText(module);
  if (!executable) return {};
  auto out = (*executable)->run(arguments);
  EXPECT_TRUE(out) << backendName << ": " << out.error().toString();
  return out ? *out : std::vector<Literal>();
}

void expectPaddedToRightHlo(Module module) {
  const auto padded = padDynamicDimensions(module);
  ASSERT_TRUE(padded) << padded.error().toString();
  const Diagnostics found = verify(module);
  for (const Diagnostic& d : found.items()) ADD_FAILURE() << d.toString() << "\n" << printHloText(module);
}

TEST(DynamicShapes, ParametersTakeAnySizeAndResultsHaveTheirs) {
  const Module module = dynamicModule(R"(HloModule m
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY main {
 x = f32[<=4,2] parameter(0)
 z = f32[] constant(0)
 y = f32[<=4,2] add(x, x)
 s = f32[2] reduce(y, z), dimensions={0}, to_apply=add
 r = f32[2,<=4] transpose(y), dimensions={1,0}
 ROOT t = (f32[2], f32[2,<=4]) tuple(s, r)
})");
  for (std::string_view backend : backendNames()) {
    const auto out = runOn(backend, module, {floats({3, 2}, {1, 2, 3, 4, 5, 6})});
    ASSERT_EQ(out.size(), 2u) << backend;
    EXPECT_TRUE(out[0].identical(floats({2}, {18, 24}))) << backend;
    EXPECT_EQ(out[1].shape().dimensions, (std::vector<int64_t>{2, 3})) << backend;
    EXPECT_TRUE(std::ranges::equal(out[1].data<float>(), std::vector<float>{2, 6, 10, 4, 8, 12})) << backend;
    EXPECT_EQ(runOn(backend, module, {floats({0, 2}, {})})[1].elementCount(), 0) << backend;
  }
}

TEST(DynamicShapes, ReshapesOfNoElementsArePaddedToAModuleThatVerifies) {
  const std::string text = R"(HloModule m
ENTRY main {
 x = f32[<=4,0] parameter(0)
 n = s32[] constant(3)
 r = f32[0,<=4] reshape(x)
 d = f32[0,<=4] dynamic-reshape(x, n, n)
 g = s32[] get-dimension-size(d), dimensions={0}
 ROOT t = (f32[0,<=4], s32[]) tuple(r, g)
})";
  expectPaddedToRightHlo(dynamicModule(text));
  for (std::string_view backend : backendNames()) {
    const auto out = runOn(backend, dynamicModule(text), {floats({2, 0}, {})});
    ASSERT_EQ(out.size(), 2u) << backend;
    EXPECT_EQ(out[1].data<int32_t>()[0], 3) << backend;
  }
}

TEST(DynamicShapes, ArgumentsBeyondTheBoundAreRefused) {
  const Module module = dynamicModule("HloModule m\nENTRY main { ROOT x = f32[<=4] parameter(0) }");
  for (std::string_view name : backendNames()) {
    auto backend = makeBackend(name);
    auto executable = (*backend)->compile(module);
    ASSERT_TRUE(executable) << executable.error().toString();
    EXPECT_FALSE((*executable)->run(std::vector<Literal>{floats({5}, {1, 2, 3, 4, 5})})) << name;
    EXPECT_FALSE((*executable)->run(std::vector<Literal>{floats({2, 1}, {1, 2})})) << name;
    EXPECT_TRUE((*executable)->run(std::vector<Literal>{floats({2}, {1, 2})})) << name;
  }
}

TEST(DynamicShapes, AResultOfOneDynamicArray) {
  const Module module = dynamicModule(R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY main {
 x = f32[4] parameter(0)
 n = s32[] parameter(1)
 ROOT d = f32[<=4] set-dimension-size(x, n), dimensions={0}
})");
  for (std::string_view backend : backendNames()) {
    const auto out = runOn(backend, module, {floats({4}, {1, 2, 3, 4}), Literal::scalar<int32_t>(ElementType::S32, 3)});
    ASSERT_EQ(out.size(), 1u);
    EXPECT_TRUE(out[0].identical(floats({3}, {1, 2, 3}))) << backend;
  }
}

// Three rows of at most four: as a batch of three.
TEST(DynamicShapes, BatchNormsAverageOverTheElementsThatCount) {
  const auto text = [](const std::string& rows) {
    const std::string x = "f32[" + rows + ",2]";
    return "HloModule m\nENTRY main {\n x = " + x +
           " parameter(0)\n s = f32[2] constant({1, 2})\n"
           " o = f32[2] constant({0.5, -1})\n"
           " t = (" +
           x +
           ", f32[2], f32[2]) batch-norm-training(x, s, o), epsilon=0.25, feature_index=1\n"
           " m = f32[2] get-tuple-element(t), index=1\n v = f32[2] get-tuple-element(t), index=2\n"
           " ROOT r = (f32[2], f32[2]) tuple(m, v)\n}";
  };
  const std::vector<Literal> rows{floats({3, 2}, {1, 2, 4, 8, -2, 5})};
  const auto expected = runOn("evaluator", dynamicModule(text("3")), rows);
  for (std::string_view backend : backendNames())
    EXPECT_TRUE(test::sameValues(expected, runOn(backend, dynamicModule(text("<=4")), rows))) << backend;
}

TEST(DynamicShapes, NothingDynamicIsLeftForBackends) {
  const Module module = dynamicModule(R"(HloModule m
ENTRY main {
 x = f32[<=4,3] parameter(0)
 g = s32[] get-dimension-size(x), dimensions={0}
 c = s32[] constant(3)
 k = s32[] multiply(g, c)
 ROOT r = f32[<=12] dynamic-reshape(x, k)
})");
  const auto optimized = optimize(module);
  ASSERT_TRUE(optimized) << optimized.error().toString();
  for (ComputationId computation : optimized->order())
    for (InstructionId id : optimized->at(computation).instructions) {
      EXPECT_FALSE(optimized->shapeOf(id).hasDynamicDimensions()) << optimized->at(id).name;
      EXPECT_NE(optimized->at(id).opcode, Opcode::DynamicReshape);
    }
}

TEST(DynamicShapes, WhatHasNoRuleIsRefusedByName) {
  const Module module = dynamicModule(R"(HloModule m
ENTRY main {
 x = f32[<=4,4] parameter(0)
 ROOT c = f32[<=4,4] cholesky(x), lower=true
})");
  const auto optimized = optimize(module);
  ASSERT_FALSE(optimized);
  EXPECT_EQ(optimized.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(optimized.error().instructionName, "c");
}

// --- random programs

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  std::string program() {
    dims_ = {pick(1, 5), pick(1, 4)};
    line("x", shape(dims_, {}) + " parameter(0)");
    line("n", "s32[] parameter(1)");
    line("z", "f32[] constant(0)");
    line("w", "f32[] constant(2)");
    const int64_t d = pick(0, 1);
    dynamic_ = {d == 0, d == 1};
    bound_ = dims_[static_cast<size_t>(d)];
    step(fmt::format("set-dimension-size(x, n), dimensions={{{}}}", d));
    for (int64_t i = pick(1, 5); i > 0; --i) grow();
    finish();
    return R"(HloModule m
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
less { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = pred[] compare(a, b), direction=LT }
ENTRY main {
)" + text_ +
           "}\n";
  }
  std::vector<int64_t> firstDims() const { return first_; }
  int64_t bound() const { return bound_; }  // of the dimension that is made dynamic
  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

 private:
  void line(std::string_view name, const std::string& what) {
    if (name == "x") first_ = dims_;
    text_ += fmt::format(" {} = {}\n", name, what);
  }
  static std::string shape(const std::vector<int64_t>& dims, const std::vector<bool>& dynamic) {
    std::string out = "f32[";
    for (size_t i = 0; i < dims.size(); ++i)
      out += fmt::format("{}{}{}", i ? "," : "", i < dynamic.size() && dynamic[i] ? "<=" : "", dims[i]);
    return out + "]";
  }
  std::string fresh() { return fmt::format("v{}", ++count_); }
  void step(const std::string& what) {
    const std::string name = fresh();
    line(name, shape(dims_, dynamic_) + " " + what);
    value_ = name;
  }

  void grow() {
    const size_t rank = dims_.size();
    const size_t d = static_cast<size_t>(pick(0, static_cast<int64_t>(rank) - 1));
    const std::string v = value_;
    switch (pick(0, 11)) {
      case 0: return step(fmt::format("multiply({0}, {0})", v));
      case 1: return step(fmt::format("reverse({}), dimensions={{{}}}", v, d));
      case 2:
        dims_[d] = std::max<int64_t>(dims_[d] + (dims_[d] ? dims_[d] - 1 : 0) + 3, 0);
        return step(fmt::format("pad({}, w), padding={}", v, padding(d)));
      case 3: dims_[d] *= 2; return step(fmt::format("concatenate({0}, {0}), dimensions={{{1}}}", v, d));
      case 4:
        if (rank > 2) return;
        dims_.insert(dims_.begin(), 2), dynamic_.insert(dynamic_.begin(), false);
        return step(fmt::format("broadcast({}), dimensions={{{}}}", v, rank == 1 ? "1" : "1,2"));
      case 5:
        if (rank != 2) return;
        std::swap(dims_[0], dims_[1]);
        dynamic_ = {dynamic_[1], dynamic_[0]};
        return step(fmt::format("transpose({}), dimensions={{1,0}}", v));
      case 6: return step(fmt::format("sort({}), dimensions={{{}}}, to_apply=less", v, d));
      case 7:
        if (rank != 2) return;
        dims_ = {dims_[0] * dims_[1]}, dynamic_ = {true};
        return step(fmt::format("reshape({})", v));
      case 8:
        if (rank < 2) return;
        dims_.erase(dims_.begin() + static_cast<int64_t>(d)),
            dynamic_.erase(dynamic_.begin() + static_cast<int64_t>(d));
        return step(fmt::format("reduce({}, z), dimensions={{{}}}, to_apply=add", v, d));
      case 9: {
        if (rank != 2) return;
        const size_t other = 1 - d;
        dims_ = {dims_[other], dims_[other]}, dynamic_ = {dynamic_[other], dynamic_[other]};
        return step(fmt::format("dot({0}, {0}), lhs_contracting_dims={{{1}}}, rhs_contracting_dims={{{1}}}", v, d));
      }
      case 10:
        if (dims_[d] < 2) return;
        dims_[d] = (dims_[d] - 2) / 2 + 1;
        return step(fmt::format("reduce-window({}, z), window={{{}}}, to_apply=add", v, window(d)));
      default:
        if (dims_[d] < 2) return;
        dims_[d] -= 1;
        return step(fmt::format("slice({}), slice={{{}}}", v, slices(d)));
    }
  }
  std::string padding(size_t d) const {
    std::string out;
    for (size_t i = 0; i < dims_.size(); ++i) out += std::string(i ? "x" : "") + (i == d ? "1_2_1" : "0_0");
    return out;
  }
  std::string window(size_t d) const {
    std::string size, stride;
    for (size_t i = 0; i < dims_.size(); ++i)
      size += fmt::format("{}{}", i ? "x" : "", i == d ? 2 : 1),
          stride += fmt::format("{}{}", i ? "x" : "", i == d ? 2 : 1);
    return "size=" + size + " stride=" + stride;
  }
  std::string slices(size_t d) const {
    std::string out;
    for (size_t i = 0; i < dims_.size(); ++i)
      out += fmt::format("{}[{}:{}]", i ? ", " : "", i == d ? 1 : 0, dims_[i] + (i == d ? 1 : 0));
    return out;
  }
  // Sizes, and a sum in which each element has a weight of its own.
  void finish() {
    std::string parts, types;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const std::string size = fresh();
      line(size, fmt::format("s32[] get-dimension-size({}), dimensions={{{}}}", value_, d));
      parts += size + ", ", types += "s32[], ";
    }
    for (size_t d = 0; d < dims_.size(); ++d) {
      const std::string index = fresh(), two = fresh(), weight = fresh(), before = value_;
      line(index, fmt::format("{} iota(), iota_dimension={}", shape(dims_, {}), d));
      line(two, shape(dims_, {}) + " broadcast(w), dimensions={}");
      line(weight, fmt::format("{} add({}, {})", shape(dims_, {}), index, two));
      step(fmt::format("multiply({}, {})", before, weight));
    }
    std::string all;
    for (size_t d = 0; d < dims_.size(); ++d) all += fmt::format("{}{}", d ? "," : "", d);
    const std::string sum = fresh();
    line(sum, fmt::format("f32[] reduce({}, z), dimensions={{{}}}, to_apply=add", value_, all));
    line("ROOT t", fmt::format("({}f32[]) tuple({}{})", types, parts, sum));
  }

  std::mt19937_64 random_;
  std::string text_, value_;
  std::vector<int64_t> dims_, first_;
  std::vector<bool> dynamic_;
  int64_t bound_ = 0;
  int count_ = 0;
};

TEST(DynamicShapes, EvaluatorAndPaddedProgramAgree) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Writer writer(seed);
    const std::string text = writer.program();
    SCOPED_TRACE(text);
    const Module module = dynamicModule(text);
    std::vector<float> values;
    for (int64_t i = 0; i < writer.firstDims()[0] * writer.firstDims()[1]; ++i)
      values.push_back(static_cast<float>(writer.pick(-4, 9)));
    const std::vector<Literal> arguments{
        floats(writer.firstDims(), values),
        Literal::scalar<int32_t>(ElementType::S32, static_cast<int32_t>(writer.pick(0, writer.bound())))};
    expectPaddedToRightHlo(module);
    // The optimised module is HLO too: the evaluator runs both, so that no code is generated for so many programs.
    const auto optimized = optimize(module);
    ASSERT_TRUE(optimized) << optimized.error().toString();
    const auto expected = runOn("evaluator", module, arguments), found = runOn("evaluator", *optimized, arguments);
    EXPECT_TRUE(test::sameValues(expected, found, test::kSameBits)) << printHloText(*optimized);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tessera
