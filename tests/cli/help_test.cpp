// Every subcommand's --help ends with an example, and the example works unchanged.
#include "tests/cli/spawn.h"

namespace tessera {
namespace {

// The names in the list of subcommands of `tessera --help`.
std::vector<std::string> subcommands(const Scratch& scratch) {
  std::istringstream lines(scratch.tessera("--help").out);
  std::vector<std::string> out;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (listed && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line.starts_with("Subcommands:")) listed = true;
  }
  return out;
}

TEST(Help, EveryExampleWorks) {
  Scratch scratch;
  scratch.write("model.hlo", kAddProgram);
  scratch.write("optimized.hlo",  // has something to find
                "HloModule m, is_scheduled=true\n\nENTRY e {\n  x = f32[64,32]{1,0} parameter(0)\n"
                "  ROOT t = f32[32,64]{1,0} transpose(x), dimensions={1,0}\n}\n");
  ASSERT_EQ(scratch.tessera("run model.hlo --out=out.npz --profile=profile.json").exit, 0);
  ASSERT_EQ(scratch.tessera("opt model.hlo --dump=dump_folder").exit, 0);
  const std::filesystem::path folder = scratch.folder();
  std::filesystem::copy_file(folder / "out.npz", folder / "expected.npz");
  scratch.write("inputs.npz", std::string("PK\5\6", 4) +
                                  std::string(18, '\0'));  // an archive of no array: all arguments follow the rule
  const auto names = subcommands(scratch);
  EXPECT_GE(names.size(), 6u);
  for (const std::string& name : names) {
    const Ran help = scratch.tessera(name + " --help");
    EXPECT_EQ(help.exit, 0) << name;
    const std::string mark = "Example: tessera ";
    const size_t at = help.out.find(mark);
    ASSERT_NE(at, std::string::npos) << name << " has no example";
    const size_t from = at + mark.size();
    const std::string example = help.out.substr(from, help.out.find('\n', from) - from);
    const Ran ran = scratch.tessera(example);
    EXPECT_EQ(ran.exit, 0) << example << "\n" << ran.err;
  }
}

}  // namespace
}  // namespace tessera
