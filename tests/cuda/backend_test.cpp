// The backend "cuda" on the simulated device, as its users see it: what is said of a wrong device, of memory that ends
// and of a run that is cancelled; and that what has no kernel runs on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <thread>

#include "tests/cuda/device_run.h"

namespace tessera {
namespace {

Module moduleOf(const std::string& text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  inferModule(*read.module);
  return std::move(*read.module);
}

Result<std::unique_ptr<Executable>> compiled(const std::string& text, const std::string& device) {
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend("cuda"));
  CompileOptions options;
  options.device = device;
  return backend->compile(moduleOf(text), options);
}

Literal numbers(std::initializer_list<float> values) {
  Literal out =
      Literal::allocate(Shape::arrayRowMajor(ElementType::F32, {static_cast<int64_t>(values.size())})).value();
  std::ranges::copy(values, out.mutableData<float>().begin());
  return out;
}

constexpr const char* kSum = R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] add(a, a)
})";

// The steps of the root, in words.
std::string stepsOfRoot(const Executable& executable) {
  std::string out;
  const auto steps = executable.list(executable.optimized().entryComputation().root, true);
  for (const StepListing& step : steps.value()) out += step.what + "\n" + step.assembly;
  return out;
}

TEST(CudaBackend, NamesADeviceThatIsNone) {
  for (const char* name : {"x", "-1", "simulatedd", "simulated:", "simulated:sm_80:x", "simulated:gpu"}) {
    const auto executable = compiled(kSum, name);
    ASSERT_FALSE(executable) << name;
    EXPECT_EQ(executable.error().kind, ErrorKind::Usage) << name << ": " << executable.error().toString();
  }
  const auto old = compiled(kSum, "simulated:sm_50");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, ErrorKind::Unsupported);
}

TEST(CudaBackend, RunsAgainIntoTheSameArrays) {
  const auto executable = compiled(kSum, "simulated");
  ASSERT_TRUE(executable) << executable.error().toString();
  std::vector<Literal> outputs;
  const Literal first = numbers({1, 2, 3, 4}), second = numbers({5, 6, 7, -0.5});
  ASSERT_TRUE((*executable)->runInto({&first, 1}, outputs));
  const std::byte* at = outputs[0].bytes().data();
  EXPECT_TRUE(outputs[0].identical(numbers({2, 4, 6, 8})));
  ASSERT_TRUE((*executable)->runInto({&second, 1}, outputs));
  EXPECT_EQ(outputs[0].bytes().data(), at);
  EXPECT_TRUE(outputs[0].identical(numbers({10, 12, 14, -1})));
  EXPECT_NE(stepsOfRoot(**executable).find(".entry"), std::string::npos);
}

TEST(CudaBackend, RefusesArgumentsOfAnotherShape) {
  const auto executable = compiled(kSum, "simulated");
  ASSERT_TRUE(executable);
  const Literal five = numbers({1, 2, 3, 4, 5});
  const auto outputs = (*executable)->run({&five, 1});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().kind, ErrorKind::Usage);
}

TEST(CudaBackend, SaysWhatIsNeededWhereMemoryEnds) {
  const auto executable = compiled(R"(HloModule m
ENTRY e {
  a = f32[4096] parameter(0)
  wide = f32[4096,64] broadcast(a), dimensions={0}
  ROOT large = f32[4096,64] negate(wide)
})",
                                   "simulated:sm_80:100000");
  ASSERT_TRUE(executable) << executable.error().toString();
  const Literal argument = Literal::zeros(Shape::arrayRowMajor(ElementType::F32, {4096})).value();
  const auto outputs = (*executable)->run({&argument, 1});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().kind, ErrorKind::Runtime);
  const std::string text = outputs.error().toString();
  for (const char* part : {"not enough memory on the device", "needs 10", "of 100000 are free", "with 1048576 bytes"})
    EXPECT_NE(text.find(part), std::string::npos) << part << ": " << text;
}

TEST(CudaBackend, RunsOnTheHostWhatHasNoKernel) {
  const auto executable = compiled(R"(HloModule m
ENTRY e {
  s = u64[2] rng-get-and-update-state(), delta=1
  ROOT r = u64[2] add(s, s)
})",
                                   "simulated");
  ASSERT_TRUE(executable) << executable.error().toString();
  std::string steps;
  for (InstructionId id : (*executable)->optimized().entryComputation().instructions) {
    const auto listing = (*executable)->list(id, false);
    ASSERT_TRUE(listing);
    for (const StepListing& step : *listing) steps += step.what + "\n";
  }
  EXPECT_NE(steps.find("on the host"), std::string::npos) << steps;
  const auto first = (*executable)->run({}), second = (*executable)->run({});
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*second)[0].data<uint64_t>()[0] - (*first)[0].data<uint64_t>()[0], 2u);
}

// Prefix sums of rows: of a part of a piece, of whole pieces, and of pieces that are summed beforehand.
template <class T>
void expectPrefixSums(ElementType element, const std::string& type, int64_t length, bool isReversed) {
  constexpr int64_t kRows = 3;
  const std::string n = std::to_string(length), others = std::to_string(length - 1);
  const std::string array = type + "[" + std::to_string(kRows) + "," + n + "]";
  const std::string pad = isReversed ? "0_" + others : others + "_0";
  const auto executable =
      compiled("HloModule m\nsum {\n  a = " + type + "[] parameter(0)\n  b = " + type +
                   "[] parameter(1)\n  ROOT s = " + type + "[] add(a, b)\n}\nENTRY e {\n  x = " + array +
                   " parameter(0)\n  zero = " + type + "[] constant(0)\n  ROOT r = " + array +
                   " reduce-window(x, zero), window={size=1x" + n + " pad=0_0x" + pad + "}, to_apply=sum\n}",
               "simulated");
  ASSERT_TRUE(executable) << executable.error().toString();
  EXPECT_NE(stepsOfRoot(**executable).find("prefix sums"), std::string::npos);
  const Shape shape = Shape::arrayRowMajor(element, {kRows, length});
  Literal argument = Literal::allocate(shape).value(), wanted = Literal::allocate(shape).value();
  const std::span<T> given = argument.mutableData<T>(), sums = wanted.mutableData<T>();
  for (int64_t row = 0; row < kRows; ++row) {
    T sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<size_t>(row * length + (isReversed ? length - 1 - i : i));
      given[at] = static_cast<T>((i * 7 + row) % 11 - 4);
      sum += given[at];
      sums[at] = sum;
    }
  }
  const auto outputs = (*executable)->run({&argument, 1});
  ASSERT_TRUE(outputs) << outputs.error().toString();
  EXPECT_TRUE((*outputs)[0].identical(wanted)) << type << " " << length << (isReversed ? " reversed" : "");
  for (const DeviceReport& report : (*executable)->deviceReports()) EXPECT_FALSE(report.isError) << report.text;
}

TEST(CudaBackend, SumsPrefixesOfRows) {
  for (const bool isReversed : {false, true}) {
    for (const int64_t length : {33, 512, 2048, 5000})
      expectPrefixSums<int32_t>(ElementType::S32, "s32", length, isReversed);
    expectPrefixSums<double>(ElementType::F64, "f64", 5000, isReversed);
  }
}

// A long reduction with few results fills a card, whatever is left over beyond equal blocks.
TEST(CudaBackend, SumsLongArraysInManyBlocks) {
  constexpr int64_t kLength = 1'000'003;
  const auto executable = compiled(R"(HloModule m
sum {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY e {
  x = s32[1000003] parameter(0)
  zero = s32[] constant(7)
  ROOT r = s32[] reduce(x, zero), dimensions={0}, to_apply=sum
})",
                                   "simulated");
  ASSERT_TRUE(executable) << executable.error().toString();
  const auto steps = (*executable)->list((*executable)->optimized().entryComputation().root, false);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 2u);
  EXPECT_GE((*steps)[0].blocks, 128);
  EXPECT_GE((*steps)[1].blockThreads, 32u);
  Literal argument = Literal::allocate(Shape::arrayRowMajor(ElementType::S32, {kLength})).value();
  int32_t wanted = 7;
  for (int32_t i = 0; i < kLength; ++i) wanted += argument.mutableData<int32_t>()[static_cast<size_t>(i)] = i % 1001;
  const auto outputs = (*executable)->run({&argument, 1});
  ASSERT_TRUE(outputs) << outputs.error().toString();
  EXPECT_EQ((*outputs)[0].data<int32_t>()[0], wanted);
  EXPECT_TRUE((*executable)->deviceReports().empty());
}

// A warp's part of a row is read once for all that is made of it.
TEST(CudaBackend, KeepsShortRowsInRegisters) {
  const auto executable = compiled(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[64,256] parameter(0)
  zero = f32[] constant(0)
  s = f32[64] reduce(x, zero), dimensions={1}, to_apply=sum
  sb = f32[64,256] broadcast(s), dimensions={0}
  d = f32[64,256] subtract(x, sb)
  q = f32[64,256] multiply(d, d)
  v = f32[64] reduce(q, zero), dimensions={1}, to_apply=sum
  vb = f32[64,256] broadcast(v), dimensions={0}
  ROOT r = f32[64,256] divide(d, vb)
})",
                                   "simulated");
  ASSERT_TRUE(executable) << executable.error().toString();
  const std::string steps = stepsOfRoot(**executable);
  size_t reads = 0;
  for (size_t at = 0; (at = steps.find("ld.global", at)) != std::string::npos; ++at) ++reads;
  EXPECT_EQ(reads, 2u) << steps;  // of 16 bytes
}

TEST(CudaBackend, EndsALoopWithoutEndWhenItIsCancelled) {
  const auto executable = compiled(R"(HloModule m
condition {
  s = s32[] parameter(0)
  zero = s32[] constant(0)
  ROOT r = pred[] compare(s, zero), direction=GE
}
body {
  s = s32[] parameter(0)
  one = s32[] constant(1)
  both = s32[] add(s, one)
  ROOT r = s32[] and(both, one)
}
ENTRY e {
  a = s32[] parameter(0)
  ROOT w = s32[] while(a), condition=condition, body=body
})",
                                   "simulated");
  ASSERT_TRUE(executable) << executable.error().toString();
  std::atomic<bool> cancel = false;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel = true;
  });
  const Literal start = Literal::scalar<int32_t>(ElementType::S32, 0);
  RunOptions options;
  options.cancel = &cancel;
  const auto outputs = (*executable)->run({&start, 1}, options);
  later.join();
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().message, "cancelled");
}

TEST(CudaBackend, ProfilesSteps) {
  const auto executable = compiled(kSum, "simulated");
  ASSERT_TRUE(executable);
  const Literal argument = numbers({1, 2, 3, 4});
  Profile profile;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*executable)->run({&argument, 1}, {}, &profile));
  EXPECT_EQ(profile.runs, 3);
  ASSERT_EQ(profile.steps.size(), 3u);
  for (const StepProfile& step : profile.steps) EXPECT_EQ(step.count, 3) << step.what;
  EXPECT_GT(profile.steps[0].totalNs, 0);
  EXPECT_EQ(profile.steps[1].what, "copy to the device");
  EXPECT_EQ(profile.steps[2].what, "copy from the device");
  ASSERT_EQ(profile.sources.size(), 2u);  // the parameter: its copy; the sum: its kernel and the result's copy
  EXPECT_EQ(profile.shares.size(), 3u);
  for (const SourceProfile& source : profile.sources) EXPECT_TRUE(source.measured);
  EXPECT_DOUBLE_EQ(profile.sources[0].timeNs, static_cast<double>(profile.steps[1].totalNs));
  EXPECT_DOUBLE_EQ(profile.sources[1].timeNs, static_cast<double>(profile.steps[0].totalNs + profile.steps[2].totalNs));
}

// Tensor cores: a product of f8 as one of f16, which holds all its values: the sums are exact.
TEST(CudaBackend, MultipliesBytesAsHalves) {
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice(R"(HloModule m
ENTRY e {
  a = f8e4m3fn[70,50] parameter(0)
  b = f8e5m2[50,36] parameter(1)
  ROOT r = f32[70,36] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                      "simulated:sm_80", run));
  expectEvaluatorsResults(run);
  expectNoErrors(run);
  EXPECT_NE(stepsOfRoot(*run.executable).find("mma.sync.aligned.m16n8k16.row.col.f32.f16"), std::string::npos);
}

// Tensor cores: a product of bf16 whose sums are exact, with edges in all directions.
TEST(CudaBackend, MultipliesMatricesOnTensorCores) {
  const auto executable = compiled(R"(HloModule m
ENTRY e {
  a = bf16[70,50] parameter(0)
  b = bf16[50,36] parameter(1)
  ROOT r = f32[70,36] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                   "simulated:sm_80");
  ASSERT_TRUE(executable) << executable.error().toString();
  EXPECT_NE(stepsOfRoot(**executable).find("mma.sync"), std::string::npos);
  std::vector<Literal> arguments;
  for (const auto& dims : {std::vector<int64_t>{70, 50}, std::vector<int64_t>{50, 36}}) {
    Literal& argument =
        arguments.emplace_back(Literal::allocate(Shape::arrayRowMajor(ElementType::BF16, dims)).value());
    auto words = argument.mutableData<uint16_t>();
    for (size_t i = 0; i < words.size(); ++i)  // whole numbers from -3 to 3
      words[i] = static_cast<uint16_t>(__builtin_bit_cast(uint32_t, static_cast<float>(i * 5 % 7) - 3) >> 16);
  }
  const auto outputs = (*executable)->run(arguments);
  ASSERT_TRUE(outputs) << outputs.error().toString();
  const auto numberAt = [&](size_t which, int64_t row, int64_t column) {
    const int64_t width = arguments[which].shape().dimensions[1];
    const auto word = arguments[which].data<uint16_t>()[static_cast<size_t>(row * width + column)];
    return __builtin_bit_cast(float, static_cast<uint32_t>(word) << 16);
  };
  for (int64_t row = 0; row < 70; ++row)
    for (int64_t column = 0; column < 36; ++column) {
      float sum = 0;
      for (int64_t k = 0; k < 50; ++k) sum += numberAt(0, row, k) * numberAt(1, k, column);
      ASSERT_EQ((*outputs)[0].data<float>()[static_cast<size_t>(row * 36 + column)], sum) << row << ", " << column;
    }
  EXPECT_TRUE(std::ranges::none_of((*executable)->deviceReports(), &DeviceReport::isError));
}

}  // namespace
}  // namespace tessera
