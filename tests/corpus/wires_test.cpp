// Wires of real programs run through no node: as they are arranged, and after boxes were moved by hand.
#include <gtest/gtest.h>

#include "core/arrange/detours.h"
#include "core/arrange/free_place.h"
#include "core/arrange/placed.h"
#include "core/formats/hlo_text.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

constexpr size_t kMostBoxes = 300;

// As the studio opens it, and with everything open.
std::vector<GraphView> viewsOf(const Module& module) {
  std::vector<GraphView> out;
  ViewMaker maker(module);
  ViewOptions options = maker.initialView(module.entry(), 40);
  options.chips = options.fields = true;
  out.push_back(maker.view(module.entry(), options));
  const auto paths = maker.groupPaths(module.entry());
  options.openGroups.insert(paths.begin(), paths.end());
  for (const std::string& path : paths)  // fields stay in their readers
    if (module.findInstruction(path)) options.openGroups.erase(path);
  if (paths.size() < kMostBoxes) out.push_back(maker.view(module.entry(), options));
  return out;
}

std::string crossedBoxes(const GraphView& view, const Arrangement& arrangement) {
  std::string out;
  for (size_t e = 0; e < view.edges.size(); ++e)
    for (int32_t v : boxesUnder(view, arrangement, e))
      out += view.nodes[at(view.edges[e].from)].title + " → " + view.nodes[at(view.edges[e].to)].title +
             " runs through " + view.nodes[at(v)].title + "\n";
  return out;
}

// Every box where it stands, every seventh at some free place elsewhere.
Places scattered(const Module& module, const GraphView& view, const Arrangement& arrangement) {
  Places out;
  std::vector<RectF> taken = arrangement.boxes;
  for (size_t v = 0; v < view.nodes.size(); ++v) {
    const ViewNode& node = view.nodes[v];
    if (node.kind == ViewNode::Kind::Attached) continue;
    RectF box = arrangement.boxes[v];
    if (v % 7 == 3 && node.parent < 0 && node.kind != ViewNode::Kind::OpenGroup) {
      const float turn = static_cast<float>(v % 5) - 2;
      box = freePlace({box.x + 170 * turn, box.y + 90 * (2 - turn), box.width, box.height}, taken);
      taken.push_back(box);
    }
    const std::string within =
        node.kind == ViewNode::Kind::Instruction ? withinGroup(module, view, static_cast<int32_t>(v)) : node.group;
    if (within.empty())
      out.instructions[std::string(module.at(node.instruction).name)] = {box.x, box.y};
    else
      out.groups[within] = {box.x, box.y};
  }
  return out;
}

class CorpusWires : public testing::TestWithParam<std::string> {};

TEST_P(CorpusWires, RunThroughNoNode) {
  const ReadResult read = readHloText(slurp(corpusTexts() / GetParam()));
  ASSERT_TRUE(read.module);
  for (const GraphView& view : viewsOf(*read.module)) {
    if (view.nodes.size() >= kMostBoxes) continue;
    const Arrangement arranged = arrangePage(*read.module, view, {});
    EXPECT_EQ(crossedBoxes(view, arranged), "");
    const Places places = scattered(*read.module, view, arranged);
    EXPECT_EQ(crossedBoxes(view, arrangePage(*read.module, view, places)), "") << "after moves";
  }
}

INSTANTIATE_TEST_SUITE_P(All, CorpusWires, testing::ValuesIn(corpusFiles([](const std::string& file) {
                           return !isBad(file.substr(file.find('/') + 1)) && !isBad(file);
                         })),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
