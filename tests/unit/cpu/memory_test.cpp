// Memory that ends in the middle of a run: whatever is left, a run gives the right values or a failure that says so,
// never other values and never a crash. Each try is a child process with an address space of a little more than it has.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

enum Answer : int { kRight = 0, kRefused = 1, kWrong = 2, kOtherFault = 3 };

size_t addressSpace() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

bool limitAddressSpace(size_t soft, size_t hard) {
  const rlimit limit{soft, hard};
  return ::setrlimit(RLIMIT_AS, &limit) == 0;
}

// What other tests of this process gave back would be there for this one: all of it is taken first.
void takeWhatIsFree() {
  for (size_t piece : {16u << 20, 1u << 20, 65000u})
    for (void* volatile taken = ::malloc(piece); taken;) taken = ::malloc(piece);  // volatile: else nothing is taken
}

int runWithin(size_t more, Executable& executable, const std::vector<Literal>& arguments,
              const std::vector<Literal>& expected) {
  const size_t now = addressSpace();
  if (!limitAddressSpace(now, now + more)) return kOtherFault;
  takeWhatIsFree();
  if (!limitAddressSpace(now + more, now + more)) return kOtherFault;
  auto out = executable.run(arguments);
  if (!out) return out.error().kind == ErrorKind::Runtime ? kRefused : kOtherFault;
  for (size_t i = 0; i < expected.size(); ++i)
    if (!expected[i].identical((*out)[i])) return kWrong;
  return kRight;
}

class CpuMemory : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(CpuMemory, EveryAmountGivesRightValuesOrAFailure) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  TESSERA_SKIP("sanitizer-memory");
#endif
  ::mallopt(M_MMAP_THRESHOLD, 1 << 16);
  ReadResult read = readHloText(std::string("HloModule m\nbefore { a = f32[] parameter(0)  b = f32[] parameter(1)  "
                                            "ROOT r = pred[] compare(a, b), direction=LT }\nENTRY main { ") +
                                GetParam().second + " }\n");
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(*read.module))
    arguments.push_back(fillParameter(shape, arguments.size(), {}).value());
  CompileOptions options;
  options.threads = 1;  // a child has only the thread that made it
  auto backend = makeBackend("cpu").value();
  const std::vector<Literal> expected = backend->compile(*read.module, options).value()->run(arguments).value();
  int right = 0, refused = 0;
  for (size_t kilobytes : {0, 16, 128, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 262144, 1048576}) {
    auto executable = backend->compile(*read.module, options).value();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(runWithin(kilobytes << 10, *executable, arguments, expected));
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << kilobytes << " KiB: signal " << WTERMSIG(status);
    ASSERT_LE(WEXITSTATUS(status), kRefused) << kilobytes << " KiB";
    (WEXITSTATUS(status) == kRight ? right : refused) += 1;
  }
  EXPECT_GT(right, 0);
  EXPECT_GT(refused, 0);
}

// Memory that ends while LLVM or oneDNN generates code: neither can say so, and we do.
int compileWithin(size_t more, Backend& backend, const Module& module) {
  const size_t now = addressSpace();
  if (!limitAddressSpace(now, now + more)) return kOtherFault;
  takeWhatIsFree();
  if (!limitAddressSpace(now + more, now + more)) return kOtherFault;
  CompileOptions options;
  options.threads = 1;
  auto executable = backend.compile(module, options);
  if (executable) return kRight;
  return executable.error().kind == ErrorKind::Runtime ? kRefused : kOtherFault;
}

TEST(CpuMemoryToCompile, EveryAmountGivesAnExecutableOrAFailure) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  TESSERA_SKIP("sanitizer-memory");
#endif
  ::mallopt(M_MMAP_THRESHOLD, 1 << 16);
  ReadResult read = readHloText(
      "HloModule m\nadd { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }\nENTRY main { x = "
      "f32[64,48] parameter(0)  "
      "e = f32[64,48] exponential(x)  z = f32[] constant(0)  s = f32[64] reduce(e, z), dimensions={1}, to_apply=add  "
      "w = f32[64,48] broadcast(s), dimensions={0}  q = f32[64,48] divide(e, w)  l = f32[64,48] logistic(x)  t = "
      "f32[48,64] transpose(l), dimensions={1,0}  "
      "d = f32[64,64] dot(q, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}  ROOT o = f32[64,64] erf(d) }\n");
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  auto backend = makeBackend("cpu").value();
  CompileOptions once;
  once.threads = 1;
  ASSERT_TRUE(backend->compile(*read.module, once));
  int made = 0, refused = 0;
  for (size_t kilobytes = 64; kilobytes <= 64 << 10; kilobytes += kilobytes / 2) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(compileWithin(kilobytes << 10, *backend, *read.module));
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << kilobytes << " KiB: signal " << WTERMSIG(status);
    ASSERT_LE(WEXITSTATUS(status), kRefused) << kilobytes << " KiB";
    (WEXITSTATUS(status) == kRight ? made : refused) += 1;
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Steps, CpuMemory,
    testing::Values(
        std::pair("sort",
                  "x = f32[400000] parameter(0)  ROOT r = f32[400000] sort(x), dimensions={0}, to_apply=before"),
        std::pair("product",
                  "x = f32[6000,16] parameter(0)  ROOT r = f32[6000,6000] dot(x, x), lhs_contracting_dims={1}, "
                  "rhs_contracting_dims={1}"),
        std::pair("convolution",
                  "x = f32[16,256,256,8] parameter(0)  w = f32[3,3,8,16] parameter(1)  ROOT r = f32[16,254,254,16] "
                  "convolution(x, w), window={size=3x3}, dim_labels=b01f_01io->b01f"),
        std::pair("transform",
                  "x = c64[1000000] parameter(0)  ROOT r = c64[1000000] fft(x), fft_type=FFT, fft_length={1000000}")),
    [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace tessera
