// The states of random instructions over several runs of one executable.
#include <gtest/gtest.h>

#include "backends/backend.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

std::vector<uint64_t> firstWords(std::string_view backendName, const std::string& root, int runs) {
  auto read = readHloText(
      "HloModule m\nENTRY main {\n a = u64[] constant(0)\n b = u64[] constant(1000000007)\n ROOT r = " + root +
      "\n}\n");
  EXPECT_TRUE(read.module);
  auto backend = makeBackend(backendName);
  auto executable = (*backend)->compile(*read.module);
  EXPECT_TRUE(executable) << executable.error().toString();
  std::vector<uint64_t> out;
  for (int i = 0; i < runs; ++i) out.push_back((*executable)->run({})->front().data<uint64_t>()[0]);
  return out;
}

TEST(RandomStates, RngGetAndUpdateStateGoesOnFromRunToRun) {
  for (std::string_view backend : backendNames())
    EXPECT_EQ(firstWords(backend, "u64[2] rng-get-and-update-state(), delta=64", 3),
              (std::vector<uint64_t>{117515157, 117515221, 117515285}))
        << backend;
}

TEST(RandomStates, RngGivesTheSameNumbersInEachRun) {
  for (std::string_view backend : backendNames()) {
    const auto words = firstWords(backend, "u64[2] rng(a, b), distribution=rng_uniform", 2);
    EXPECT_EQ(words[0], words[1]) << backend;
  }
}

}  // namespace
}  // namespace tessera
