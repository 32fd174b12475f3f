// The kernels that the CPU backend keeps between processes: found again, and never trusted when something is wrong.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "tests/support/skips.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Several kernels, one with a constant pool and one that calls a function of ours (f64's sine).
constexpr const char* kCachedText =
    "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n\nENTRY "
    "e {\n"
    "  a = f32[300,70] parameter(0)\n  b = f64[97] parameter(1)\n  z = f32[] constant(0)\n  t = f32[300,70] tanh(a)\n"
    "  r = f32[300] reduce(t, z), dimensions={1}, to_apply=add\n  s = f64[97] sine(b)\n  i = s32[50] iota(), "
    "iota_dimension=0\n"
    "  ROOT o = (f32[300], f64[97], s32[50]) tuple(r, s, i)\n}\n";

class CpuKernelCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tessera-kernels-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    scratch_ = name;
    folder_ = scratch_ / "kernels";
    const char* config = std::getenv("XDG_CONFIG_HOME");
    configBefore_ = config ? config : "";
    useConfig("config");
    expected_ = outputsWith("");
  }
  void TearDown() override {
    configBefore_.empty() ? ::unsetenv("XDG_CONFIG_HOME") : ::setenv("XDG_CONFIG_HOME", configBefore_.c_str(), 1);
    std::error_code error;
    fs::remove_all(scratch_, error);
  }

  // Where the secret is that entries are made with.
  fs::path useConfig(const std::string& name) const {
    ::setenv("XDG_CONFIG_HOME", (scratch_ / name).c_str(), 1);
    return scratch_ / name / "tessera" / "kernel_cache_key";
  }

  std::vector<Literal> outputsWith(const std::string& folder, const std::string& isa = "native") {
    const Module module = *readHloText(kCachedText).module;
    CompileOptions options;
    options.progress = progress_;
    options.kernelCache = folder;
    options.isa = isa;
    auto executable = makeBackend("cpu").value()->compile(module, options);
    EXPECT_TRUE(executable) << executable.error().toString();
    if (!executable) return {};
    counts_ = (*executable)->kernelCounts();
    std::vector<Literal> arguments;
    uint64_t leaf = 0;
    for (const Shape& shape : entryArgumentShapes(module))
      arguments.push_back(fillParameter(shape, leaf++, FillRule{7, 1.0, 8}).value());
    return (*executable)->run(arguments).value();
  }
  // Compiles with the folder and expects the right values, and so many kernels from the cache.
  void expectRight(int64_t cached) {
    const std::vector<Literal> found = outputsWith(folder_.string());
    EXPECT_TRUE(test::sameValues(expected_, found, test::kSameBits));
    EXPECT_EQ(counts_.cached, cached);
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> out;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
  }
  static std::string contentOf(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }
  static void write(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }

  fs::path scratch_, folder_;
  std::string configBefore_;
  std::function<void(std::string_view, double)> progress_;
  std::vector<Literal> expected_;
  KernelCounts counts_;
};

TEST_F(CpuKernelCache, FindsWhatWasCompiledBefore) {
  expectRight(0);
  const int64_t kernels = counts_.kernels;
  EXPECT_GE(kernels, 3);
  EXPECT_EQ(entries().size(), static_cast<size_t>(kernels));
  expectRight(kernels);
  EXPECT_GT(counts_.codeBytes, 0);
}

TEST_F(CpuKernelCache, IsOffWithoutAFolder) {
  outputsWith("");
  EXPECT_EQ(counts_.cached, 0);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(CpuKernelCache, DamagedEntriesAreCompiledAnew) {
  expectRight(0);
  const int64_t kernels = counts_.kernels;
  const auto damages = {+[](std::string s) {
                          s[s.size() - 3] ^= 1;
                          return s;
                        },
                        +[](std::string s) {
                          s[20] ^= 1;
                          return s;
                        },
                        +[](std::string s) { return s.substr(0, s.size() / 2); },
                        +[](std::string) { return std::string(); }, +[](std::string s) { return s + "x"; }};
  for (auto damage : damages) {
    for (const fs::path& entry : entries()) write(entry, damage(contentOf(entry)));
    expectRight(0);
    expectRight(kernels);  // what was damaged has been replaced
  }
}

// Opening a pipe waits for somebody who writes.
TEST_F(CpuKernelCache, WhatIsNoFileIsPassedOver) {
  expectRight(0);
  const auto files = entries();
  for (size_t i = 0; i < files.size(); ++i) {
    fs::remove(files[i]);
    if (i % 2 == 0)
      ASSERT_EQ(::mkfifo(files[i].c_str(), 0600), 0);
    else
      fs::create_directory(files[i]);
  }
  expectRight(0);
}

TEST_F(CpuKernelCache, EntriesOfOtherKernelsAreRefused) {
  expectRight(0);
  const auto files = entries();
  const std::string first = contentOf(files.front());
  for (size_t i = 0; i + 1 < files.size(); ++i) write(files[i], contentOf(files[i + 1]));
  write(files.back(), first);
  expectRight(0);
}

TEST_F(CpuKernelCache, OtherInstructionSetsHaveOtherEntries) {
  expectRight(0);
  const size_t before = entries().size();
  outputsWith(folder_.string(), "sse4");
  EXPECT_EQ(counts_.cached, 0);
  EXPECT_EQ(entries().size(), 2 * before);
}

TEST_F(CpuKernelCache, AFolderThatCannotBeMadeMeansNone) {
  write(folder_, "a file where the folder should be");
  expectRight(0);
  expectRight(0);
  EXPECT_TRUE(fs::is_regular_file(folder_));
}

TEST_F(CpuKernelCache, AFolderThatOthersMayWriteIsNotUsed) {
  fs::create_directories(folder_);
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  expectRight(0);
  EXPECT_TRUE(entries().empty());
}

TEST_F(CpuKernelCache, AFolderBelowOneThatOthersMayWriteIsNotUsed) {
  const fs::path open = scratch_ / "open";
  fs::create_directories(open);
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  folder_ = open / "kernels";
  expectRight(0);
  expectRight(0);
  EXPECT_FALSE(fs::exists(folder_));
  // The sticky bit keeps others from renaming it.
  ASSERT_EQ(::chmod(open.c_str(), 01777), 0);
  expectRight(0);
  expectRight(counts_.kernels);
}

TEST_F(CpuKernelCache, AFolderThatIsALinkIsNotUsed) {
  const fs::path other = scratch_ / "other";
  fs::create_directories(other);
  fs::create_directory_symlink(other, folder_);
  expectRight(0);
  expectRight(0);
  EXPECT_TRUE(fs::is_empty(other));
}

// What is stored and found goes by the folder that was checked, not by its path.
TEST_F(CpuKernelCache, AFolderSwappedAfterTheCheckIsNotUsed) {
  expectRight(0);
  const int64_t kernels = counts_.kernels;
  for (const fs::path& entry : entries()) fs::remove(entry);
  const fs::path moved = scratch_ / "moved";
  progress_ = [&](std::string_view stage, double) {
    if (stage != "generate code") return;
    fs::rename(folder_, moved);
    fs::create_directories(folder_);
  };
  expectRight(0);
  progress_ = nullptr;
  EXPECT_TRUE(entries().empty());
  folder_ = moved;
  EXPECT_EQ(entries().size(), static_cast<size_t>(kernels));
  expectRight(kernels);
}

TEST_F(CpuKernelCache, EntriesThatOthersMayWriteAreNotUsed) {
  expectRight(0);
  const int64_t kernels = counts_.kernels;
  for (const fs::path& entry : entries()) ASSERT_EQ(::chmod(entry.c_str(), 0620), 0);
  expectRight(0);
  expectRight(kernels);
}

TEST_F(CpuKernelCache, EntriesOfOtherUsersAreNotUsed) {
  if (::geteuid() != 0) TESSERA_SKIP("not-root");
  expectRight(0);
  const int64_t kernels = counts_.kernels;
  constexpr uid_t kNobody = 65534;
  for (const fs::path& entry : entries()) ASSERT_EQ(::chown(entry.c_str(), kNobody, kNobody), 0);
  expectRight(0);
  expectRight(kernels);
  ASSERT_EQ(::chown(folder_.c_str(), kNobody, kNobody), 0);
  expectRight(0);
}

// Whoever does not know the secret can write whole entries under the right names, and they are nothing.
TEST_F(CpuKernelCache, EntriesMadeWithAnotherSecretAreNotUsed) {
  expectRight(0);
  const int64_t kernels = counts_.kernels;
  useConfig("another");
  expectRight(0);
  expectRight(kernels);
  useConfig("config");
  expectRight(0);
}

TEST_F(CpuKernelCache, TheSecretIsThisUsersAlone) {
  expectRight(0);
  const fs::path secret = useConfig("config");
  EXPECT_EQ(fs::status(secret).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::file_size(secret), 32u);
  const std::string before = contentOf(secret);
  // Others could have read it: it is made again.
  ASSERT_EQ(::chmod(secret.c_str(), 0644), 0);
  expectRight(0);
  EXPECT_NE(contentOf(secret), before);
  EXPECT_EQ(fs::status(secret).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  expectRight(counts_.kernels);
}

TEST_F(CpuKernelCache, WithoutASecretNothingIsKept) {
  write(scratch_ / "file", "");
  ::setenv("XDG_CONFIG_HOME", (scratch_ / "file").c_str(), 1);
  expectRight(0);
  expectRight(0);
  EXPECT_TRUE(entries().empty());
}

// The file size limit stands for a full disk: writing fails in the middle.
TEST_F(CpuKernelCache, AFullDiskLeavesNothingBehind) {
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::vector<Literal> found = outputsWith(folder_.string());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(test::sameValues(expected_, found, test::kSameBits));
  EXPECT_TRUE(entries().empty());
  expectRight(0);
  expectRight(counts_.kernels);
}

TEST_F(CpuKernelCache, IsBoundedInSize) {
  expectRight(0);
  const fs::path large = folder_ / "large";
  write(large, "");
  fs::resize_file(large, uintmax_t{300} << 20);  // a hole: takes no room
  fs::last_write_time(large, fs::file_time_type::clock::now() - std::chrono::hours(100));
  outputsWith(folder_.string(), "avx2");  // stores something, so looks at the size
  EXPECT_FALSE(fs::exists(large));
  EXPECT_GT(entries().size(), 0u);
}

TEST(CpuIsa, KernelsForLesserProcessorsGiveTheSameValues) {
  const Module module = *readHloText(kCachedText).module;
  std::vector<Literal> arguments;
  uint64_t leaf = 0;
  for (const Shape& shape : entryArgumentShapes(module))
    arguments.push_back(fillParameter(shape, leaf++, FillRule{7, 1.0, 8}).value());
  auto expected = evaluateModule(module, arguments);
  ASSERT_TRUE(expected);
  for (const char* isa : {"native", "avx2", "sse4"}) {
    CompileOptions options;
    options.isa = isa;
    auto executable = makeBackend("cpu").value()->compile(module, options);
    ASSERT_TRUE(executable) << executable.error().toString();
    auto found = (*executable)->run(arguments);
    EXPECT_TRUE(test::sameValues(expected, found)) << isa;
  }
  CompileOptions options;
  options.isa = "mmx";
  auto refused = makeBackend("cpu").value()->compile(module, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
}

TEST(CpuKernelListing, ShowsCodeAndPlaces) {
  const Module module = *readHloText(kCachedText).module;
  auto executable = makeBackend("cpu").value()->compile(module).value();
  int withCode = 0;
  for (InstructionId id : executable->optimized().entryComputation().instructions) {
    auto steps = executable->list(id, true);
    ASSERT_TRUE(steps) << steps.error().toString();
    for (const StepListing& step : *steps) {
      EXPECT_FALSE(step.buffers.empty());
      if (!step.what.starts_with("kernel")) continue;
      ++withCode;
      EXPECT_NE(step.irBefore.find("define"), std::string::npos);
      EXPECT_NE(step.irAfter.find("define"), std::string::npos);
      EXPECT_NE(step.assembly.find("ret"), std::string::npos);
    }
  }
  EXPECT_GE(withCode, 2);
}

}  // namespace
}  // namespace tessera
