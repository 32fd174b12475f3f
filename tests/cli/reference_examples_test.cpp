// Every example of the reference checks clean and is drawn by the real program, and its ops' help pages lead to it.
#include <algorithm>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/spawn.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

const std::filesystem::path kFolder = test::inSourceTree("resources/examples/reference");

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".hlo") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ReferenceExamples, CheckClean) {
  Scratch scratch;
  const Ran ran = scratch.tessera("check *.hlo", kFolder);
  EXPECT_EQ(ran.exit, 0) << ran.err;
}

TEST(ReferenceExamples, AreDrawn) {
  Scratch scratch;
  for (const std::string& name : names()) {
    const Ran ran = scratch.tessera("render '" + (kFolder / (name + ".hlo")).string() + "' -o " + name + ".svg");
    EXPECT_EQ(ran.exit, 0) << name << ": " << ran.err;
    const std::string svg = contentOf(scratch.folder() / (name + ".svg"));
    EXPECT_NE(svg.find("<svg"), std::string::npos) << name;
    EXPECT_NE(svg.find("</svg>"), std::string::npos) << name;
  }
}

TEST(ReferenceExamples, HelpPagesLeadToThem) {
  Scratch scratch;
  std::set<std::string> seen;
  const auto list = nlohmann::json::parse(scratch.tessera("help --json").out);
  for (const auto& [category, ops] : list["categories"].items())
    for (const std::string op : ops) {
      const auto page = nlohmann::json::parse(scratch.tessera("help " + op + " --json").out);
      for (const auto& one : page["reference_examples"]) {
        const std::string name = one["name"];
        if (!seen.insert(name).second) continue;
        EXPECT_EQ(scratch.tessera("help " + op + " --example=" + name).out, contentOf(kFolder / (name + ".hlo")))
            << name;
      }
    }
  const auto all = names();
  EXPECT_EQ(seen, std::set<std::string>(all.begin(), all.end()));
}

TEST(ReferenceExamples, AreDrawnInTheHtmlPages) {
  Scratch scratch;
  ASSERT_EQ(scratch.tessera("help gather --html=pages").exit, 0);
  const std::string html = contentOf(scratch.folder() / "pages/gather.html");
  for (const std::string name : {"gather_slices", "gather_index_array", "gather_nd"})
    EXPECT_NE(html.find("<h3 id=\"" + name + "\">"), std::string::npos) << name;
  EXPECT_NE(html.find("<figure><svg"), std::string::npos);
}

TEST(ReferenceExamples, AWrongNameIsAUsageError) {
  Scratch scratch;
  const Ran ran = scratch.tessera("help gather --example=gather_slice");
  EXPECT_EQ(ran.exit, 64);
  EXPECT_NE(ran.err.find("gather_slices"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace tessera
