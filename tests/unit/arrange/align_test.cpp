// Boxes in line and at equal distances.
#include <gtest/gtest.h>

#include "core/arrange/align.h"

namespace tessera {
namespace {

const std::vector<RectF> kBoxes{{0, 0, 10, 10}, {30, 50, 20, 10}, {100, 20, 30, 20}};

TEST(Align, InLine) {
  for (const RectF& box : aligned(kBoxes, Alignment::Left)) EXPECT_EQ(box.x, 0);
  for (const RectF& box : aligned(kBoxes, Alignment::Right)) EXPECT_EQ(box.x + box.width, 130);
  for (const RectF& box : aligned(kBoxes, Alignment::Centre)) EXPECT_EQ(box.x + box.width / 2, 65);
  for (const RectF& box : aligned(kBoxes, Alignment::Top)) EXPECT_EQ(box.y, 0);
  for (const RectF& box : aligned(kBoxes, Alignment::Bottom)) EXPECT_EQ(box.y + box.height, 60);
  for (const RectF& box : aligned(kBoxes, Alignment::Middle)) EXPECT_EQ(box.y + box.height / 2, 30);
  EXPECT_EQ(aligned(kBoxes, Alignment::Left)[1].y, 50);
}

TEST(Align, AtEqualDistances) {
  const auto across = aligned(kBoxes, Alignment::SpreadAcross);
  EXPECT_EQ(across[0].x, 0);
  EXPECT_EQ(across[1].x, 45);  // 130 wide, 60 taken: gaps of 35
  EXPECT_EQ(across[2].x, 100);
  const auto down = aligned(kBoxes, Alignment::SpreadDown);
  EXPECT_EQ(down[2].y - (down[0].y + down[0].height), down[1].y - (down[2].y + down[2].height));
}

TEST(Align, NothingToDo) {
  EXPECT_TRUE(aligned({}, Alignment::Left).empty());
  EXPECT_EQ(aligned(std::span(kBoxes).first(1), Alignment::SpreadDown)[0].y, 0);
  EXPECT_EQ(aligned(std::span(kBoxes).first(2), Alignment::SpreadAcross)[1].x, 30);
}

}  // namespace
}  // namespace tessera
