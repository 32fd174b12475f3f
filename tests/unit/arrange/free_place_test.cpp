// Free places for new boxes.
#include "core/arrange/free_place.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tessera {
namespace {

RectF moved(RectF box, PointF step) { return {box.x + step.x, box.y + step.y, box.width, box.height}; }

TEST(FreePlace, IsTheWishWhereNothingStands) {
  const RectF far{1000, 0, 100, 40};
  const RectF found = freePlace({0, 0, 100, 40}, {&far, 1});
  EXPECT_EQ(found.x, 0);
  EXPECT_EQ(found.y, 0);
}

TEST(FreePlace, IsBesideOrBelowWhatStands) {
  std::vector<RectF> taken{{0, 0, 100, 40}, {90, 0, 60, 40}, {-300, 0, 150, 40}};
  for (int i = 0; i < 40; ++i) {
    const RectF found = freePlace({10, 5, 100, 40}, taken);
    for (const RectF& box : taken) EXPECT_FALSE(found.intersects(box)) << i;
    EXPECT_LT(std::hypot(found.x, found.y), 700) << i;
    taken.push_back(found);
  }
}

// Copies of copies of two boxes far apart stay beside them.
TEST(FreePlace, OfSeveralBoxesDoesNotClearTheRoomBetweenThem) {
  const std::vector<RectF> two{{0, 0, 100, 40}, {50000, 30000, 100, 40}};
  std::vector<RectF> taken = two;
  for (int i = 0; i < 8; ++i) {
    const PointF step = freeStep(two, taken);
    EXPECT_LT(std::hypot(step.x, step.y), 1000) << i;
    for (const RectF& own : two)
      for (size_t k = 0; k < taken.size(); ++k) EXPECT_FALSE(moved(own, step).intersects(taken[k])) << i;
    for (const RectF& own : two) taken.push_back(moved(own, step));
  }
}

}  // namespace
}  // namespace tessera
