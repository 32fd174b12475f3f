// Wires of real programs run through no node as they are arranged.
#include <gtest/gtest.h>

#include "core/arrange/detours.h"
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

class CorpusWires : public testing::TestWithParam<std::string> {};

TEST_P(CorpusWires, RunThroughNoNode) {
  const ReadResult read = readHloText(slurp(corpusTexts() / GetParam()));
  ASSERT_TRUE(read.module);
  std::vector<GraphView> views = viewsOf(*read.module);
  for (GraphView& view : views) {
    if (view.nodes.size() >= kMostBoxes) continue;
    for (const Flow flow : {Flow::Down, Flow::Right}) {
      view.flow = flow;
      EXPECT_EQ(crossedBoxes(view, arrangePage(*read.module, view, {})), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CorpusWires, testing::ValuesIn(corpusFiles([](const std::string& file) {
                           return !isBad(file.substr(file.find('/') + 1)) && !isBad(file);
                         })),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
