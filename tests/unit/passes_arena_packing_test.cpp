// Arena packing: whatever the lives are, what lives at the same time lies apart, and lenders are free again in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/passes/buffers/arena_packing.h"

namespace tessera::test {
namespace {

bool overlap(int64_t a, int64_t aEnd, int64_t b, int64_t bEnd) { return a < bEnd && b < aEnd; }

void expectSound(std::span<const ArenaLife> lives, std::span<const ArenaLender> lenders, const ArenaPacking& packing) {
  for (size_t i = 0; i < lives.size(); ++i) {
    const ArenaPlace& place = packing.places[i];
    const int64_t end = place.offset + lives[i].bytes;
    EXPECT_EQ(place.offset % lives[i].alignment, 0);
    if (place.lender < 0) {
      EXPECT_LE(end, packing.bytes);
    } else {
      EXPECT_LE(end, lenders[static_cast<size_t>(place.lender)].bytes);
      EXPECT_LT(lives[i].death, lenders[static_cast<size_t>(place.lender)].birth);
    }
    for (size_t j = 0; j < i; ++j) {
      const ArenaPlace& other = packing.places[j];
      if (other.lender != place.lender || lives[i].birth > lives[j].death || lives[j].birth > lives[i].death) continue;
      EXPECT_FALSE(overlap(place.offset, end, other.offset, other.offset + lives[j].bytes)) << i << " and " << j;
    }
  }
}

TEST(ArenaPacking, LivesNeverOverlap) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (const int64_t count : {1, 10, 100, 1500}) {
    std::vector<ArenaLife> lives;
    std::vector<ArenaLender> lenders;
    int64_t most = 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t alignment = int64_t{1} << (count < 1000 ? upTo(7) : 3), birth = upTo(count);
      lives.push_back({1 + upTo(10000), alignment, birth, birth + upTo(20)});
      most += lives.back().bytes + 64;
    }
    for (int64_t i = 0; i < 3; ++i) lenders.push_back({upTo(40000), upTo(count)});
    const auto packing = packArena(lives, lenders);
    ASSERT_TRUE(packing);
    EXPECT_LE(packing->bytes, most);
    expectSound(lives, lenders, *packing);
  }
}

TEST(ArenaPacking, TheSmallestLenderThatWillDo) {
  const std::vector<ArenaLife> lives{{100, 4, 0, 1}, {100, 4, 0, 3}};
  const std::vector<ArenaLender> lenders{{4000, 3}, {100, 2}, {90, 9}};
  const auto packing = packArena(lives, lenders);
  ASSERT_TRUE(packing);
  EXPECT_EQ(packing->places[0].lender, 1);
  EXPECT_EQ(packing->places[1].lender, -1) << "it is still alive when the first lender needs its memory";
  EXPECT_EQ(packing->bytes, 100);
}

TEST(ArenaPacking, LargestFirstFillsGaps) {
  // In order of birth the third finds a hole of 64 only; largest first, everything fits into 192.
  const std::vector<ArenaLife> lives{{64, 64, 0, 1}, {64, 64, 0, 3}, {128, 64, 2, 3}};
  const auto packing = packArena(lives, {});
  ASSERT_TRUE(packing);
  EXPECT_EQ(packing->bytes, 192);
}

TEST(ArenaPacking, MoreThanCanBeAddressedIsNoPacking) {
  const std::vector<ArenaLife> lives{{INT64_MAX - 100, 64, 0, 1}, {INT64_MAX - 100, 64, 0, 1}};
  EXPECT_FALSE(packArena(lives, {}));
}

}  // namespace
}  // namespace tessera::test
