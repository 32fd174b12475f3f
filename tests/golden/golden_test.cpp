// Golden outputs: what `tessera` prints, compared with an approved text. `cases.txt` names a case and its command line
// (run in the corpus' folder); its output is in NAME.txt. Every file of tests/errors is checked too: its
// diagnostics, with line, column and label, are beside it. After a wanted change: tests/approve, then read the diff.
#include <algorithm>
#include <regex>
#include <vector>

#include "tests/cli/spawn.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = test::inSourceTree("tests");

// What a run printed, as one text. Times become '#', and what follows the number of processors.
std::string transcript(const std::string& arguments, const Ran& ran) {
  std::string out = ran.out;
  if (arguments.starts_with("run ") && !arguments.ends_with("--help"))
    out = std::regex_replace(std::regex_replace(out, std::regex("[0-9][0-9.e+-]* ms"), "# ms"),
                             std::regex("\"(compile_ms|run_ms|first_run_ms|peak_bytes|kernels)\": [0-9.e+-]+"),
                             "\"$1\": #");
  std::string text = "$ tessera " + arguments + "\n" + out;
  if (!ran.err.empty()) text += "--- stderr\n" + ran.err;
  return text + "--- exit " + std::to_string(ran.exit) + "\n";
}

void compareWith(const fs::path& golden, const std::string& text) {
  if (std::getenv("TESSERA_APPROVE")) {
    std::ofstream(golden, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(fs::exists(golden)) << golden << " is missing; tests/approve writes it";
  EXPECT_EQ(contentOf(golden), text) << "if this is right: tests/approve";
}

struct Case {
  std::string name, arguments;
};

std::vector<Case> cases() {
  std::istringstream lines(contentOf(kTests / "golden" / "cases.txt"));
  std::vector<Case> out;
  for (std::string line; std::getline(lines, line);)
    if (const size_t colon = line.find(": "); !line.starts_with("#") && colon != std::string::npos)
      out.push_back({line.substr(0, colon), line.substr(colon + 2)});
  return out;
}

std::vector<std::string> errorFiles() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(kTests / "errors"))
    if (entry.path().extension() == ".hlo") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

class Golden : public testing::TestWithParam<Case> {};
TEST_P(Golden, Output) {
  Scratch scratch;
  const Ran ran = scratch.tessera(GetParam().arguments, TESSERA_CORPUS_TEXTS);
  compareWith(kTests / "golden" / (GetParam().name + ".txt"), transcript(GetParam().arguments, ran));
}
INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(cases()), [](const auto& info) { return info.param.name; });

class GoldenErrors : public testing::TestWithParam<std::string> {};
TEST_P(GoldenErrors, Diagnostics) {
  Scratch scratch;
  const std::string arguments = "check " + GetParam() + ".hlo";
  const Ran ran = scratch.tessera(arguments, kTests / "errors");
  EXPECT_EQ(ran.exit, 2) << ran.err;
  compareWith(kTests / "errors" / (GetParam() + ".txt"), transcript(arguments, ran));
}
INSTANTIATE_TEST_SUITE_P(All, GoldenErrors, testing::ValuesIn(errorFiles()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tessera
