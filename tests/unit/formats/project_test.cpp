// Project files: what is read is what was written; broken, newer and truncated ones say the line.
#include <gtest/gtest.h>

#include <fstream>

#include "core/formats/module_file.h"
#include "core/formats/project.h"
#include "core/picture/page.h"

namespace tessera {
namespace {

const std::string kGraph =
    "HloModule m\n\n%main (a: f32[2]) -> f32[2] {\n  %a = f32[2]{0} parameter(0)\n  ROOT %n = f32[2]{0} "
    "negate(%a)\n}\n";

const std::string kProjectHead = R"(tessera project 1
show "main"
page "main"
groups
open "a b/c"
at "n" 10 -20.5
group-at "a b/c" 0 1000
frame 0 0 400 200 "the \"outer\" one"
note 10 -40 200 30 "first\nsecond"
)";

std::filesystem::path write(const std::string& name, const std::string& text) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "project_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << text;
  return folder / name;
}

TEST(Project, RoundTrip) {
  const auto path = write("a.tessera", kProjectHead + "hlo\n" + kGraph + "end\n");
  ReadResult read = readModule(path);
  ASSERT_TRUE(read.module);
  EXPECT_EQ(read.module->at(*read.module->findInstruction("n")).position.line, 15u);
  const Project project = readArrangement(path).value();
  const std::string printed = printProject(project, &*read.module);
  EXPECT_TRUE(printed.starts_with(kProjectHead + "hlo\nHloModule m\n")) << printed;
  EXPECT_TRUE(printed.ends_with("\n}\nend\n"));
  EXPECT_EQ(printProject(parseProject(printed)->project, &*read.module), printed);
  EXPECT_EQ(project.pages[0].notes[0].text, "first\nsecond");
  EXPECT_EQ(project.pages[0].instructions.at("n").y, -20.5);
}

TEST(Project, OrderIsStable) {
  Project a, b;
  for (Project* p : {&a, &b}) {
    const bool turned = p == &b;
    for (const char* name : turned ? std::array{"z", "y"} : std::array{"y", "z"}) p->page(name).opened = true;
    p->page("y").openGroups = turned ? std::vector<std::string>{"2", "1"} : std::vector<std::string>{"1", "2"};
    p->page("z").notes = {{0, turned ? 1.0 : 0.0, 1, 1, ""}, {0, turned ? 0.0 : 1.0, 1, 1, ""}};
    p->graphFile = "g.hlo";
  }
  EXPECT_EQ(printProject(a, nullptr), printProject(b, nullptr));
}

TEST(Project, WhatAHandDidReadsBack) {
  const std::string text = R"(tessera project 1
graph "g.hlo"
flow down
page "main"
flow right
at "n" 1 2
frame 0 0 10 10 "one" 3
note 1 2 3 4 "two" 6
via "n" 0 1 2 3.5 4
via "n" 1
mute "n"
large "n"
watch "n"
size "a" 0 "B"
bookmark "z"
bookmark "n"
end
)";
  const Project project = parseProject(text).value().project;
  EXPECT_EQ(printProject(project, nullptr), text);
  EXPECT_TRUE(project.arranged());
  EXPECT_EQ(project.pages[0].reroutes.at({"n", 0})[1].x, 3.5);
  EXPECT_EQ(project.pages[0].frames[0].color, 3);
  EXPECT_EQ(project.flow, PageFlow::Down);
  EXPECT_EQ(project.pages[0].flow, PageFlow::Right);
  for (const char* line : {"frame 0 0 1 1 \"x\" 7", "frame 0 0 1 1 \"x\" -1", "via \"n\" 1.5", "via \"n\" 0 1",
                           "size \"a\" 0", "mute", "mute \"a\" 1", "flow up", "flow", "size \"a\" -1 \"B\""})
    EXPECT_FALSE(parseProject("tessera project 1\ngraph \"g\"\npage \"p\"\n" + std::string(line) + "\nend\n")) << line;
}

TEST(Project, SidecarNamesItsGraph) {
  const auto graph = write("g.hlo", kGraph);
  EXPECT_TRUE(readArrangement(graph)->pages.empty());
  const auto sidecar = write("g.hlo.tessera", "tessera project 1\ngraph \"g.hlo\"\npage \"main\"\nat \"n\" 1 2\nend\n");
  EXPECT_EQ(sidecarOf(graph), sidecar);
  EXPECT_EQ(readArrangement(graph)->pages.size(), 1u);
  EXPECT_TRUE(readModule(sidecar).module);
  std::filesystem::remove(sidecar);
  const auto missing = write("m.tessera", "tessera project 1\ngraph \"none.hlo\"\nend\n");
  const ReadResult without = readModule(missing);
  ASSERT_FALSE(without.module);
  EXPECT_EQ(without.diagnostics.items()[0].file, missing.string());
  EXPECT_TRUE(without.diagnostics.items()[0].message.starts_with("the graph none.hlo of the project cannot be read: "))
      << without.diagnostics.items()[0].message;
  const auto looped = write("l.tessera", "tessera project 1\ngraph \"l.tessera\"\nend\n");
  EXPECT_EQ(readModule(looped).diagnostics.items()[0].message,
            "the graph of the project is a project itself: l.tessera");
}

struct Broken {
  const char* text;
  uint32_t line;
  const char* message;
};

TEST(Project, BrokenOnesSayTheLine) {
  const Broken cases[] = {
      {"tessera project 2\nend\n", 1,
       "the project was written by a newer Tessera; this one reads version 1 and older ones"},
      {"tessera projct 1\nend\n", 1, "the first line of the project file is broken"},
      {"tesse", 1, "the first line of the project file is broken"},
      {"tessera project x\nend\n", 1, "the version of the project file does not read"},
      {"tessera project 1\nshow \"main\"\npage \"m", 3, "the project file ends too early: its last line is missing"},
      {"tessera project 1\n", 2, "the project file ends too early: its last line is missing"},
      {"tessera project 1\nshow \"main\nend\n", 2, "a text in quotes is missing or has no end"},
      {"tessera project 1\n<<<<<<< HEAD\nend\n", 2, "the line does not read"},
      {"tessera project 1\nat \"n\" 1 2\nend\n", 2, "the line belongs to no page"},
      {"tessera project 1\npage \"m\"\nat \"n\" 1\nend\n", 3, "a number does not read"},
      {"tessera project 1\npage \"m\"\nat \"n\" 1 nan\nend\n", 3, "a number does not read"},
      {"tessera project 1\npage \"m\"\nat \"n\" 1 2 3\nend\n", 3, "there is more on the line than belongs there"},
      {"tessera project 1\npage \"m\"\nat \"n\" 1 2\nat \"n\" 1 2\nend\n", 4, "\"n\" has two places"},
      {"tessera project 1\npage \"m\"\nframe 0 0 -1 2 \"\"\nend\n", 3, "a frame has a negative size"},
      {"tessera project 1\npage \"m\"\n\npage \"m\"\nend\n", 4, "the page \"m\" appears twice"},
      {"tessera project 1\ngraph \"g\"\nhlo\nend\n", 3, "the project has its graph twice: here and in g"},
      {"tessera project 1\npage \"m\"\nend\n", 2, "the project has no graph"},
  };
  for (const Broken& c : cases) {
    const auto parsed = parseProject(c.text);
    ASSERT_FALSE(parsed) << c.text;
    EXPECT_EQ(parsed.error().message, c.message) << c.text;
    EXPECT_EQ(parsed.error().position.line, c.line) << c.text;
    const ReadResult read = readModule(write("broken.tessera", c.text));
    ASSERT_FALSE(read.module) << c.text;
    EXPECT_EQ(read.diagnostics.items()[0].message, c.message) << c.text;
  }
}

TEST(Project, ErrorsOfTheGraphHaveTheFilesLines) {
  std::string graph = kGraph;
  graph.replace(graph.find("negate"), 6, "negat");
  const ReadResult read = readModule(write("b.tessera", "tessera project 1\nhlo\n" + graph + "end\n"));
  ASSERT_FALSE(read.diagnostics.empty());
  EXPECT_EQ(read.diagnostics.items()[0].position.line, 7u);
}

// Every prefix and every file with one byte changed ends in a project or an error.
TEST(Project, DamageIsSurvived) {
  const std::string whole = kProjectHead + "hlo\n" + kGraph + "end\n";
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_TRUE(n + 1 >= whole.size() || !parseProject(whole.substr(0, n))) << n;
    for (char c : {'"', '\\', '\n', '\0', '-'}) {
      std::string changed = whole;
      changed[n] = c;
      const auto parsed = parseProject(changed);
      EXPECT_TRUE(!parsed || parsed->project.pages.size() <= 2);
    }
  }
}

TEST(Project, PlacesMoveBoxesAndWires) {
  const auto path = write("p.tessera", kProjectHead + "hlo\n" + kGraph + "end\n");
  const Module module = std::move(*readModule(path).module);
  ProjectPage page = readArrangement(path)->pages[0];
  const GraphView view = makeView(module, module.entry(), {});
  const Arrangement before = arrange(view);
  const RectF& other = before.boxes[static_cast<size_t>(view.boxOf(*module.findInstruction("a")))];
  page.instructions["a"] = {other.x, other.y};
  Arrangement after = before;
  placeBoxes(module, view, placesOf(page), after);
  const auto box = static_cast<size_t>(view.boxOf(*module.findInstruction("n")));
  EXPECT_EQ(after.boxes[box].x, 10);
  EXPECT_EQ(after.boxes[box].y, -20.5f);
  ASSERT_EQ(view.edges.size(), 1u);
  EXPECT_FLOAT_EQ(after.routes[0].back().x - before.routes[0].back().x, after.boxes[box].x - before.boxes[box].x);
  EXPECT_EQ(after.routes[0].front().x, before.routes[0].front().x);
  const Picture picture = withPage(draw(module, view, after), page);
  EXPECT_EQ(picture.items[1].text, "the \"outer\" one");
  EXPECT_EQ(picture.items.back().text, "first");  // the note has room for one line
}

}  // namespace
}  // namespace tessera
