// Every file of resources/examples checks clean, runs on the CPU backend and can be drawn.
#include <algorithm>
#include <vector>

#include "tests/cli/spawn.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

std::vector<std::string> examples() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(test::inSourceTree("resources/examples")))
    if (entry.path().extension() == ".hlo") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, ChecksRunsAndRenders) {
  Scratch scratch;
  const std::string file = "'" + test::inSourceTree("resources/examples/") + GetParam() + ".hlo'";
  for (const std::string& call : {"check " + file, "run " + file, "render " + file + " -o drawn.svg"}) {
    const Ran ran = scratch.tessera(call);
    EXPECT_EQ(ran.exit, 0) << call << "\n" << ran.err;
  }
  EXPECT_TRUE(contentOf(scratch.folder() / "drawn.svg").starts_with("<"));
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(examples()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tessera
