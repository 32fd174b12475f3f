// What an item of a picture is: one frame a box, marks of fields, frames and notes of the page; and where the sizes
// are in a result's line.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "core/formats/hlo_text.h"
#include "core/picture/far_text.h"
#include "core/picture/page.h"
#include "core/picture/picture.h"

namespace tessera {
namespace {

using Part = PictureItem::Part;

constexpr const char* kPartsText = R"(HloModule m
ENTRY main {
  x = f32[4,2] parameter(0)
  two = f32[4,2] constant({{1,2},{3,4},{5,6},{7,8}})
  sum = f32[4,2] add(x, two)
  ROOT out = f32[4,2] exponential(sum)
})";

struct Drawn {
  Module module = *readHloText(kPartsText, "test").module;
  GraphView view;
  Picture picture;

  explicit Drawn(const std::vector<std::string>& open = {}) {
    ViewOptions options;
    options.fields = true;
    options.openGroups.insert(open.begin(), open.end());
    view = makeView(module, module.entry(), options);
    picture = draw(module, view, arrange(view));
  }
  std::map<int32_t, int> count(Part part) const {  // by view node
    std::map<int32_t, int> out;
    for (const PictureItem& item : picture.items)
      if (item.part == part) ++out[item.viewNode];
    return out;
  }
};

TEST(PictureParts, EveryBoxHasOneFrameThatIsItsBounds) {
  const Drawn drawn;
  const auto frames = drawn.count(Part::Frame);
  EXPECT_EQ(frames.size(), drawn.view.nodes.size());
  for (const auto& [node, count] : frames) EXPECT_EQ(count, 1) << node;
  const Arrangement arrangement = arrange(drawn.view);
  for (const PictureItem& item : drawn.picture.items)
    if (item.part == Part::Frame) {
      EXPECT_EQ(item.bounds.width, arrangement.boxes[static_cast<size_t>(item.viewNode)].width);
    }
}

TEST(PictureParts, AFieldHasAMarkAndWhatWasPulledOutTheOther) {
  const Drawn folded;
  ASSERT_EQ(folded.count(Part::PullMark).size(), 1u);
  EXPECT_TRUE(folded.count(Part::FoldMark).empty());
  const int32_t field = folded.count(Part::PullMark).begin()->first;
  const Drawn pulled({folded.view.nodes[static_cast<size_t>(field)].group});
  EXPECT_TRUE(pulled.count(Part::PullMark).empty());
  EXPECT_EQ(pulled.count(Part::FoldMark).size(), 1u);
}

TEST(PictureParts, AnOpenGroupTooSmallToBeReadIsItsTitle) {
  const Module module = *readHloText(R"(HloModule m
inner {
  p = f32[4] parameter(0)
  q = f32[4] exponential(p)
  ROOT r = f32[4] negate(q)
}
ENTRY main {
  x = f32[4] parameter(0)
  ROOT block = f32[4] call(x), to_apply=inner
})",
                                     "test")
                             .module;
  ViewOptions options;
  options.openGroups = {"block"};
  const GraphView view = makeView(module, module.entry(), options);
  const Picture picture = draw(module, view, arrange(view));
  const int32_t group = view.findGroup("block");
  ASSERT_GE(group, 0);
  const RectF& frame = std::ranges::find_if(picture.items, [&](const PictureItem& item) {
                         return item.viewNode == group && item.part == Part::Frame;
                       })->bounds;
  const auto topmost = [&](double zoom, PictureItem::Kind kind) {
    int32_t node = -1;
    for (const PictureItem& item : picture.items)
      if (item.kind == kind && item.isSeenAt(zoom) && item.reach().intersects(frame)) node = item.viewNode;
    return node;
  };
  EXPECT_EQ(topmost(0.1, PictureItem::Kind::Box), group);
  EXPECT_EQ(topmost(0.1, PictureItem::Kind::Text), group);
  EXPECT_NE(topmost(1, PictureItem::Kind::Box), group);
  for (const double zoom : {0.2, 0.25, 0.4, 1.0}) {  // one title, where it can be read
    size_t titles = 0;
    for (const PictureItem& item : picture.items)
      titles += item.kind == PictureItem::Kind::Text && item.viewNode == group && item.isSeenAt(zoom) &&
                !seenAt(item, zoom).empty();
    EXPECT_EQ(titles, 1u) << zoom;
  }
  const std::string alone = ">" + view.nodes[at(group)].title + "<";  // of the open group it is "▾ …"
  EXPECT_EQ(toSvg(picture, Theme::Light).find(alone), std::string::npos);
}

TEST(PictureParts, ANumberAloneIsNoTitle) {
  const auto seen = [](const std::string& title, float width) {
    PictureItem text;
    text.kind = PictureItem::Kind::Text;
    text.text = title;
    text.room = {0, 0, width, 20};
    std::string out;
    for (const PictureItem& line : seenAt(text, 0.5)) out += line.text;
    return out;
  };
  EXPECT_EQ(seen("ws[0]", 200), "ws[0]");
  std::set<std::string> forms;
  for (float width = 20; width < 200; ++width) forms.insert(seen("ws[0]", width));
  EXPECT_TRUE(forms.contains("ws 0"));
  EXPECT_FALSE(forms.contains("0"));
  for (float width = 20; width < 200; ++width) forms.insert(seen("p['fc']['kernel']", width));
  EXPECT_TRUE(forms.contains("fc kernel") && forms.contains("kernel"));
}

// Each length of a word was tried, to its end.
TEST(PictureParts, ATitleOfAHundredThousandLettersIsCutAtOnce) {
  std::string steps;
  while (steps.size() < 100000) steps += "[a]";
  for (const std::string& title :
       {std::string(100000, 'a'), steps, std::string(50000, '_') + std::string(50000, 'B')}) {
    PictureItem text;
    text.kind = PictureItem::Kind::Text;
    text.text = title;
    text.room = {0, 0, 120, 60};
    const auto start = std::chrono::steady_clock::now();
    for (const double zoom : {0.55, 0.3, 0.2})
      for (const PictureItem& line : seenAt(text, zoom)) EXPECT_LE(line.bounds.width, text.room.width) << zoom;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  }
}

TEST(PictureParts, FramesAndNotesOfThePage) {
  ProjectPage page;
  page.frames = {{0, 0, 100, 50, "frame"}};
  page.notes = {{0, 60, 100, 50, "note"}};
  const Picture picture = withPage(Drawn().picture, page);
  std::vector<std::pair<Part, int32_t>> found;
  for (const PictureItem& item : picture.items)
    if (item.pageItem >= 0) found.emplace_back(item.part, item.pageItem);
  EXPECT_EQ(found, (std::vector<std::pair<Part, int32_t>>{{Part::PageFrame, 0}, {Part::PageNote, 1}}));
}

TEST(PictureParts, SizesStandWhereTheySay) {
  Shape shape = parseShape("f32[32,<=7,5]{0,1,2}").value();
  const std::vector<std::string> names{"B", "", "T"};
  const SizedText text = arrayText(shape, names);
  EXPECT_EQ(text.text, "f32 B=32×≤7×T=5 {0,1,2}");
  std::vector<std::string> sizes;
  for (const SizeSpan& size : text.sizes) sizes.push_back(text.text.substr(size.begin, size.end - size.begin));
  EXPECT_EQ(sizes, (std::vector<std::string>{"B=32", "≤7", "T=5"}));
}

}  // namespace
}  // namespace tessera
