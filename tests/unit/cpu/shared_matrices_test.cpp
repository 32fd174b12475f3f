// Matrices of a batch among threads: each is computed once, the first failure is told whatever the order, few small
// ones are not shared; and LAPACK's targets on the CPU backend give the evaluator's bits with one thread and with
// several.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "backends/backend.h"
#include "core/custom_calls/shared_matrices.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "tests/support/skips.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

constexpr double kLarge = 1e6;  // operations of a matrix that is worth a thread

// The last piece first, a thread each.
void shareBackwards(int64_t count, int64_t chunk, const ItemRange& range) {
  for (int64_t begin = (count - 1) / chunk * chunk; begin >= 0; begin -= chunk)
    std::jthread([&] { range(begin, std::min(count, begin + chunk)); });
}

Status failureOf(int64_t item) { return fail(std::to_string(item)); }

TEST(SharedMatrices, EachIsComputedOnceOnOtherThreads) {
  std::vector<int> times(100);
  std::atomic<int> elsewhere = 0;
  const auto here = std::this_thread::get_id();
  const auto matrix = [&](int64_t item) -> Status {
    ++times[static_cast<size_t>(item)];
    if (std::this_thread::get_id() != here) ++elsewhere;
    return {};
  };
  {
    const SharedMatrices shared(shareBackwards);
    EXPECT_TRUE(forEachMatrix(100, kLarge, matrix));
    EXPECT_EQ(elsewhere, 100);
    EXPECT_TRUE(forEachMatrix(3, 1, matrix));  // not worth it
    EXPECT_EQ(elsewhere, 100);
  }
  EXPECT_TRUE(forEachMatrix(100, kLarge, matrix));
  EXPECT_EQ(elsewhere, 100);
  for (size_t item = 0; item < times.size(); ++item) EXPECT_EQ(times[item], item < 3 ? 3 : 2);
}

TEST(SharedMatrices, TheFirstFailureIsTold) {
  const SharedMatrices shared(shareBackwards);
  const Status done = forEachMatrix(50, kLarge, [](int64_t item) -> Status {
    if (item % 7 == 5) return failureOf(item);
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "5");
}

TEST(SharedMatrices, ExhaustedMemoryIsThrownOnTheCallersThread) {
  const SharedMatrices shared(shareBackwards);
  EXPECT_THROW((void)forEachMatrix(4, kLarge,
                                   [](int64_t item) -> Status {
                                     if (item == 2) throw std::bad_alloc();
                                     return {};
                                   }),
               std::bad_alloc);
}

struct Batch {
  const char* target;
  const char* result;
  const char* config;
};

class BatchesOfTargets : public testing::TestWithParam<Batch> {};

TEST_P(BatchesOfTargets, GiveTheEvaluatorsBitsWithAnyThreads) {
  const auto [target, result, config] = GetParam();
  ReadResult read =
      readHloText(fmt::format("HloModule m\n\nENTRY e {{\n  a = f32[70,12,12] parameter(0)\n  ROOT r = {} "
                              "custom-call(a), custom_call_target=\"{}\", "
                              "api_version=API_VERSION_TYPED_FFI, backend_config={{{}}}\n}}\n",
                              result, target, config));
  ASSERT_TRUE(read.module);
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(*read.module))
    arguments.push_back(fillParameter(shape, 0, FillRule{5, 1, 50}).value());
  const auto expected = evaluateModule(*read.module, arguments);
  if (!expected) TESSERA_SKIP("no-lapack", expected.error().toString());
  for (int threads : {1, 3}) {
    CompileOptions options;
    options.threads = threads;
    auto executable = makeBackend("cpu").value()->compile(*read.module, options);
    ASSERT_TRUE(executable) << executable.error().toString();
    const auto found = (*executable)->run(arguments);
    ASSERT_TRUE(found) << found.error().toString();
    EXPECT_TRUE(test::sameValues(expected, found, test::kSameBits)) << target << " with " << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Targets, BatchesOfTargets,
    testing::Values(
        Batch{"lapack_ssyevd_ffi", "(f32[70,12,12], f32[70,12], s32[70])", "mode = 86 : ui8, uplo = 76 : ui8"},
        Batch{"lapack_sgeqrf_ffi", "(f32[70,12,12], f32[70,12])", ""},
        Batch{"lapack_sgesdd_ffi", "(f32[70,12,12], f32[70,12], f32[70,12,12], f32[70,12,12], s32[70])",
              "mode = 65 : ui8"},
        Batch{"lapack_sgeev_ffi", "(f32[70,12], f32[70,12], c64[70,12,12], c64[70,12,12], s32[70])",
              "compute_left = 86 : ui8, compute_right = 86 : ui8"},
        Batch{"lapack_sgehrd_ffi", "(f32[70,12,12], f32[70,11], s32[70])", "low = 1 : i32, high = 12 : i32"}));

}  // namespace
}  // namespace tessera
